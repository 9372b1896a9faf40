//! Parameters of a message: those that the engine must know of, and the tag.

use std::ffi::{CStr, c_int};
use std::ptr;

use broadloom::algorithm::MAX_TAG;

use super::{Aead, AeadState};
use crate::interface::Param;

/// Returns `true` if a parameter is for the records of TLS 1.2.
fn is_of_tls(name: &CStr) -> bool {
    name.to_bytes().starts_with(b"tls")
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
            let is_theirs = matches!(self.state, AeadState::Theirs) && self.made.is_none();
            if is_theirs && !self.is_ccm() {
                return self.apart.get(list);
            }
            // For TLS 1.2, the default provider may make an IV.
            if Param::names(list).any(is_of_tls) && !self.hand_over() {
                return 0;
            }
            let mut at = list;
            while !(*at).key.is_null() {
                let param = &mut *at;
                let is_tag = CStr::from_ptr(param.key) == c"tag";
                if !(is_tag && self.put_tag(param)) {
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
            let hands_over = match self.state {
                AeadState::Theirs | AeadState::Lost => false,
                AeadState::Open => {
                    Param::names(list).any(|name| name != c"tag" && name != c"padding")
                }
                AeadState::Done(_) => true,
                AeadState::Ended(_) => !self.is_known(list),
            };
            if hands_over && !self.hand_over() {
                return 0;
            }
            self.note_tls(list);
            // Their CCM would remember the tag of a message that it does not see.
            let keeps_back =
                self.is_ccm() && !self.encrypts && matches!(self.state, AeadState::Open);
            let tag = keeps_back.then(|| Param::find(list, c"tag")).flatten();
            let set = match tag {
                Some(tag) => {
                    let none = [Param { data: ptr::null_mut(), ..*tag }, Param::END];
                    self.apart.set(none.as_ptr())
                }
                None => self.apart.set(list),
            };
            if set == 1 {
                self.note(list);
            }
            c_int::from(set == 1)
        }
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
            let mut names = Param::names(list);
            names.all(|name| name == c"ivlen" || name == c"tag" || name == c"padding")
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
        self.is_plain &= !unsafe { Param::names(list) }.any(is_of_tls);
    }

    /// Notes parameters that the default provider has taken.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub(super) unsafe fn note(&mut self, list: *const Param) {
        // SAFETY: the list is valid, by this function's contract, so that its parameters have
        // values as their types say.
        unsafe {
            if let Some(len) = Param::find(list, c"ivlen").and_then(|param| param.unsigned()) {
                self.counted.iv_len = len as usize;
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
