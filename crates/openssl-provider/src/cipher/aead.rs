//! Modes with authentication.
//!
//! The engine takes messages whole: associated data, one piece of text, and its end. So associated
//! data are kept until the text comes. Messages in the usual order never reach the default
//! provider's context. On a call in any other order, that context [does the message
//! again](replay), so that it answers as if it had been alone.

mod parameters;
mod replay;

use std::ffi::c_int;
use std::ptr;

use broadloom::AeadAlgorithm;
use broadloom::error::JobError;

use super::apart::Apart;
use super::keyed::{Keyed, Purpose};
use super::trial::{self, Tried};
use super::{Cipher, Given, Piece};
use crate::digest::given;
use crate::interface::{OCTETS, Param};
use crate::job;
use crate::libcrypto::fail;
use crate::line::{Place, Tag, Text, process, process_beside};
use crate::pipe;
use crate::settings;

/// Returns `true` if the engine may be faster alone; otherwise it is beside other messages.
fn is_fast_alone(algorithm: AeadAlgorithm) -> bool {
    matches!(algorithm, AeadAlgorithm::AesGcm(_))
}

/// Bytes of a text from which on the engine may be faster.
fn least(algorithm: AeadAlgorithm) -> usize {
    if is_fast_alone(algorithm) { 1 } else { settings::bulk_threshold() }
}

/// Bytes of associated data that are kept, at most.
const MOST_KEPT: usize = 1 << 16;

/// Bytes of the longest IV that is kept.
const MAX_IV: usize = 16;

/// Who processes the message.
#[derive(Debug, Clone, Copy)]
enum AeadState {
    /// The default provider.
    Theirs,
    /// That is open: no text came yet.
    Open,
    /// The engine processed the text, and made a tag or found one right.
    Done(Tag),
    /// The same, of a message that is over: another one needs another IV.
    Ended(Tag),
    /// The default provider could not do it again: another one needs another IV.
    Lost,
}

/// What CCM remembers beyond the other modes.
#[derive(Debug, Clone, Copy)]
struct Counted {
    /// The default provider's context remembers nothing of an earlier message.
    is_clean: bool,
    /// The length of the text, where it was told.
    len: Option<usize>,
    iv_len: usize,
    /// Bytes of the tag and of the IV when the key came: the default provider's CCM takes others
    /// with the next key alone.
    keyed: (Option<usize>, usize),
}

/// Bytes of the IV that the default provider's CCM begins with.
const CCM_IV: usize = 7;

/// A message that is sealed or opened.
pub struct Aead {
    /// The place of the algorithm among all.
    at: usize,
    apart: Apart,
    algorithm: AeadAlgorithm,
    keyed: Keyed,
    encrypts: bool,
    iv: [u8; MAX_IV],
    iv_len: usize,
    state: AeadState,
    associated: Vec<u8>,
    /// The ciphertext that the engine made or read.
    text: Vec<u8>,
    /// The tag that is expected, which came after this message was begun.
    expected: Option<Tag>,
    /// Bytes of the tag that is expected, or that CCM is to make.
    tag_len: Option<usize>,
    /// The last tag that was made, where the engine made it.
    made: Option<Tag>,
    counted: Counted,
    /// Neither are there parameters of TLS 1.2, nor do texts come in several pieces.
    is_plain: bool,
    /// The last text was long enough for the engine: so the next one may be.
    was_long: bool,
    /// Bytes of a text from which on the engine may be asked.
    least: usize,
    /// This length is known, and not to be found by a trial.
    is_tried: bool,
    /// Bytes of the IV that the default provider's context takes, if it has taken one.
    known_iv_len: Option<usize>,
    /// The default provider's context has not been given the IV of the message, and the tag to
    /// check, which it [gets](Aead::settle) when it is next needed.
    is_behind: bool,
}

impl Aead {
    pub fn new(at: usize, apart: Apart, algorithm: AeadAlgorithm) -> Aead {
        let known = trial::known(at, true);
        Aead {
            at,
            apart,
            algorithm,
            keyed: Keyed::new(),
            encrypts: false,
            iv: [0; MAX_IV],
            iv_len: 0,
            state: AeadState::Theirs,
            associated: Vec::new(),
            text: Vec::new(),
            expected: None,
            tag_len: None,
            made: None,
            counted: Counted { is_clean: true, len: None, iv_len: CCM_IV, keyed: (None, CCM_IV) },
            is_plain: true,
            was_long: false,
            least: known.unwrap_or_else(|| least(algorithm)),
            is_tried: known.is_some() || !is_fast_alone(algorithm),
            known_iv_len: None,
            is_behind: false,
        }
    }

    fn is_ccm(&self) -> bool {
        matches!(self.algorithm, AeadAlgorithm::AesCcm(_))
    }

    /// So many bytes of tag the engine makes or checks; `None` where there is none to check.
    fn engine_tag_len(&self) -> Option<usize> {
        match (self.algorithm, self.encrypts) {
            // The caller may take the first bytes of it.
            (AeadAlgorithm::AesGcm(_) | AeadAlgorithm::ChaCha20Poly1305, true) => Some(16),
            _ => self.tag_len,
        }
    }

    fn purpose(&self) -> Option<Purpose> {
        let len = self.engine_tag_len()?;
        Some(match self.encrypts {
            true => Purpose::Seal(self.algorithm, len),
            false => Purpose::Open(self.algorithm, len),
        })
    }

    /// Returns `true` if the engine may process the message that begins.
    fn is_ready(&mut self) -> bool {
        let is_clean = self.counted.is_clean || !self.is_ccm();
        if !(self.was_long && self.is_plain && is_clean) {
            return false;
        }
        if !is_fast_alone(self.algorithm) && !job::can_wait() {
            return false;
        }
        if !self.is_tried && self.keyed.is_earned() {
            // Sealing and opening take the same time.
            self.is_tried = true;
            self.least = trial::find(self.at, true, self, self.least);
            self.was_long = false;
            return false;
        }
        // Of an opening, the length of the tag may not be known yet.
        match self.purpose() {
            Some(purpose) => self.keyed.session(purpose).is_some(),
            None => !self.encrypts && self.keyed.is_earned(),
        }
    }

    /// Returns `true` if the message may have a text of this length, and the tag and IV that it
    /// has.
    fn takes(&self, len: usize) -> bool {
        let Counted { len: told, keyed, .. } = self.counted;
        !self.is_ccm()
            || told.is_none_or(|told| told == len) && keyed == (self.tag_len, self.iv_len)
    }

    /// The engine processes a text, which is the whole one so far; `None` where it does not.
    ///
    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    unsafe fn whole(&mut self, piece: Piece) -> Option<Result<Tag, JobError>> {
        let Piece { out, room, data, len, .. } = piece;
        if !self.was_long || room < len || !self.takes(len) {
            return None;
        }
        let purpose = self.purpose()?;
        let expected = if self.encrypts { None } else { Some(self.expected?) };
        let expected = expected.as_ref().zip(self.tag_len).map(|(tag, len)| &tag[..len]);
        // The texts of a pipeline come together, so that they share the lanes.
        let is_alone = is_fast_alone(self.algorithm) && !pipe::is_inside();
        let session = self.keyed.session(purpose)?;
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract, so that both
        // places are valid for `len` bytes.
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

    /// Has the default provider process a piece.
    ///
    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    unsafe fn theirs(&mut self, piece: Piece) -> c_int {
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract.
        let status = unsafe { self.apart.update(piece) };
        // Their CCM forgets a message that it has opened.
        let is_text = !piece.out.is_null();
        self.counted.is_clean = is_text && !self.encrypts && status == 1;
        if piece.data.is_null() && status == 1 {
            self.made = None;
        }
        status
    }

    /// Returns `true` if a message that begins so makes the default provider's context forget the
    /// one before, or else leaves it as it is.
    fn forgets(&self, encrypts: bool, begin: &Given) -> bool {
        let has_iv = !begin.iv.is_null();
        match self.state {
            AeadState::Theirs | AeadState::Lost => true,
            AeadState::Open if self.is_ccm() => {
                has_iv && self.counted.len.is_none() && self.expected.is_none()
            }
            AeadState::Done(_) if self.is_ccm() => false,
            AeadState::Open | AeadState::Done(_) => has_iv,
            AeadState::Ended(_) => {
                let changes = !begin.key.is_null() || encrypts != self.encrypts;
                // SAFETY: the list is libcrypto's.
                has_iv || !changes && unsafe { Param::each(begin.list) }.next().is_none()
            }
        }
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
        if !self.forgets(encrypts, &begin) && !self.hand_over() {
            return 0;
        }
        self.encrypts = encrypts;
        if self.begins_as_before(&begin) && self.is_ready() {
            self.is_behind = true;
            // SAFETY: `iv` is readable for `iv_len` bytes, by the contract of `init`.
            self.open(unsafe { given(begin.iv, begin.iv_len) });
            return 1;
        }
        if begin.iv.is_null() && !self.settle() {
            return 0;
        }
        self.is_behind = false;
        // SAFETY: the list is libcrypto's.
        unsafe { self.note_tls(begin.list) };
        // SAFETY: `begin` keeps libcrypto's rules for what is given, by the contract of `init`.
        if unsafe { self.apart.init(encrypts, begin) } != 1 {
            if !matches!(self.state, AeadState::Theirs) {
                self.state = AeadState::Lost;
            }
            return 0;
        }
        if !begin.key.is_null() {
            // SAFETY: `key` is null or readable for `key_len` bytes, by the contract of `init`.
            self.keyed.replace(unsafe { given(begin.key, begin.key_len) });
            self.counted.keyed = (self.tag_len, self.counted.iv_len);
        }
        let is_begun = !begin.iv.is_null();
        if is_begun {
            (self.state, self.expected) = (AeadState::Theirs, None);
        }
        // SAFETY: the list is libcrypto's.
        unsafe { self.note(begin.list) };
        if is_begun {
            self.known_iv_len = Some(begin.iv_len);
        }
        if is_begun && begin.iv_len <= MAX_IV && self.is_ready() {
            // SAFETY: `iv` is null or readable for `iv_len` bytes, by the contract of `init`.
            self.open(unsafe { given(begin.iv, begin.iv_len) });
        }
        1
    }

    #[inline(always)]
    fn pass_on(&mut self, is_text: bool, data: *const u8, len: usize) -> Option<&Apart> {
        // What becomes of a text that CCM opens must be seen, and of the end of others.
        let passes = match self.is_ccm() {
            true => !is_text || self.encrypts,
            false => !data.is_null(),
        };
        if !passes || !matches!(self.state, AeadState::Theirs) {
            return None;
        }
        self.counted.is_clean &= !self.is_ccm();
        if is_text {
            self.keyed.count(len);
            self.was_long = len >= self.least;
        }
        Some(&self.apart)
    }

    unsafe fn update(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, data, len, .. } = piece;
        let (is_text, is_ccm) = (!out.is_null(), self.is_ccm());
        if is_text {
            self.keyed.count(len);
            self.was_long = len >= self.least;
        }
        // SAFETY: the piece keeps libcrypto's rules, by the contract of `update`.
        unsafe {
            match self.state {
                // Nothing, in every mode but CCM.
                AeadState::Open | AeadState::Done(_) if len == 0 && !is_ccm => {
                    *out_len = 0;
                    return 1;
                }
                AeadState::Open if is_text && len > 0 => match self.whole(piece) {
                    None => {}
                    Some(Ok(tag)) => {
                        // Their CCM forgets a message that it has opened.
                        let is_over = is_ccm && !self.encrypts;
                        self.state =
                            if is_over { AeadState::Ended(tag) } else { AeadState::Done(tag) };
                        *out_len = len;
                        return 1;
                    }
                    Some(Err(error)) if self.encrypts => {
                        return fail(c"cipher_update", &error.to_string());
                    }
                    Some(Err(_)) => return self.begins(piece),
                },
                // CCM is told the length of the text, before all else.
                AeadState::Open if !is_text && data.is_null() && self.may_count() => {
                    self.counted.len = Some(len);
                    *out_len = len;
                    return 1;
                }
                AeadState::Open if !is_text && !data.is_null() && self.may_keep(len) => {
                    self.associated.extend_from_slice(given(data, len));
                    *out_len = len;
                    return 1;
                }
                _ => {}
            }
            c_int::from(self.hand_over() && self.theirs(piece) == 1)
        }
    }

    unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
        // SAFETY: the places keep libcrypto's rules, by the contract of `last`.
        unsafe {
            match self.state {
                // CCM's messages end with their text, or when the tag is asked for.
                AeadState::Done(_) | AeadState::Ended(_) if self.is_ccm() => {
                    *out_len = 0;
                    return 1;
                }
                AeadState::Done(tag) => {
                    self.state = AeadState::Ended(tag);
                    if self.encrypts {
                        self.made = Some(tag);
                    }
                    *out_len = 0;
                    return 1;
                }
                _ => {}
            }
            let is_ended = self.hand_over() && self.apart.last(out, out_len, room) == 1;
            if is_ended && self.encrypts {
                self.made = None;
            }
            c_int::from(is_ended)
        }
    }

    unsafe fn cipher(&mut self, piece: Piece) -> c_int {
        if !self.hand_over() || !self.settle() {
            return 0;
        }
        self.counted.is_clean = false;
        // SAFETY: the piece keeps libcrypto's rules, by the contract of `cipher`.
        let status = unsafe { self.apart.cipher(piece) };
        if piece.data.is_null() && status == 1 {
            self.made = None;
        }
        status
    }

    unsafe fn get(&mut self, list: *mut Param) -> c_int {
        // SAFETY: the list is valid, by the contract of `get`.
        unsafe { self.parameters(list) }
    }

    unsafe fn set(&mut self, list: *const Param) -> c_int {
        // SAFETY: the list is valid, by the contract of `set`.
        unsafe { self.set_parameters(list) }
    }

    fn expect_long_texts(&mut self, other: Option<&Aead>) {
        self.keyed.earn(other.map(|other| &other.keyed));
        self.was_long = true;
        self.ask_from(least(self.algorithm));
    }
}

impl Tried for Aead {
    fn twin(&self) -> Option<Aead> {
        let mut twin = Aead::new(self.at, self.apart.fresh()?, self.algorithm);
        let key: Vec<u8> = (0..self.keyed.key_len()).map(|at| at as u8).collect();
        let (key, key_len, list) = (key.as_ptr(), key.len(), ptr::null());
        let (iv, iv_len) = (TRIAL_IV.as_ptr(), TRIAL_IV.len());
        // SAFETY: so many bytes are there, and the list is empty.
        let is_begun = unsafe { twin.init(true, Given { key, key_len, iv, iv_len, list }) };
        twin.expect_long_texts(None);
        (is_begun == 1).then_some(twin)
    }

    fn ask_from(&mut self, least: usize) {
        (self.is_tried, self.least) = (true, least);
        self.was_long &= least != usize::MAX;
    }

    fn process(&mut self, text: &mut [u8]) -> bool {
        let (iv, iv_len, list) = (TRIAL_IV.as_ptr(), TRIAL_IV.len(), ptr::null());
        let begin = Given { key: ptr::null(), key_len: 0, iv, iv_len, list };
        let (mut written, len) = (0, text.len());
        let (out, data) = (text.as_mut_ptr(), text.as_ptr());
        let piece = Piece { out, out_len: &mut written, room: len, data, len };
        let associated = Piece { out: ptr::null_mut(), data: iv, len: iv_len, ..piece };
        let mut tag = [0; 16];
        // SAFETY: so many bytes are there; the text is borrowed, and is processed in place.
        unsafe {
            let mut list = [Param::room(c"tag", OCTETS, &mut tag), Param::END];
            self.init(true, begin) == 1
                && self.update(associated) == 1
                && self.update(piece) == 1
                && self.last(out, &mut written, len) == 1
                && self.get(list.as_mut_ptr()) == 1
        }
    }
}

/// The IV of the texts of trials, whose key is known to everybody.
const TRIAL_IV: [u8; 12] = [0; 12];

impl Aead {
    /// Returns `true` if a message begins with nothing but another IV of the same length, so that
    /// the default provider's context would take it, and need not be given it at once.
    fn begins_as_before(&self, begin: &Given) -> bool {
        let has_new_iv = !begin.iv.is_null() && self.known_iv_len == Some(begin.iv_len);
        has_new_iv
            && begin.iv_len <= MAX_IV
            && begin.key.is_null()
            && is_fast_alone(self.algorithm)
            // SAFETY: the list is libcrypto's.
            && unsafe { Param::each(begin.list) }.next().is_none()
    }

    /// Begins a message that the engine may process.
    fn open(&mut self, iv: &[u8]) {
        self.iv[..iv.len()].copy_from_slice(iv);
        self.iv_len = iv.len();
        self.associated.clear();
        self.counted.len = None;
        self.expected = None;
        self.state = AeadState::Open;
    }

    /// Returns `true` if the length of the text may be told now.
    fn may_count(&self) -> bool {
        self.is_ccm() && self.counted.len.is_none() && self.associated.is_empty()
    }

    /// Returns `true` if associated data of so many bytes are kept.
    fn may_keep(&self, len: usize) -> bool {
        match self.is_ccm() {
            true => self.counted.len.is_some() && self.associated.is_empty() && len <= MOST_KEPT,
            false => self.associated.len() + len <= MOST_KEPT,
        }
    }
}
