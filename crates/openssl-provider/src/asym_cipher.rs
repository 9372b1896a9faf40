//! Encryption with RSA, for libcrypto.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use broadloom::HashAlgorithm;
use broadloom::public_key::{Padding, Scheme};

use crate::digest::{given, hash_named};
use crate::interface::*;
use crate::key::Purpose;
use crate::operation::{
    Context, Operation, context, dupctx, freectx, get_ctx_params, hand_out, listed, put_or,
    set_ctx_params,
};
use crate::theirs::{AsymCipherFunctions, Found, provider_context};

/// RSA's functions.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_ASYM_CIPHER_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_FREECTX => freectx::<Encryption> as unsafe extern "C" fn(_),
    FUNC_ASYM_CIPHER_DUPCTX => dupctx::<Encryption> as unsafe extern "C" fn(_) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT_INIT => encrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_ENCRYPT => encrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT_INIT => decrypt_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_ASYM_CIPHER_DECRYPT => decrypt as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_ASYM_CIPHER_GET_CTX_PARAMS =>
        get_ctx_params::<Encryption> as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS =>
        gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SET_CTX_PARAMS =>
        set_ctx_params::<Encryption> as unsafe extern "C" fn(_, _) -> _,
    FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS =>
        settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// The default provider's functions; `None` where it lacks RSA.
static THEIRS: LazyLock<Option<Found<AsymCipherFunctions>>> =
    LazyLock::new(|| Found::<AsymCipherFunctions>::find(c"RSA"));

/// Encryption or decryption with a key.
struct Encryption {
    theirs: &'static AsymCipherFunctions,
    operation: Operation,
}

/// libcrypto's numbers of paddings.
const PKCS1: i32 = 1;
const NONE: i32 = 3;
const OAEP: i32 = 4;

impl Context for Encryption {
    fn copy(&self) -> Encryption {
        Encryption { theirs: self.theirs, operation: self.operation.copy() }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    let Some(Found { functions, contexts }) = &*THEIRS else { return ptr::null_mut() };
    // SAFETY: the function is called with its provider's context.
    let context = unsafe { (functions.newctx)(provider_context()) };
    hand_out(Encryption { theirs: functions, operation: Operation::new(contexts, context) })
}

unsafe extern "C" fn gettable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    let list = THEIRS.as_ref().and_then(|found| found.contexts.gettable);
    // SAFETY: libcrypto passes what was handed out, or null.
    unsafe { listed::<Encryption>(pointer, list) }
}

unsafe extern "C" fn settable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    let list = THEIRS.as_ref().and_then(|found| found.contexts.settable);
    // SAFETY: as above.
    unsafe { listed::<Encryption>(pointer, list) }
}

unsafe extern "C" fn encrypt_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let Encryption { theirs, operation } = context(pointer);
        operation.begin(key.cast(), list, theirs.encrypt_init)
    }
}

unsafe extern "C" fn decrypt_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let Encryption { theirs, operation } = context(pointer);
        operation.begin(key.cast(), list, theirs.decrypt_init)
    }
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
        let Encryption { theirs, operation } = context(pointer);
        let made = operation
            .may_ask(out)
            .then(|| scheme(operation))
            .flatten()
            .and_then(|scheme| operation.ask(Purpose::Encrypt(scheme), given(data, len), None));
        put_or(made, out, out_len, room, || {
            (theirs.encrypt)(operation.context, out, out_len, room, data, len)
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
        let Encryption { theirs, operation } = context(pointer);
        let made = operation
            .may_ask(out)
            .then(|| scheme(operation))
            .flatten()
            .and_then(|scheme| operation.ask(Purpose::Decrypt(scheme), given(data, len), None));
        put_or(made, out, out_len, room, || {
            (theirs.decrypt)(operation.context, out, out_len, room, data, len)
        })
    }
}
