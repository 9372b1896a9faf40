//! Encryption with RSA, for libcrypto.

use std::ffi::{c_int, c_void};

use broadloom::HashAlgorithm;
use broadloom::public_key::{Padding, Scheme};

use crate::digest::{given, hash_named};
use crate::interface::*;
use crate::key::Purpose;
use crate::libcrypto::functions;
use crate::operation::{
    Begin, Context, Operation, context, dupctx, freectx, get_ctx_params, gettable_ctx_params,
    newctx, put_or, set_ctx_params, settable_ctx_params,
};

/// RSA's functions.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_ASYM_CIPHER_NEWCTX => newctx::<Operation> as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_FREECTX => freectx::<Operation> as unsafe extern "C" fn(_),
    FUNC_ASYM_CIPHER_DUPCTX => dupctx::<Operation> as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT_INIT => encrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT => encrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT_INIT => decrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT => decrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_GET_CTX_PARAMS =>
        get_ctx_params::<Operation> as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS =>
        gettable_ctx_params::<Operation> as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SET_CTX_PARAMS =>
        set_ctx_params::<Operation> as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS =>
        settable_ctx_params::<Operation> as unsafe extern "C" fn(_, _) -> _,
];

/// libcrypto's numbers of paddings.
const PKCS1: i32 = 1;
const NONE: i32 = 3;
const OAEP: i32 = 4;

impl Context for Operation {
    fn new() -> Operation {
        Operation::new()
    }

    fn copy(&self) -> Operation {
        Operation::copy(self)
    }

    fn operation(&mut self) -> &mut Operation {
        self
    }
}

/// # Safety
/// libcrypto passes what was handed out, and its list.
unsafe fn begin(pointer: *mut c_void, key: *mut c_void, list: *const Param, begin: Begin) -> c_int {
    // SAFETY: the pointer is a context of this type, and the key and the list are libcrypto's, by
    // this function's contract.
    unsafe { context::<Operation>(pointer).begin(key.cast(), list, begin) }
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

/// Returns what the lanes are asked for, or `None` if libcrypto computes it.
fn scheme(operation: &Operation) -> Option<Scheme> {
    match operation.number(c"pad-mode")? {
        // The lanes reject a wrong padding implicitly. libcrypto does since 3.2, unless told.
        PKCS1 => (operation.number(c"implicit-rejection") != Some(0))
            .then(|| Scheme::new(HashAlgorithm::Sha256)),
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
        let operation = context::<Operation>(pointer);
        let made = operation
            .may_ask(out)
            .then(|| scheme(operation))
            .flatten()
            .and_then(|scheme| operation.ask(Purpose::Encrypt(scheme), given(data, len), None));
        put_or(made, out, out_len, room, || {
            (functions().EVP_PKEY_encrypt)(operation.context, out, out_len, data, len)
        })
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
        let operation = context::<Operation>(pointer);
        let made = operation
            .may_ask(out)
            .then(|| scheme(operation))
            .flatten()
            .and_then(|scheme| operation.ask(Purpose::Decrypt(scheme), given(data, len), None));
        put_or(made, out, out_len, room, || {
            (functions().EVP_PKEY_decrypt)(operation.context, out, out_len, data, len)
        })
    }
}
