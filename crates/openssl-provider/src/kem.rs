//! KEMs, for libcrypto: ML-KEM, and the hybrids that TLS 1.3 makes of it and a curve.
//!
//! The default provider has them since OpenSSL 3.5. With an older one, everything is done here, so
//! that its TLS has these groups, too.

mod groups;
mod operations;

use std::ffi::{CStr, c_int, c_void};
use std::slice;
use std::sync::Arc;

use broadloom::public_key::{Kem, MlKemSet};
use zeroize::Zeroizing;

use crate::digest::given;
use crate::held::{HeldKey, HeldType, Made};
use crate::interface::*;
use crate::libcrypto::fail;
use crate::operation::{context, freectx, hand_out, shared};

pub use groups::tell_groups;
pub use operations::is_pair;

/// The functions of all KEMs.
pub static FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_KEM_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_KEM_FREECTX => freectx::<Operation> as unsafe extern "C" fn(_),
    FUNC_KEM_DUPCTX => dupctx as unsafe extern "C" fn(_) -> _,
    FUNC_KEM_ENCAPSULATE_INIT => encapsulate_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_KEM_ENCAPSULATE => encapsulate as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_KEM_DECAPSULATE_INIT => decapsulate_init as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_KEM_DECAPSULATE => decapsulate as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_KEM_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_KEM_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// The randomness of an encapsulation of ML-KEM, for tests with known answers.
const RANDOMNESS: &CStr = c"ikme";

/// An operation with a key.
#[derive(Clone, Default)]
struct Operation {
    key: Option<(Kem, Arc<HeldKey>)>,
    /// For the next encapsulation, and no other.
    randomness: Option<Zeroizing<Vec<u8>>>,
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    hand_out(Operation::default())
}

unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: libcrypto passes what was handed out.
    hand_out(unsafe { context::<Operation>(pointer) }.clone())
}

/// Takes the key of an operation, and its parameters.
///
/// # Safety
/// libcrypto passes a context and a key of ours, and its list.
unsafe fn begin(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
    part: &str,
    is_there: fn(&HeldKey) -> bool,
) -> c_int {
    // SAFETY: the context is one of ours, keys are handed out as pointers from `Arc`, and the list
    // is libcrypto's, by this function's contract.
    unsafe {
        if key.is_null() {
            return fail(c"kem_init", "there is no key");
        }
        let key = shared(key.cast::<HeldKey>().cast_const());
        let HeldType::Kem(kem) = key.of else {
            let reason = format!("{} does not encapsulate", key.of.name());
            return fail(c"kem_init", &reason);
        };
        if !is_there(&key) {
            let reason = format!("the key of {} lacks its {part} part", key.of.name());
            return fail(c"kem_init", &reason);
        }
        *context::<Operation>(pointer) = Operation { key: Some((kem, key)), randomness: None };
        set_ctx_params(pointer, list)
    }
}

unsafe extern "C" fn encapsulate_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { begin(pointer, key, list, "public", |key| key.bytes().is_some()) }
}

unsafe extern "C" fn decapsulate_init(
    pointer: *mut c_void,
    key: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { begin(pointer, key, list, "private", HeldKey::is_private) }
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list, whose parameters have values.
    unsafe {
        let Some(param) = Param::find(list, RANDOMNESS) else { return 1 };
        let operation = context::<Operation>(pointer);
        let takes_it = matches!(operation.key, Some((Kem::MlKem(_), _)));
        match param.bytes() {
            Some(bytes) if takes_it && bytes.len() == MlKemSet::RANDOMNESS_LEN => {
                operation.randomness = Some(Zeroizing::new(bytes.to_vec()));
                1
            }
            _ => fail(c"kem_set_ctx_params", "ikme is 32 bytes, for ML-KEM alone"),
        }
    }
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 2] = [Param::describe(RANDOMNESS, OCTETS), Param::END];
    LIST.as_ptr()
}

/// Writes bytes where there is room for them. A program that passes no length vouches for the room.
///
/// # Safety
/// `out` is writable for `*out_len` bytes, or for those of `bytes` where `out_len` is null.
unsafe fn put(bytes: &[u8], out: *mut u8, out_len: *mut usize) -> bool {
    // SAFETY: `out_len` is null or readable and writable, and `out` has room for the bytes, by this
    // function's contract.
    unsafe {
        if let Some(len) = out_len.as_mut() {
            if *len < bytes.len() {
                let reason = format!("{len} bytes of room for {} of output", bytes.len());
                return fail(c"output", &reason) == 1;
            }
            *len = bytes.len();
        }
        slice::from_raw_parts_mut(out, bytes.len()).copy_from_slice(bytes);
    }
    true
}

/// Reports why nothing was made.
fn made_or_failed(made: Made, function: &'static CStr) -> Option<Zeroizing<Vec<u8>>> {
    made.inspect_err(|reason| {
        fail(function, reason);
    })
    .ok()
}

unsafe extern "C" fn encapsulate(
    pointer: *mut c_void,
    text: *mut u8,
    text_len: *mut usize,
    secret: *mut u8,
    secret_len: *mut usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and places with so much room.
    unsafe {
        let operation = context::<Operation>(pointer);
        let Some((kem, key)) = operation.key.clone() else {
            return fail(c"kem_encapsulate", "there is no key");
        };
        let (len, own_len) = (kem.ciphertext_len(), kem.secret_len());
        if text.is_null() {
            // Only the lengths are asked for.
            if let Some(place) = text_len.as_mut() {
                *place = len;
            }
            if let Some(place) = secret_len.as_mut() {
                *place = own_len;
            }
            return c_int::from(!text_len.is_null() || !secret_len.is_null());
        }
        if secret.is_null() || text_len.is_null() || secret_len.is_null() {
            return fail(c"kem_encapsulate", "a place for the secret or for a length is missing");
        }
        if *text_len < len || *secret_len < own_len {
            let reason = format!("there is no room for {len} bytes and a secret of {own_len}");
            return fail(c"kem_encapsulate", &reason);
        }
        let randomness = operation.randomness.take();
        let randomness = randomness.as_deref().map(Vec::as_slice);
        let made = operations::encapsulate(kem, &key, randomness);
        let Some(made) = made_or_failed(made, c"kem_encapsulate") else { return 0 };
        let (ciphertext, shared) = made.split_at(len);
        c_int::from(put(ciphertext, text, text_len) && put(shared, secret, secret_len))
    }
}

unsafe extern "C" fn decapsulate(
    pointer: *mut c_void,
    secret: *mut u8,
    secret_len: *mut usize,
    text: *const u8,
    text_len: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, a place with so much room, and so many bytes.
    unsafe {
        let Some((kem, key)) = context::<Operation>(pointer).key.clone() else {
            return fail(c"kem_decapsulate", "there is no key");
        };
        if secret.is_null() {
            if let Some(place) = secret_len.as_mut() {
                *place = kem.secret_len();
            }
            return c_int::from(!secret_len.is_null());
        }
        let made = operations::decapsulate(kem, &key, given(text, text_len));
        let Some(made) = made_or_failed(made, c"kem_decapsulate") else { return 0 };
        c_int::from(put(&made, secret, secret_len))
    }
}
