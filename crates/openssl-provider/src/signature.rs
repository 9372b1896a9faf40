//! Signatures, for libcrypto: of RSA and of curves, and by SLH-DSA and ML-DSA.

mod message;
mod ml_dsa;
mod plan;
mod slh_dsa;
mod whole;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use crate::digest::given;
use crate::held::HeldKey;
use crate::interface::*;
use crate::key::Key;
use crate::libcrypto::functions;
use crate::operation::{
    self, Begin, Context, Operation, context, dupctx, freectx, get_ctx_params, gettable_ctx_params,
    put_or, set_ctx_params, settable_ctx_params,
};

use message::Digested;
pub use message::ED25519;
pub use ml_dsa::is_pair;

/// Signatures of SLH-DSA.
pub const SLH_DSA: &[Dispatch] = whole::Functions::<Key>::TABLE;
/// Signatures of ML-DSA where the default provider has them.
pub const ML_DSA: &[Dispatch] = whole::Functions::<HeldKey>::TABLE;
/// Signatures of ML-DSA for an OpenSSL that is too old to have them.
pub const ML_DSA_ALONE: &[Dispatch] = whole::Functions::<HeldKey>::OLDER_TABLE;

/// The operation, and the message that is to be signed, if libcrypto passes one.
struct Signing {
    operation: Operation,
    message: Option<Digested>,
}

/// Signatures over digests: RSA and ECDSA.
pub static OVER_DIGESTS: &[Dispatch] = dispatch![
    FUNC_SIGNATURE_NEWCTX => newctx::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_FREECTX => freectx::<Signing> as unsafe extern "C" fn(_),
    FUNC_SIGNATURE_DUPCTX => dupctx::<Signing> as unsafe extern "C" fn(_) -> _,
    FUNC_SIGNATURE_SIGN_INIT => sign_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_VERIFY_INIT => verify_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_SIGNATURE_VERIFY_RECOVER_INIT =>
        verify_recover_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_VERIFY_RECOVER => verify_recover as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_INIT => digest_sign_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_UPDATE => digest_update as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_FINAL => digest_sign_final as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_INIT =>
        digest_verify_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE => digest_update as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_FINAL => digest_verify_final as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_SIGNATURE_GET_CTX_PARAMS => get_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_GETTABLE_CTX_PARAMS =>
        gettable_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_SET_CTX_PARAMS => set_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_SETTABLE_CTX_PARAMS =>
        settable_ctx_params::<Signing> as unsafe extern "C" fn(_, _) -> _,
];

impl Context for Signing {
    fn new() -> Signing {
        Signing { operation: Operation::new(), message: None }
    }

    fn copy(&self) -> Signing {
        let message = self.message.as_ref().map(Digested::copy);
        Signing { operation: self.operation.copy(), message }
    }

    fn operation(&mut self) -> &mut Operation {
        &mut self.operation
    }
}

unsafe extern "C" fn newctx<C: Context>(provider: *mut c_void, _: *const c_char) -> *mut c_void {
    // SAFETY: libcrypto passes the provider's context.
    unsafe { operation::newctx::<C>(provider) }
}

/// # Safety
/// libcrypto passes a context and a key of ours, and its list.
unsafe fn begin(pointer: *mut c_void, key: *const Key, list: *const Param, begin: Begin) -> c_int {
    // SAFETY: the pointer is a context of this type, and the key and the list are libcrypto's, by
    // this function's contract.
    unsafe {
        let context = context::<Signing>(pointer);
        context.message = None;
        context.operation.begin(key, list, begin)
    }
}

unsafe extern "C" fn sign_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe { begin(pointer, key.cast(), list, functions().EVP_PKEY_sign_init_ex) }
}

unsafe extern "C" fn verify_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, key.cast(), list, functions().EVP_PKEY_verify_init_ex) }
}

unsafe extern "C" fn verify_recover_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, key.cast(), list, functions().EVP_PKEY_verify_recover_init_ex) }
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
        let operation = &context::<Signing>(pointer).operation;
        let lanes = || {
            let plan = plan::sign(operation, given(data, len))?;
            operation.ask(plan.purpose, &plan.data, None)
        };
        let made = operation.may_ask(out).then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            (functions().EVP_PKEY_sign)(operation.context, out, out_len, data, len)
        })
    }
}

unsafe extern "C" fn verify(
    pointer: *mut c_void,
    signature: *const u8,
    signature_len: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let operation = &context::<Signing>(pointer).operation;
        if operation.is_worth_asking() {
            let (signature, digest) = (given(signature, signature_len), given(data, len));
            if let Some(purpose) = plan::verify(operation, digest)
                && let Some(made) = operation.ask(purpose, digest, Some(signature))
            {
                return c_int::from(made.is_ok());
            }
        }
        (functions().EVP_PKEY_verify)(operation.context, signature, signature_len, data, len)
    }
}

unsafe extern "C" fn verify_recover(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    data: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, places, and so many bytes.
    unsafe {
        let operation = &context::<Signing>(pointer).operation;
        put_or(None, out, out_len, room, || {
            (functions().EVP_PKEY_verify_recover)(operation.context, out, out_len, data, len)
        })
    }
}

/// # Safety
/// libcrypto passes a context and a key of ours, a name and its list.
unsafe fn begin_message(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *const Key,
    list: *const Param,
    function: Begin,
) -> c_int {
    // SAFETY: the pointer is a context of this type, the name is null or a C string, and the key
    // and the list are libcrypto's, by this function's contract.
    unsafe {
        if begin(pointer, key, ptr::null(), function) != 1 {
            return 0;
        }
        let context = context::<Signing>(pointer);
        if !digest.is_null() && *digest != 0 {
            let set = [Param::with_text(c"digest", CStr::from_ptr(digest)), Param::END];
            if context.operation.set(set.as_ptr()) != 1 {
                return 0;
            }
        }
        if context.operation.set(list) != 1 {
            return 0;
        }
        context.message = Digested::new(&context.operation);
        c_int::from(context.message.is_some())
    }
}

unsafe extern "C" fn digest_sign_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out.
    unsafe { begin_message(pointer, digest, key.cast(), list, functions().EVP_PKEY_sign_init_ex) }
}

unsafe extern "C" fn digest_verify_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin_message(pointer, digest, key.cast(), list, functions().EVP_PKEY_verify_init_ex) }
}

unsafe extern "C" fn digest_update(pointer: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    let (context, data) = unsafe { (context::<Signing>(pointer), given(data, len)) };
    context.message.as_mut().map_or(0, |message| c_int::from(message.update(data)))
}

unsafe extern "C" fn digest_sign_final(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and places.
    unsafe {
        let message = &mut context::<Signing>(pointer).message;
        let made = match (out.is_null(), message) {
            // Only the length is asked for, for which no digest is needed.
            (true, _) => return sign(pointer, out, out_len, room, ptr::null(), 0),
            (false, None) => None,
            (false, Some(message)) => message.finish(),
        };
        made.map_or(0, |digest| sign(pointer, out, out_len, room, digest.as_ptr(), digest.len()))
    }
}

unsafe extern "C" fn digest_verify_final(
    pointer: *mut c_void,
    signature: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let made = context::<Signing>(pointer).message.as_mut().and_then(Digested::finish);
        made.map_or(0, |digest| verify(pointer, signature, len, digest.as_ptr(), digest.len()))
    }
}
