//! The default provider's context does again what the engine has done, so that it can go on.

use std::ffi::c_int;
use std::ptr;

use broadloom::Session;
use zeroize::Zeroizing;

use super::{Aead, AeadState};
use crate::cipher::keyed::Purpose;
use crate::cipher::{Given, Piece};
use crate::interface::{OCTETS, Param};
use crate::libcrypto::fail;
use crate::line::{Place, Tag, Text, process};

impl Aead {
    /// Has the default provider go on with the message. Where it cannot, nothing goes on: an IV
    /// that was used must not be used again.
    #[inline]
    pub(super) fn hand_over(&mut self) -> bool {
        matches!(self.state, AeadState::Theirs) || self.replay()
    }

    /// Gives the default provider's context the IV and the tag to check that it was not given.
    /// Returns `false` if it refuses them.
    pub(super) fn settle(&mut self) -> bool {
        if !self.is_behind {
            return true;
        }
        self.is_behind = false;
        let (iv, iv_len) = (self.iv.as_ptr(), self.iv_len);
        let begin = Given { key: ptr::null(), key_len: 0, iv, iv_len, list: ptr::null() };
        // SAFETY: so many bytes are there; null stands for what was there before.
        if unsafe { self.apart.init(self.encrypts, begin) } != 1 {
            return false;
        }
        let (Some(mut tag), Some(len)) = (self.expected, self.tag_len) else { return true };
        let list = [Param::room(c"tag", OCTETS, &mut tag[..len]), Param::END];
        // SAFETY: the list ends.
        unsafe { self.apart.set(list.as_ptr()) == 1 }
    }

    /// Has the default provider do again what it has not done of the message.
    fn replay(&mut self) -> bool {
        if !self.settle() {
            self.state = AeadState::Lost;
            return false;
        }
        let state = std::mem::replace(&mut self.state, AeadState::Lost);
        let is_handed_over = match state {
            AeadState::Theirs => true,
            AeadState::Open => self.feed_start(),
            AeadState::Done(tag) => {
                self.is_plain = false;
                self.feed_start() && self.feed_text(&tag)
            }
            AeadState::Ended(tag) => self.feed_start() && self.feed_text(&tag) && self.feed_end(),
            AeadState::Lost => {
                return fail(c"cipher", "the message is lost; another one needs another IV") == 1;
            }
        };
        if is_handed_over {
            self.state = AeadState::Theirs;
        }
        is_handed_over
    }

    /// The engine found no right tag, and wiped the text: the tag is wrong, or this was not all of
    /// the text. The default provider does it again, and tells the two apart.
    ///
    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    pub(super) unsafe fn begins(&mut self, piece: Piece) -> c_int {
        self.is_plain = false;
        let text = std::mem::take(&mut self.text);
        let again = Piece { data: text.as_ptr(), ..piece };
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract, and the text that
        // replaces its data is as long as these.
        c_int::from(self.hand_over() && unsafe { self.theirs(again) } == 1)
    }

    /// Gives the default provider what came before the text.
    fn feed_start(&mut self) -> bool {
        if self.is_ccm() && !self.feed_lens() {
            return false;
        }
        let associated = std::mem::take(&mut self.associated);
        let is_fed = self.feed(ptr::null_mut(), &associated);
        self.associated = associated;
        is_fed
    }

    /// Gives the default provider what it was not told of CCM: the tag, and the length of the text.
    fn feed_lens(&mut self) -> bool {
        if let (Some(mut tag), Some(len)) = (self.expected, self.tag_len) {
            let list = [Param::room(c"tag", OCTETS, &mut tag[..len]), Param::END];
            self.counted.is_clean = false;
            // SAFETY: the list ends.
            if unsafe { self.apart.set(list.as_ptr()) } != 1 {
                return false;
            }
        }
        let Some(len) = self.counted.len else { return true };
        let (out, data, mut told) = (ptr::null_mut(), ptr::null(), 0);
        // SAFETY: a length alone has no bytes.
        unsafe { self.theirs(Piece { out, out_len: &mut told, room: len, data, len }) == 1 }
    }

    /// Has the default provider process the text that the engine processed.
    fn feed_text(&mut self, tag: &Tag) -> bool {
        let mut text = Zeroizing::new(std::mem::take(&mut self.text));
        if self.encrypts {
            let Some(len) = self.engine_tag_len() else { return false };
            let session = self.keyed.open(Purpose::Open(self.algorithm, len));
            if !session.is_some_and(|session| self.opens(&session, &mut text, &tag[..len])) {
                return false;
            }
        }
        let mut room = Zeroizing::new(vec![0; text.len()]);
        self.feed(room.as_mut_ptr(), &text)
    }

    /// Has the default provider end the message.
    fn feed_end(&mut self) -> bool {
        let mut room = [0; 16];
        // SAFETY: the places are ours, and the list ends.
        unsafe {
            if !self.is_ccm() {
                let mut written = 0;
                return self.apart.last(room.as_mut_ptr(), &mut written, room.len()) == 1;
            }
            // It has forgotten a text that it opened, and forgets one that it sealed with its tag.
            self.counted.is_clean = true;
            let len = self.engine_tag_len().unwrap_or(room.len());
            let mut list = [Param::room(c"tag", OCTETS, &mut room[..len]), Param::END];
            !self.encrypts || self.apart.get(list.as_mut_ptr()) == 1
        }
    }

    /// Gets the text of a ciphertext back.
    fn opens(&self, session: &Session, text: &mut [u8], tag: &[u8]) -> bool {
        let nonce = &self.iv[..self.iv_len];
        let what = Text { session, nonce, associated: &self.associated, expected: Some(tag) };
        let (at, len) = (text.as_mut_ptr(), text.len());
        // SAFETY: the text is borrowed, and processed in place.
        let place = unsafe { Place::new(at, at, len) };
        place.is_some_and(|place| process(&what, place).is_ok())
    }

    /// Gives the default provider bytes; nothing where there are none.
    fn feed(&mut self, out: *mut u8, bytes: &[u8]) -> bool {
        let (mut written, room, data, len) = (0, bytes.len(), bytes.as_ptr(), bytes.len());
        let piece = Piece { out, out_len: &mut written, room, data, len };
        // SAFETY: there is as much room as there are bytes; associated data need none.
        len == 0 || unsafe { self.theirs(piece) } == 1
    }
}
