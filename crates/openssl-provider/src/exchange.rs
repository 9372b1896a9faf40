//! Agreement on secrets, for libcrypto: X25519, and curves of NIST's.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use crate::interface::*;
use crate::job;
use crate::key::{Key, KeyType, Purpose};
use crate::libcrypto::{fail, functions};
use crate::operation::{Operation, put};

/// The operation, and the other side's key.
struct Context {
    operation: Operation,
    peer: Option<Arc<Key>>,
}

/// The functions of X25519 and ECDH.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_KEYEXCH_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_KEYEXCH_FREECTX => freectx as unsafe extern "C" fn(_),
    FUNC_KEYEXCH_DUPCTX => dupctx as unsafe extern "C" fn(_) -> _,
    FUNC_KEYEXCH_INIT => init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_KEYEXCH_SET_PEER => set_peer as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_DERIVE => derive as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_KEYEXCH_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// # Safety
/// `newctx` or `dupctx` made it.
unsafe fn context<'a>(pointer: *mut c_void) -> &'a mut Context {
    // SAFETY: the caller's.
    unsafe { &mut *pointer.cast::<Context>() }
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    Box::into_raw(Box::new(Context { operation: Operation::new(), peer: None })).cast()
}

unsafe extern "C" fn freectx(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<Context>()) });
    }
}

unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: `newctx` or `dupctx` made it.
    let Context { operation, peer } = unsafe { context(pointer) };
    Box::into_raw(Box::new(Context { operation: operation.copy(), peer: peer.clone() })).cast()
}

unsafe extern "C" fn init(pointer: *mut c_void, key: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let context = context(pointer);
        context.peer = None;
        context.operation.begin(key.cast(), list, functions().EVP_PKEY_derive_init_ex)
    }
}

unsafe extern "C" fn set_peer(pointer: *mut c_void, key: *mut c_void) -> c_int {
    if key.is_null() {
        return fail(c"keyexch_set_peer", "there is no key of the other side");
    }
    // SAFETY: libcrypto passes what was handed out. It has validated the key where it wants to.
    unsafe {
        let key = key.cast::<Key>().cast_const();
        Arc::increment_strong_count(key);
        let (context, key) = (context(pointer), Arc::from_raw(key));
        let (operation, pkey) = (&context.operation, key.pkey());
        let set = (functions().EVP_PKEY_derive_set_peer_ex)(operation.context, pkey, 0);
        context.peer = Some(key);
        c_int::from(set == 1)
    }
}

/// Whether the secret is wanted as it is, and not hashed.
fn is_plain(operation: &Operation) -> bool {
    match operation.key.as_ref().map(|key| key.key_type) {
        Some(KeyType::X25519) => true,
        // P-256 has the cofactor 1, so that its mode does not matter.
        Some(KeyType::Ec) => operation.text(c"kdf-type").is_empty(),
        _ => false,
    }
}

unsafe extern "C" fn derive(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and places.
    unsafe {
        let Context { operation, peer } = context(pointer);
        if !out.is_null()
            && job::is_inside()
            && is_plain(operation)
            && let Some(peer) = peer.as_ref().and_then(|peer| peer.public_bytes())
            && let Some(made) = operation.ask(Purpose::Agree, &peer, None)
        {
            return made.map_or(0, |made| put(&made, out, out_len, room));
        }
        if !out.is_null() {
            *out_len = room;
        }
        (functions().EVP_PKEY_derive)(operation.context, out, out_len)
    }
}

unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { context(pointer).operation.get(list) }
}

unsafe extern "C" fn gettable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    // SAFETY: libcrypto passes what was handed out, or null, for which there is no list.
    unsafe { if pointer.is_null() { ptr::null() } else { context(pointer).operation.gettable() } }
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { context(pointer).operation.set(list) }
}

unsafe extern "C" fn settable_ctx_params(pointer: *mut c_void, _: *mut c_void) -> *const Param {
    // SAFETY: libcrypto passes what was handed out, or null, for which there is no list.
    unsafe { if pointer.is_null() { ptr::null() } else { context(pointer).operation.settable() } }
}
