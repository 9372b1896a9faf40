//! Agreement on secrets, for libcrypto: X25519, and curves of NIST's.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, OnceLock};

use crate::interface::*;
use crate::key::{Key, KeyType, Purpose};
use crate::libcrypto::fail;
use crate::operation::{
    Context, Operation, context, dupctx, freectx, get_ctx_params, hand_out, listed, put_or,
    set_ctx_params, shared,
};
use crate::theirs::{ExchangeFunctions, Found, provider_context};

/// Agreement with X25519.
pub const X25519: &[Dispatch] = Agreements::<{ KeyType::X25519.place() }>::TABLE;
/// Agreement on curves.
pub const ECDH: &[Dispatch] = Agreements::<{ KeyType::Ec.place() }>::TABLE;

/// The default provider's functions for agreement with keys of a type; `None` where it lacks them.
fn theirs(key_type: KeyType) -> Option<&'static Found<ExchangeFunctions>> {
    static ALL: [OnceLock<Option<Found<ExchangeFunctions>>>; KeyType::ALL.len()] =
        [const { OnceLock::new() }; _];
    let name = if key_type == KeyType::Ec { c"ECDH" } else { key_type.name() };
    ALL[key_type.place()].get_or_init(|| Found::<ExchangeFunctions>::find(name)).as_ref()
}

/// The operation, and the other side's key.
struct Agreement {
    theirs: &'static ExchangeFunctions,
    operation: Operation,
    peer: Option<Arc<Key>>,
}

/// Agreement with keys of a type, by its place.
struct Agreements<const PLACE: usize>;

impl<const PLACE: usize> Agreements<PLACE> {
    const TABLE: &'static [Dispatch] = dispatch![
        FUNC_KEYEXCH_NEWCTX => newctx::<PLACE> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYEXCH_FREECTX => freectx::<Agreement> as unsafe extern "C" fn(_),
        FUNC_KEYEXCH_DUPCTX => dupctx::<Agreement> as unsafe extern "C" fn(_) -> _,
        FUNC_KEYEXCH_INIT => init as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_KEYEXCH_SET_PEER => set_peer as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYEXCH_DERIVE => derive as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_KEYEXCH_GET_CTX_PARAMS =>
            get_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYEXCH_GETTABLE_CTX_PARAMS =>
            gettable_ctx_params::<PLACE> as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYEXCH_SET_CTX_PARAMS =>
            set_ctx_params::<Agreement> as unsafe extern "C" fn(_, _) -> _,
        FUNC_KEYEXCH_SETTABLE_CTX_PARAMS =>
            settable_ctx_params::<PLACE> as unsafe extern "C" fn(_, _) -> _,
    ];
}

impl Context for Agreement {
    fn copy(&self) -> Agreement {
        let (operation, peer) = (self.operation.copy(), self.peer.clone());
        Agreement { theirs: self.theirs, operation, peer }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

unsafe extern "C" fn newctx<const PLACE: usize>(_: *mut c_void) -> *mut c_void {
    let Some(Found { functions, contexts }) = theirs(KeyType::ALL[PLACE]) else {
        return ptr::null_mut();
    };
    // SAFETY: the function is called with its provider's context.
    let context = unsafe { (functions.newctx)(provider_context()) };
    let operation = Operation::new(contexts, context);
    hand_out(Agreement { theirs: functions, operation, peer: None })
}

unsafe extern "C" fn gettable_ctx_params<const PLACE: usize>(
    pointer: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    let list = theirs(KeyType::ALL[PLACE]).and_then(|found| found.contexts.gettable);
    // SAFETY: libcrypto passes what was handed out, or null.
    unsafe { listed::<Agreement>(pointer, list) }
}

unsafe extern "C" fn settable_ctx_params<const PLACE: usize>(
    pointer: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    let list = theirs(KeyType::ALL[PLACE]).and_then(|found| found.contexts.settable);
    // SAFETY: as above.
    unsafe { listed::<Agreement>(pointer, list) }
}

unsafe extern "C" fn init(pointer: *mut c_void, key: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let Agreement { theirs, operation, peer } = context(pointer);
        *peer = None;
        operation.begin(key.cast(), list, theirs.init)
    }
}

unsafe extern "C" fn set_peer(pointer: *mut c_void, key: *mut c_void) -> c_int {
    if key.is_null() {
        return fail(c"keyexch_set_peer", "there is no key of the other side");
    }
    // SAFETY: libcrypto passes what was handed out. It has validated the key where it wants to.
    unsafe {
        let Agreement { theirs, operation, peer } = context(pointer);
        let key = peer.insert(shared(key.cast::<Key>().cast_const()));
        match operation.context.is_null() {
            true => 0,
            false => (theirs.set_peer)(operation.context, key.theirs()),
        }
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
        let Agreement { theirs, operation, peer } = context(pointer);
        let lanes = || {
            let peer = peer.as_ref().filter(|_| is_plain(operation))?.public_bytes()?;
            operation.ask(Purpose::Agree, &peer, None)
        };
        let made = operation.may_ask(out).then(lanes).flatten();
        put_or(made, out, out_len, room, || (theirs.derive)(operation.context, out, out_len, room))
    }
}
