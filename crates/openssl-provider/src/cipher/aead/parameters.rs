//! Parameters of a message: those that the engine must know of, and the tag.

use std::ffi::c_int;
use std::ptr;

use broadloom::algorithm::MAX_TAG;

use super::{Aead, AeadState, is_fast_alone};
use crate::interface::{OCTETS, Param};

/// Returns `true` if a parameter is for the records of TLS 1.2.
///
/// # Safety
/// The parameter belongs to a valid list, as [`Param`] defines it.
unsafe fn is_of_tls(param: &Param) -> bool {
    // SAFETY: the parameter has a name, by this function's contract.
    unsafe { param.begins_with(b"tls") }
}

impl Aead {
    /// Gets parameters.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub(super) unsafe fn parameters(&mut self, list: *mut Param) -> c_int {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values, or room, as their types say.
        unsafe {
            // libcrypto asks for this one before each message.
            if let (Some(param), Some(len)) = (Param::only(list, c"ivlen"), self.known_iv_len) {
                return c_int::from(param.put_unsigned(len as u64));
            }
            if matches!(self.state, AeadState::Theirs) && self.made.is_none() {
                let is_got = self.apart.get(list) == 1;
                let is_ccm = self.is_ccm();
                self.counted.is_clean |= is_ccm && is_got && Param::find(list, c"tag").is_some();
                return c_int::from(is_got);
            }
            // For TLS 1.2, the default provider may make an IV.
            if Param::each(list).any(|param| is_of_tls(param)) && !self.hand_over() {
                return 0;
            }
            let mut at = list;
            while !(*at).key.is_null() {
                let param = &mut *at;
                let is_tag = param.is(c"tag");
                if !(is_tag && self.put_tag(param)) {
                    if !self.settle() {
                        return 0;
                    }
                    let mut one = [*param, Param::END];
                    if self.apart.get(one.as_mut_ptr()) != 1 {
                        return 0;
                    }
                    param.return_size = one[0].return_size;
                    self.counted.is_clean |= is_tag;
                }
                at = at.add(1);
            }
        }
        1
    }

    /// Sets parameters.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub(super) unsafe fn set_parameters(&mut self, list: *const Param) -> c_int {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values as their types say.
        unsafe {
            // libcrypto sets this one before each message, if the program ever did, and nothing of
            // GCM depends on it.
            if is_fast_alone(self.algorithm) && Param::only(list, c"padding").is_some() {
                return 1;
            }
            let hands_over = match self.state {
                AeadState::Theirs => return self.give(list),
                AeadState::Lost => false,
                AeadState::Open => {
                    Param::each(list).any(|param| !param.is(c"tag") && !param.is(c"padding"))
                }
                AeadState::Done(_) => true,
                AeadState::Ended(_) => !self.is_known(list),
            };
            if hands_over && !self.hand_over() {
                return 0;
            }
            if self.is_behind && self.takes_tag(list) {
                self.note(list);
                return 1;
            }
            if !self.settle() {
                return 0;
            }
            // Their CCM would remember the tag of a message that it does not see.
            let keeps_back =
                self.is_ccm() && !self.encrypts && matches!(self.state, AeadState::Open);
            let Some(tag) = keeps_back.then(|| Param::find(list, c"tag")).flatten() else {
                return self.give(list);
            };
            let none = [Param { data: ptr::null_mut(), ..*tag }, Param::END];
            let is_set = self.apart.set(none.as_ptr()) == 1;
            if is_set {
                self.note(list);
            }
            c_int::from(is_set)
        }
    }

    /// Gives parameters to the default provider, and notes those that it takes.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn give(&mut self, list: *const Param) -> c_int {
        // SAFETY: the list is valid, by this function's contract.
        unsafe {
            self.note_tls(list);
            let is_set = self.apart.set(list) == 1;
            if is_set {
                self.note(list);
            }
            c_int::from(is_set)
        }
    }

    /// Returns `true` if a list has nothing but the tag that an open message is to be checked
    /// against, which the default provider's context would take.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn takes_tag(&self, list: *const Param) -> bool {
        // SAFETY: the list is valid, by this function's contract.
        let Some(tag) = (unsafe { Param::only(list, c"tag") }) else { return false };
        let is_tag = tag.data_type == OCTETS && !tag.data.is_null();
        let is_open = matches!(self.state, AeadState::Open) && !self.encrypts;
        is_open && is_tag && (1..=16).contains(&tag.data_size)
    }

    /// Returns `true` if parameters are what they were before.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn is_known(&self, list: *const Param) -> bool {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values as their types say.
        unsafe {
            let lens = Param::find(list, c"ivlen").map(|param| param.unsigned());
            let tag = Param::find(list, c"tag");
            let is_harmless =
                |param: &Param| param.is(c"ivlen") || param.is(c"tag") || param.is(c"padding");
            Param::each(list).all(is_harmless)
                && lens.is_none_or(|len| len == Some(self.iv_len as u64))
                && tag.is_none_or(|tag| tag.data.is_null() && Some(tag.data_size) == self.tag_len)
        }
    }

    /// Writes the tag where the engine has made the one that is asked for.
    ///
    /// # Safety
    /// The parameter belongs to a valid list, as [`Param`] defines it, and has room for a value.
    unsafe fn put_tag(&mut self, param: &mut Param) -> bool {
        let (tag, least) = match (self.state, self.is_ccm()) {
            (AeadState::Done(tag), true) => (Some(tag), self.tag_len.unwrap_or(MAX_TAG)),
            (_, true) => (None, 0),
            (_, false) => (self.made, 1),
        };
        let made = self.engine_tag_len().unwrap_or(0);
        let wanted = if param.data.is_null() { made } else { param.data_size };
        let Some(tag) = tag.filter(|_| self.encrypts && (least..=made).contains(&wanted)) else {
            return false;
        };
        // SAFETY: the parameter has room as its type says, by this function's contract.
        let is_put = unsafe { param.put_bytes(&tag[..wanted]) };
        if is_put && self.is_ccm() {
            self.state = AeadState::Ended(tag);
        }
        is_put
    }

    /// Keeps the engine away from messages that follow parameters of TLS 1.2. The default provider
    /// remembers these parameters even where it refuses them.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub(super) unsafe fn note_tls(&mut self, list: *const Param) {
        // SAFETY: the list is valid, by this function's contract.
        self.is_plain &= !unsafe { Param::each(list).any(|param| is_of_tls(param)) };
    }

    /// Notes parameters that the default provider has taken.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub(super) unsafe fn note(&mut self, list: *const Param) {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values as their types say.
        unsafe {
            if let Some(param) = Param::find(list, c"ivlen") {
                self.known_iv_len = None;
                if let Some(len) = param.unsigned() {
                    self.counted.iv_len = len as usize;
                }
            }
            let Some(param) = Param::find(list, c"tag") else { return };
            self.made = None;
            self.tag_len = (param.data_size <= MAX_TAG).then_some(param.data_size);
            let bytes = if param.data.is_null() { None } else { param.bytes() };
            match (self.state, bytes, self.tag_len) {
                (AeadState::Open, Some(bytes), Some(len)) => {
                    let mut tag = [0; MAX_TAG];
                    tag[..len].copy_from_slice(bytes);
                    self.expected = Some(tag);
                }
                (_, Some(_), _) => self.counted.is_clean = false,
                _ => {}
            }
        }
    }
}
