//! Signatures, for libcrypto: of RSA and of curves, and by SLH-DSA and ML-DSA.

mod message;
mod ml_dsa;
mod plan;
mod slh_dsa;
mod whole;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use crate::digest::given;
use crate::held::HeldKey;
use crate::interface::*;
use crate::key::{Key, KeyType};
use crate::operation::{
    Context, Operation, context, dupctx, freectx, get_ctx_params, hand_out, listed, put_or,
    set_ctx_params,
};
use crate::theirs::{Begin, Found, SignatureFunctions, provider_context};

use message::Digested;
pub use message::ED25519;
pub use ml_dsa::is_pair;

/// Signatures of SLH-DSA.
pub const SLH_DSA: &[Dispatch] = whole::Functions::<Key>::TABLE;
/// Signatures of ML-DSA where the default provider has them.
pub const ML_DSA: &[Dispatch] = whole::Functions::<HeldKey>::TABLE;
/// Signatures of ML-DSA for an OpenSSL that is too old to have them.
pub const ML_DSA_ALONE: &[Dispatch] = whole::Functions::<HeldKey>::OLDER_TABLE;
/// Signatures of RSA.
pub const RSA: &[Dispatch] = OverDigests::<{ KeyType::Rsa.place() }>::TABLE;
/// Signatures of ECDSA.
pub const ECDSA: &[Dispatch] = OverDigests::<{ KeyType::Ec.place() }>::TABLE;

/// The default provider's functions for signatures with keys of a type; `None` where it lacks them.
pub fn theirs(key_type: KeyType) -> Option<&'static Found<SignatureFunctions>> {
    static ALL: [OnceLock<Option<Found<SignatureFunctions>>>; KeyType::ALL.len()] =
        [const { OnceLock::new() }; _];
    let name = if key_type == KeyType::Ec { c"ECDSA" } else { key_type.name() };
    ALL[key_type.place()].get_or_init(|| Found::<SignatureFunctions>::find(name)).as_ref()
}

/// The operation, and the message if it is hashed here: because the lanes are to be asked.
struct Signing {
    theirs: &'static SignatureFunctions,
    operation: Operation,
    message: Option<Digested>,
}

/// Signatures over digests, with keys of a type, by its place.
struct OverDigests<const PLACE: usize>;

impl<const PLACE: usize> OverDigests<PLACE> {
    const TABLE: &'static [Dispatch] = dispatch![
        FUNC_SIGNATURE_NEWCTX => newctx::<PLACE> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_FREECTX => freectx::<Signing> as unsafe extern "C" fn(_),
        FUNC_SIGNATURE_DUPCTX => dupctx::<Signing> as unsafe extern "C" fn(_) -> _,
        FUNC_SIGNATURE_SIGN_INIT => sign_init as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_SIGNATURE_VERIFY_INIT => verify_init as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
        FUNC_SIGNATURE_VERIFY_RECOVER_INIT => recover_init as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_VERIFY_RECOVER => recover as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_SIGN_INIT =>
            digest_sign_init as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_SIGN_UPDATE =>
            digest_sign_update as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_SIGN_FINAL =>
            digest_sign_final as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_VERIFY_INIT =>
            digest_verify_init as unsafe extern "C" fn(_, _, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE =>
            digest_verify_update as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_DIGEST_VERIFY_FINAL =>
            digest_verify_final as unsafe extern "C" fn(_, _, _) -> _,
        FUNC_SIGNATURE_GET_CTX_PARAMS =>
            get_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_GETTABLE_CTX_PARAMS =>
            gettable_ctx_params::<PLACE> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_SET_CTX_PARAMS =>
            set_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
        FUNC_SIGNATURE_SETTABLE_CTX_PARAMS =>
            settable_ctx_params::<PLACE> as unsafe extern "C" fn(_, _) -> _,
    ];
}

impl Context for Signing {
    fn copy(&self) -> Signing {
        let message = self.message.as_ref().map(Digested::copy);
        Signing { theirs: self.theirs, operation: self.operation.copy(), message }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

unsafe extern "C" fn newctx<const PLACE: usize>(_: *mut c_void, _: *const c_char) -> *mut c_void {
    let Some(Found { functions, contexts }) = theirs(KeyType::ALL[PLACE]) else {
        return ptr::null_mut();
    };
    // SAFETY: the function is called with its provider's context, and there are no properties.
    let context = unsafe { (functions.newctx)(provider_context(), ptr::null()) };
    let operation = Operation::new(contexts, context);
    hand_out(Signing { theirs: functions, operation, message: None })
}

unsafe extern "C" fn gettable_ctx_params<const PLACE: usize>(
    pointer: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    let list = theirs(KeyType::ALL[PLACE]).and_then(|found| found.contexts.gettable);
    // SAFETY: libcrypto passes what was handed out, or null.
    unsafe { listed::<Signing>(pointer, list) }
}

unsafe extern "C" fn settable_ctx_params<const PLACE: usize>(
    pointer: *mut c_void,
    _: *mut c_void,
) -> *const Param {
    let list = theirs(KeyType::ALL[PLACE]).and_then(|found| found.contexts.settable);
    // SAFETY: as above.
    unsafe { listed::<Signing>(pointer, list) }
}

/// Begins an operation over a digest that is given.
///
/// # Safety
/// libcrypto passes a context and a key of ours, and its list.
unsafe fn begin(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
    begin: impl FnOnce(&SignatureFunctions) -> Option<Begin>,
) -> c_int {
    // SAFETY: the pointer is a context of this type, and the key and the list are libcrypto's, by
    // this function's contract.
    unsafe {
        let context = context::<Signing>(pointer);
        context.message = None;
        begin(context.theirs).map_or(0, |begin| context.operation.begin(key.cast(), list, begin))
    }
}

unsafe extern "C" fn sign_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe { begin(pointer, key, list, |theirs| theirs.sign_init) }
}

unsafe extern "C" fn verify_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, key, list, |theirs| theirs.verify_init) }
}

unsafe extern "C" fn recover_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, key, list, |theirs| theirs.recover_init) }
}

/// Signs a digest: in the lanes if they are to be asked, or by the default provider.
///
/// # Safety
/// libcrypto passes a context of ours, places, and so many bytes.
unsafe fn sign_digest(
    Signing { theirs, operation, .. }: &Signing,
    may_ask: bool,
    (out, out_len, room): (*mut u8, *mut usize, usize),
    (data, len): (*const u8, usize),
) -> c_int {
    // SAFETY: the context is ours, and the places and the bytes are libcrypto's, by this function's
    // contract.
    unsafe {
        let lanes = || {
            let plan = plan::sign(operation, given(data, len))?;
            operation.ask(plan.purpose, &plan.data, None)
        };
        let made = may_ask.then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            theirs.sign.map_or(0, |sign| sign(operation.context, out, out_len, room, data, len))
        })
    }
}

unsafe extern "C" fn sign(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let signing = context::<Signing>(pointer);
        let may_ask = signing.operation.may_ask(out);
        sign_digest(signing, may_ask, (out, out_len, room), (data, len))
    }
}

/// Verifies the signature of a digest: in the lanes if they are to be asked, or by the default
/// provider.
///
/// # Safety
/// libcrypto passes a context of ours, and so many bytes.
unsafe fn verify_digest(
    Signing { theirs, operation, .. }: &Signing,
    may_ask: bool,
    (signature, signature_len): (*const u8, usize),
    (data, len): (*const u8, usize),
) -> c_int {
    // SAFETY: the context is ours, and the bytes are libcrypto's, by this function's contract.
    unsafe {
        if may_ask {
            let (signature, digest) = (given(signature, signature_len), given(data, len));
            if let Some(purpose) = plan::verify(operation, digest)
                && let Some(made) = operation.ask(purpose, digest, Some(signature))
            {
                return c_int::from(made.is_ok());
            }
        }
        let verify =
            |verify: Verify| verify(operation.context, signature, signature_len, data, len);
        theirs.verify.map_or(0, verify)
    }
}

/// A function that verifies the signature of a digest.
type Verify = unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize) -> c_int;

unsafe extern "C" fn verify(
    pointer: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let signing = context::<Signing>(pointer);
        let may_ask = signing.operation.is_worth_asking();
        verify_digest(signing, may_ask, (signature, signature_len), (data, len))
    }
}

unsafe extern "C" fn recover(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let Signing { theirs, operation, .. } = context::<Signing>(pointer);
        theirs
            .recover
            .map_or(0, |recover| recover(operation.context, out, out_len, room, data, len))
    }
}

/// A function that begins an operation over a message.
type BeginMessage =
    unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void, *const Param) -> c_int;

/// Begins an operation over a message. Only if the lanes are to be asked for the operation, the
/// message is hashed here.
///
/// # Safety
/// libcrypto passes a context and a key of ours, a name and its list.
unsafe fn begin_message(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
    whole: BeginMessage,
    bare: Option<Begin>,
) -> c_int {
    // SAFETY: the pointer is a context of this type, the name is null or a C string, and the key
    // and the list are libcrypto's, by this function's contract.
    unsafe {
        let Signing { operation, message, .. } = context::<Signing>(pointer);
        *message = None;
        let theirs = operation.take_key(key.cast());
        if operation.context.is_null() {
            return 0;
        }
        let names_digest = !digest.is_null() && *digest != 0;
        let Some(bare) = bare.filter(|_| names_digest && operation.is_worth_asking()) else {
            return whole(operation.context, digest, theirs, list);
        };
        let set = [Param::with_text(c"digest", CStr::from_ptr(digest)), Param::END];
        if bare(operation.context, theirs, ptr::null()) != 1
            || operation.set(set.as_ptr()) != 1
            || operation.set(list) != 1
        {
            return 0;
        }
        *message = Digested::new(operation);
        c_int::from(message.is_some())
    }
}

unsafe extern "C" fn digest_sign_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe {
        let theirs = context::<Signing>(pointer).theirs;
        begin_message(pointer, digest, key, list, theirs.digest_sign_init, theirs.sign_init)
    }
}

unsafe extern "C" fn digest_verify_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe {
        let theirs = context::<Signing>(pointer).theirs;
        begin_message(pointer, digest, key, list, theirs.digest_verify_init, theirs.verify_init)
    }
}

/// A function that takes a piece of a message.
type Update = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;

/// Takes a piece of a message: hashes it here, or hands it to a function of the default provider.
///
/// # Safety
/// libcrypto passes a context of ours, and so many bytes.
unsafe fn update_message(
    pointer: *mut c_void,
    data: *const u8,
    len: usize,
    update: impl FnOnce(&SignatureFunctions) -> Option<Update>,
) -> c_int {
    // SAFETY: the pointer is a context of this type, and the bytes are libcrypto's, by this
    // function's contract.
    unsafe {
        let Signing { theirs, operation, message } = context::<Signing>(pointer);
        match (message, update(theirs)) {
            (Some(message), _) => c_int::from(message.update(given(data, len))),
            (None, Some(update)) => update(operation.context, data, len),
            (None, None) => 0,
        }
    }
}

unsafe extern "C" fn digest_sign_update(
    pointer: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe { update_message(pointer, data, len, |theirs| theirs.digest_sign_update) }
}

unsafe extern "C" fn digest_verify_update(
    pointer: *mut c_void,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: as above.
    unsafe { update_message(pointer, data, len, |theirs| theirs.digest_verify_update) }
}

unsafe extern "C" fn digest_sign_final(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and places.
    unsafe {
        let signing = context::<Signing>(pointer);
        let place = (out, out_len, room);
        match (&mut signing.message, signing.theirs.digest_sign_final) {
            // Only the length is asked for, for which no digest is needed.
            (Some(_), _) if out.is_null() => sign_digest(signing, false, place, (ptr::null(), 0)),
            (Some(message), _) => message.finish().map_or(0, |digest| {
                sign_digest(signing, true, place, (digest.as_ptr(), digest.len()))
            }),
            (None, Some(last)) => last(signing.operation.context, out, out_len, room),
            (None, None) => 0,
        }
    }
}

unsafe extern "C" fn digest_verify_final(
    pointer: *mut c_void,
    signature: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let signing = context::<Signing>(pointer);
        match (&mut signing.message, signing.theirs.digest_verify_final) {
            (Some(message), _) => message.finish().map_or(0, |digest| {
                let digest = (digest.as_ptr(), digest.len());
                verify_digest(signing, true, (signature, len), digest)
            }),
            (None, Some(last)) => last(signing.operation.context, signature, len),
            (None, None) => 0,
        }
    }
}
