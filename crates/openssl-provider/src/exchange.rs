//! Agreement on secrets, for libcrypto: X25519, and curves of NIST's.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::interface::*;
use crate::key::{Key, KeyType, Purpose};
use crate::libcrypto::{fail, functions};
use crate::operation::{
    Context, Operation, context, dupctx, freectx, get_ctx_params, gettable_ctx_params, newctx,
    put_or, set_ctx_params, settable_ctx_params,
};

/// The operation, and the other side's key.
struct Agreement {
    operation: Operation,
    peer: Option<Arc<Key>>,
}

/// The functions of X25519 and ECDH.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_KEYEXCH_NEWCTX => newctx::<Agreement> as unsafe extern "C" fn(_) -> _,
    FUNC_KEYEXCH_FREECTX => freectx::<Agreement> as unsafe extern "C" fn(_),
    FUNC_KEYEXCH_DUPCTX => dupctx::<Agreement> as unsafe extern "C" fn(_) -> _,
    FUNC_KEYEXCH_INIT => init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_KEYEXCH_SET_PEER => set_peer as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_DERIVE => derive as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_KEYEXCH_GET_CTX_PARAMS => get_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_GETTABLE_CTX_PARAMS =>
        gettable_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_SET_CTX_PARAMS => set_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEYEXCH_SETTABLE_CTX_PARAMS =>
        settable_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
];

impl Context for Agreement {
    fn new() -> Agreement {
        Agreement { operation: Operation::new(), peer: None }
    }

    fn copy(&self) -> Agreement {
        Agreement { operation: self.operation.copy(), peer: self.peer.clone() }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

unsafe extern "C" fn init(pointer: *mut c_void, key: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let context = context::<Agreement>(pointer);
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
        let (context, key) = (context::<Agreement>(pointer), Arc::from_raw(key));
        let (operation, pkey) = (&context.operation, key.pkey());
        let set = (functions().EVP_PKEY_derive_set_peer_ex)(operation.context, pkey, 0);
        context.peer = Some(key);
        c_int::from(set == 1)
    }
}

/// Returns `true` if the secret is wanted as it is, and not hashed.
fn is_plain(operation: &Operation) -> bool {
    match operation.key.as_ref().map(|key| key.key_type) {
        Some(KeyType::X25519) => true,
        // The curves of the lanes have the cofactor 1, so that its mode does not matter.
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
        let Agreement { operation, peer } = context(pointer);
        let lanes = || {
            let peer = peer.as_ref()?.public_bytes()?;
            operation.ask(Purpose::Agree, &peer, None)
        };
        let made = (is_plain(operation) && operation.may_ask(out)).then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            (functions().EVP_PKEY_derive)(operation.context, out, out_len)
        })
    }
}
