//! Encryption with RSA, for libcrypto.

use std::ffi::{c_int, c_void};
use std::ptr;

use broadloom::HashAlgorithm;
use broadloom::public_key::{Padding, Scheme};

use crate::digest::{given, hash_named};
use crate::interface::*;
use crate::job;
use crate::key::Purpose;
use crate::libcrypto::functions;
use crate::operation::{Begin, Operation, put};

/// RSA's functions.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_ASYM_CIPHER_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_FREECTX => freectx as unsafe extern "C" fn(_),
    FUNC_ASYM_CIPHER_DUPCTX => dupctx as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT_INIT => encrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT => encrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT_INIT => decrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT => decrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// libcrypto's numbers of paddings.
const PKCS1: i32 = 1;
const NONE: i32 = 3;
const OAEP: i32 = 4;

/// # Safety
/// `newctx` or `dupctx` made it.
unsafe fn operation<'a>(pointer: *mut c_void) -> &'a mut Operation {
    // SAFETY: the caller's.
    unsafe { &mut *pointer.cast::<Operation>() }
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    Box::into_raw(Box::new(Operation::new())).cast()
}

unsafe extern "C" fn freectx(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<Operation>()) });
    }
}

unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: `newctx` or `dupctx` made it.
    let copy = unsafe { operation(pointer) }.copy();
    Box::into_raw(Box::new(copy)).cast()
}

/// # Safety
/// libcrypto passes what was handed out, and its list.
unsafe fn begin(pointer: *mut c_void, key: *mut c_void, list: *const Param, begin: Begin) -> c_int {
    // SAFETY: the caller's.
    unsafe { operation(pointer).begin(key.cast(), list, begin) }
}

unsafe extern "C" fn encrypt_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe { begin(pointer, key, list, functions().EVP_PKEY_encrypt_init_ex) }
}

unsafe extern "C" fn decrypt_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, key, list, functions().EVP_PKEY_decrypt_init_ex) }
}

/// What the lanes are asked for; `None` is for libcrypto to compute.
fn scheme(operation: &Operation) -> Option<Scheme> {
    match operation.number(c"pad-mode")? {
        PKCS1 => Some(Scheme::new(HashAlgorithm::Sha256)),
        NONE => Some(Scheme::bare()),
        OAEP => {
            let hash = operation.hash()?.ok()?;
            let is_plain =
                hash_named(&operation.text(c"mgf1-digest")) == Some(hash) && !operation.has_label();
            is_plain.then(|| Scheme::new(hash).padding(Padding::Oaep))
        }
        _ => None,
    }
}

unsafe extern "C" fn encrypt(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let operation = operation(pointer);
        if !out.is_null()
            && job::is_inside()
            && let Some(scheme) = scheme(operation)
            && let Some(made) = operation.ask(Purpose::Encrypt(scheme), given(data, len), None)
        {
            return made.map_or(0, |made| put(&made, out, out_len, room));
        }
        if !out.is_null() {
            *out_len = room;
        }
        (functions().EVP_PKEY_encrypt)(operation.context, out, out_len, data, len)
    }
}

unsafe extern "C" fn decrypt(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let operation = operation(pointer);
        if !out.is_null()
            && job::is_inside()
            && let Some(scheme) = scheme(operation)
            && let Some(made) = operation.ask(Purpose::Decrypt(scheme), given(data, len), None)
        {
            return made.map_or(0, |made| put(&made, out, out_len, room));
        }
        if !out.is_null() {
            *out_len = room;
        }
        (functions().EVP_PKEY_decrypt)(operation.context, out, out_len, data, len)
    }
}

unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { operation(pointer).get(list) }
}

unsafe extern "C" fn gettable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    // SAFETY: libcrypto passes what was handed out, or null, for which there is no list.
    unsafe { if pointer.is_null() { ptr::null() } else { operation(pointer).gettable() } }
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { operation(pointer).set(list) }
}

unsafe extern "C" fn settable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    // SAFETY: libcrypto passes what was handed out, or null, for which there is no list.
    unsafe { if pointer.is_null() { ptr::null() } else { operation(pointer).settable() } }
}
