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

    /// A new one of the same cipher; `None` where libcrypto has no memory for it.
    pub fn fresh(&self) -> Option<Apart> {
        Apart::new(self.functions)
    }

    /// A copy; `None` where libcrypto has no memory for it.
    pub fn copy(&self) -> Option<Apart> {
        let functions = self.functions;
        // SAFETY: their function made it.
        let context = unsafe { (functions.dupctx)(self.context) };
        (!context.is_null()).then_some(Apart { functions, context })
    }

    /// # Safety
    /// What is given keeps libcrypto's rules, as [`Given`] defines them.
    pub unsafe fn init(&mut self, encrypts: bool, given: Given) -> c_int {
        let Given { key, key_len, iv, iv_len, list } = given;
        let init = match encrypts {
            true => self.functions.encrypt_init,
            false => self.functions.decrypt_init,
        };
        // SAFETY: the context is that of these functions; what is given keeps libcrypto's rules, by
        // this function's contract.
        unsafe { init(self.context, key, key_len, iv, iv_len, list) }
    }

    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    pub unsafe fn update(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract.
        unsafe { self.pass(out, out_len, room, data, len) }
    }

    /// Updates with a piece whose parts libcrypto passed in this order.
    ///
    /// # Safety
    /// A [`Piece`] of these parts keeps libcrypto's rules.
    #[inline(always)]
    pub unsafe fn pass(
        &self,
        out: *mut u8,
        out_len: *mut usize,
        room: usize,
        data: *const u8,
        len: usize,
    ) -> c_int {
        // SAFETY: the context is that of these functions; the piece keeps libcrypto's rules, by
        // this function's contract.
        unsafe { (self.functions.update)(self.context, out, out_len, room, data, len) }
    }

    /// # Safety
    /// `out` is writable for `room` bytes, and `out_len` is writable.
    pub unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
        // SAFETY: the context is that of these functions; the places keep libcrypto's rules, by
        // this function's contract.
        unsafe { (self.functions.last)(self.context, out, out_len, room) }
    }

    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    pub unsafe fn cipher(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        // SAFETY: the context is that of these functions; the piece keeps libcrypto's rules, by
        // this function's contract.
        unsafe { (self.functions.cipher)(self.context, out, out_len, room, data, len) }
    }

    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub unsafe fn get(&self, list: *mut Param) -> c_int {
        // SAFETY: the context is that of these functions; the list is valid, by this function's
        // contract.
        unsafe { (self.functions.get)(self.context, list) }
    }

    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub unsafe fn set(&mut self, list: *const Param) -> c_int {
        // SAFETY: the context is that of these functions; the list is valid, by this function's
        // contract.
        unsafe { (self.functions.set)(self.context, list) }
    }
}
