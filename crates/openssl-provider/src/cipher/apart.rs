//! Contexts of the default provider's.

use std::ffi::{c_int, c_void};

use super::{Given, Piece};
use crate::interface::Param;
use crate::theirs::{CipherFunctions, provider_context};

/// A context of the default provider's, with its functions.
pub struct Apart {
    functions: &'static CipherFunctions,
    context: *mut c_void,
}

impl Drop for Apart {
    fn drop(&mut self) {
        // SAFETY: their function made it.
        unsafe { (self.functions.freectx)(self.context) };
    }
}

impl Apart {
    /// A new one; `None` where libcrypto has no memory for it.
    pub fn new(functions: &'static CipherFunctions) -> Option<Apart> {
        // SAFETY: the function is called with its provider's context.
        let context = unsafe { (functions.newctx)(provider_context()) };
        (!context.is_null()).then_some(Apart { functions, context })
    }

    /// A copy; `None` where libcrypto has no memory for it.
    pub fn copy(&self) -> Option<Apart> {
        let functions = self.functions;
        // SAFETY: their function made it.
        let context = unsafe { (functions.dupctx)(self.context) };
        (!context.is_null()).then_some(Apart { functions, context })
    }

    /// # Safety
    /// libcrypto's rules for what is given.
    pub unsafe fn init(&mut self, encrypts: bool, given: Given) -> c_int {
        let Given { key, key_len, iv, iv_len, list } = given;
        let init = match encrypts {
            true => self.functions.encrypt_init,
            false => self.functions.decrypt_init,
        };
        // SAFETY: the caller's.
        unsafe { init(self.context, key, key_len, iv, iv_len, list) }
    }

    /// # Safety
    /// libcrypto's rules for pieces.
    pub unsafe fn update(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        // SAFETY: the caller's.
        unsafe { (self.functions.update)(self.context, out, out_len, room, data, len) }
    }

    /// # Safety
    /// libcrypto's rules for places.
    pub unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
        // SAFETY: the caller's.
        unsafe { (self.functions.last)(self.context, out, out_len, room) }
    }

    /// # Safety
    /// libcrypto's rules for pieces.
    pub unsafe fn cipher(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        // SAFETY: the caller's.
        unsafe { (self.functions.cipher)(self.context, out, out_len, room, data, len) }
    }

    /// # Safety
    /// libcrypto's rules for lists.
    pub unsafe fn get(&self, list: *mut Param) -> c_int {
        // SAFETY: the caller's.
        unsafe { (self.functions.get)(self.context, list) }
    }

    /// # Safety
    /// libcrypto's rules for lists.
    pub unsafe fn set(&mut self, list: *const Param) -> c_int {
        // SAFETY: the caller's.
        unsafe { (self.functions.set)(self.context, list) }
    }
}
