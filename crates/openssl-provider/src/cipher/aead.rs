//! Modes with authentication.
//!
//! The engine takes messages whole: associated data, one piece of text, and its end. So associated
//! data are kept until the text comes. If a second piece comes, the default provider's context does
//! the first one again, from a copy of the ciphertext, and the rest; this context then expects
//! messages in pieces.

use std::ffi::{CStr, c_int};
use std::ptr;

use broadloom::algorithm::MAX_TAG;
use broadloom::error::JobError;
use broadloom::{AeadAlgorithm, Session};
use zeroize::Zeroizing;

use super::apart::Apart;
use super::keyed::{Keyed, Purpose};
use super::{Cipher, Given, Piece};
use crate::digest::given;
use crate::interface::Param;
use crate::job;
use crate::libcrypto::fail;
use crate::line::{Place, Tag, Text, process, process_beside};
use crate::settings;

/// Bytes from which on the engine is faster, alone.
const WORTHWHILE: usize = 2048;

/// Whether the engine is faster alone; otherwise it is beside other messages.
fn is_fast_alone(algorithm: AeadAlgorithm) -> bool {
    matches!(algorithm, AeadAlgorithm::AesGcm(_))
}

/// Bytes of a text from which on the engine is faster.
fn least(algorithm: AeadAlgorithm) -> usize {
    if is_fast_alone(algorithm) { WORTHWHILE } else { settings::bulk_threshold() }
}

/// Bytes of associated data that are kept, at most.
const MOST_KEPT: usize = 1 << 16;

/// Bytes of the longest IV that is kept.
const MAX_IV: usize = 16;

/// Who processes the message.
#[derive(Debug, Clone, Copy)]
enum State {
    /// The default provider.
    Theirs,
    /// That is open: no text came yet.
    Open,
    /// The engine processed the text, and made a tag or found one right.
    Done(Tag),
    /// The same, of a message that has ended.
    Ended(Tag),
}

/// A message that is sealed or opened.
pub struct Aead {
    apart: Apart,
    algorithm: AeadAlgorithm,
    keyed: Keyed,
    encrypts: bool,
    iv: [u8; MAX_IV],
    iv_len: usize,
    state: State,
    associated: Vec<u8>,
    /// The ciphertext that the engine made or read.
    text: Vec<u8>,
    /// The tag that is expected, which came after this message was begun.
    expected: Option<Tag>,
    /// Bytes of the tag that is expected, or that CCM is to make.
    tag_len: Option<usize>,
    /// Neither are there parameters of TLS 1.2, nor do texts come in several pieces.
    is_plain: bool,
    /// The last text was long enough for the engine: so the next one may be.
    was_long: bool,
    /// The engine is never asked: it is not faster alone, and the context was made outside of jobs.
    passes: bool,
}

impl Aead {
    pub fn new(apart: Apart, algorithm: AeadAlgorithm) -> Aead {
        let passes = !is_fast_alone(algorithm) && !job::is_inside();
        Aead {
            passes,
            was_long: false,
            apart,
            algorithm,
            keyed: Keyed::new(),
            encrypts: false,
            iv: [0; MAX_IV],
            iv_len: 0,
            state: State::Theirs,
            associated: Vec::new(),
            text: Vec::new(),
            expected: None,
            tag_len: None,
            is_plain: true,
        }
    }

    /// So many bytes of tag the engine makes or checks; `None` where there is none to check.
    fn engine_tag_len(&self) -> Option<usize> {
        match (self.algorithm, self.encrypts) {
            // The caller may take the first bytes of it.
            (AeadAlgorithm::AesGcm(_) | AeadAlgorithm::ChaCha20Poly1305, true) => Some(16),
            _ => self.tag_len,
        }
    }

    fn purpose(&self, encrypts: bool) -> Option<Purpose> {
        let len = self.engine_tag_len()?;
        Some(match encrypts {
            true => Purpose::Seal(self.algorithm, len),
            false => Purpose::Open(self.algorithm, len),
        })
    }

    /// The engine processes a text, which is the whole one so far; `None` where it does not.
    ///
    /// # Safety
    /// libcrypto's rules for pieces.
    unsafe fn whole(&mut self, piece: Piece) -> Option<Result<Tag, JobError>> {
        let Piece { out, room, data, len, .. } = piece;
        if !self.was_long || room < len {
            return None;
        }
        let purpose = self.purpose(self.encrypts)?;
        let expected = if self.encrypts { None } else { Some(self.expected?) };
        let expected = expected.as_ref().zip(self.tag_len).map(|(tag, len)| &tag[..len]);
        let is_alone = is_fast_alone(self.algorithm);
        let session = self.keyed.session(purpose)?;
        // SAFETY: the caller's.
        let place = unsafe { Place::new(data, out, len) }?;
        self.text.clear();
        if !self.encrypts {
            // SAFETY: as above.
            self.text.extend_from_slice(unsafe { given(data, len) });
        }
        let nonce = &self.iv[..self.iv_len];
        let text = Text { session, nonce, associated: &self.associated, expected };
        let done = if is_alone { process(&text, place) } else { process_beside(&text, place) };
        if self.encrypts {
            // SAFETY: as above.
            self.text.extend_from_slice(unsafe { given(out, len) });
        }
        Some(done)
    }

    /// Has the default provider go on with the message.
    fn hand_over(&mut self) -> bool {
        if matches!(self.state, State::Theirs) {
            return true;
        }
        let state = std::mem::replace(&mut self.state, State::Theirs);
        match state {
            State::Theirs => true,
            State::Open => self.feed_associated(),
            State::Done(tag) => {
                self.is_plain = false;
                self.feed_associated() && self.feed_again(&tag)
            }
            State::Ended(_) => {
                self.state = state;
                fail(c"cipher_update", "the message has ended; another one needs another IV") == 1
            }
        }
    }

    fn feed_associated(&mut self) -> bool {
        let associated = std::mem::take(&mut self.associated);
        let is_fed = self.feed(ptr::null_mut(), &associated);
        self.associated = associated;
        is_fed
    }

    /// The engine found no right tag, and wiped the text: the tag is wrong, or this was not all of
    /// the text. The default provider does it again, and tells the two apart.
    ///
    /// # Safety
    /// libcrypto's rules for pieces.
    unsafe fn begins(&mut self, piece: Piece) -> c_int {
        self.is_plain = false;
        let text = std::mem::take(&mut self.text);
        let again = Piece { data: text.as_ptr(), ..piece };
        // SAFETY: the caller's; the text is as long as the piece.
        c_int::from(self.hand_over() && unsafe { self.apart.update(again) } == 1)
    }

    /// Has the default provider process the text that the engine processed.
    fn feed_again(&mut self, tag: &Tag) -> bool {
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
        len == 0 || unsafe { self.apart.update(piece) } == 1
    }
}

impl Cipher for Aead {
    fn copy(&self) -> Option<Aead> {
        Some(Aead {
            apart: self.apart.copy()?,
            keyed: self.keyed.clone(),
            associated: self.associated.clone(),
            text: self.text.clone(),
            ..*self
        })
    }

    unsafe fn init(&mut self, encrypts: bool, begin: Given) -> c_int {
        // SAFETY: the caller's.
        let status = unsafe { self.apart.init(encrypts, begin) };
        if status != 1 || self.passes {
            return status;
        }
        self.encrypts = encrypts;
        // SAFETY: the caller passes so many bytes, and its list.
        unsafe {
            if !begin.key.is_null() {
                self.keyed.replace(given(begin.key, begin.key_len));
            }
            (self.state, self.expected) = (State::Theirs, None);
            self.note(begin.list);
        }
        let is_begun = !begin.iv.is_null() && begin.iv_len <= MAX_IV;
        if !(is_begun && self.was_long && self.is_plain) {
            return 1;
        }
        let may = is_fast_alone(self.algorithm) || job::can_wait();
        // Of an opening, the length of the tag may not be known yet.
        let is_ready = match self.purpose(encrypts) {
            Some(purpose) => may && self.keyed.session(purpose).is_some(),
            None => may && !encrypts && self.keyed.is_earned(),
        };
        if is_ready {
            // SAFETY: the caller passes so many bytes.
            let iv = unsafe { given(begin.iv, begin.iv_len) };
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_len = iv.len();
            self.associated.clear();
            self.state = State::Open;
        }
        1
    }

    unsafe fn update(&mut self, piece: Piece) -> c_int {
        if self.passes {
            // SAFETY: the caller's.
            return unsafe { self.apart.update(piece) };
        }
        let Piece { out, out_len, data, len, .. } = piece;
        let is_text = !out.is_null();
        if is_text {
            self.keyed.count(len);
            self.was_long = len >= least(self.algorithm);
        }
        // SAFETY: the caller's.
        unsafe {
            match self.state {
                State::Open if is_text && len > 0 => match self.whole(piece) {
                    None => {}
                    Some(Ok(tag)) => {
                        self.state = State::Done(tag);
                        *out_len = len;
                        return 1;
                    }
                    Some(Err(error)) if self.encrypts => {
                        return fail(c"cipher_update", &error.to_string());
                    }
                    Some(Err(_)) => return self.begins(piece),
                },
                State::Done(_) if is_text && len == 0 => {
                    *out_len = 0;
                    return 1;
                }
                // CCM is told the length of the text, before all else.
                State::Open if !is_text && data.is_null() => return self.apart.update(piece),
                State::Open if !is_text && self.associated.len() + len <= MOST_KEPT => {
                    self.associated.extend_from_slice(given(data, len));
                    *out_len = len;
                    return 1;
                }
                _ => {}
            }
            c_int::from(self.hand_over() && self.apart.update(piece) == 1)
        }
    }

    unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
        // SAFETY: the caller's.
        unsafe {
            if let State::Done(tag) = self.state {
                self.state = State::Ended(tag);
                *out_len = 0;
                return 1;
            }
            c_int::from(self.hand_over() && self.apart.last(out, out_len, room) == 1)
        }
    }

    unsafe fn cipher(&mut self, piece: Piece) -> c_int {
        // SAFETY: the caller's.
        c_int::from(self.hand_over() && unsafe { self.apart.cipher(piece) } == 1)
    }

    unsafe fn get(&mut self, list: *mut Param) -> c_int {
        if self.passes || matches!(self.state, State::Theirs) {
            // SAFETY: the caller's.
            return unsafe { self.apart.get(list) };
        }
        // SAFETY: the caller's.
        unsafe {
            // For TLS 1.2, the default provider may make an IV.
            let is_of_tls = Param::names(list).any(is_of_tls);
            if is_of_tls && !matches!(self.state, State::Ended(_)) && !self.hand_over() {
                return 0;
            }
            let (State::Done(tag) | State::Ended(tag), true) = (self.state, self.encrypts) else {
                return self.apart.get(list);
            };
            let made = self.engine_tag_len().unwrap_or(0);
            let mut at = list;
            while !(*at).key.is_null() {
                let param = &mut *at;
                if CStr::from_ptr(param.key) == c"tag" {
                    let wanted = if param.data.is_null() { made } else { param.data_size };
                    if !(1..=made).contains(&wanted) || !param.put_bytes(&tag[..wanted]) {
                        return fail(c"get_ctx_params", &format!("a tag has 1 to {made} bytes"));
                    }
                } else {
                    let mut one = [*param, Param::END];
                    if self.apart.get(one.as_mut_ptr()) != 1 {
                        return 0;
                    }
                    param.return_size = one[0].return_size;
                }
                at = at.add(1);
            }
        }
        1
    }

    unsafe fn set(&mut self, list: *const Param) -> c_int {
        if self.passes {
            // SAFETY: the caller's.
            return unsafe { self.apart.set(list) };
        }
        // SAFETY: the caller's.
        unsafe {
            let hands_over = match self.state {
                State::Open => Param::names(list).any(|name| name != c"tag" && name != c"padding"),
                State::Done(_) => true,
                State::Theirs | State::Ended(_) => false,
            };
            if hands_over && !self.hand_over() || self.apart.set(list) != 1 {
                return 0;
            }
            self.note(list);
        }
        1
    }
}

/// Whether a parameter is for the records of TLS 1.2.
fn is_of_tls(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"tls")
}

impl Aead {
    /// # Safety
    /// The list is libcrypto's.
    unsafe fn note(&mut self, list: *const Param) {
        // SAFETY: the caller's.
        unsafe {
            self.is_plain &= !Param::names(list).any(is_of_tls);
            let Some(param) = Param::find(list, c"tag") else { return };
            self.tag_len = (param.data_size <= MAX_TAG).then_some(param.data_size);
            let bytes = if param.data.is_null() { None } else { param.bytes() };
            if let (State::Open, Some(bytes), Some(len)) = (self.state, bytes, self.tag_len) {
                let mut tag = [0; MAX_TAG];
                tag[..len].copy_from_slice(bytes);
                self.expected = Some(tag);
            }
        }
    }
}
