//! Messages that are hashed before they are signed, and Ed25519, which hashes them itself.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use broadloom::public_key::Scheme;

use super::{Signing, newctx};
use crate::digest::given;
use crate::interface::*;
use crate::key::{Key, Purpose};
use crate::libcrypto::{LibraryContext, MdContext, Pkey, PkeyContext, apart, fail, functions};
use crate::operation::{Operation, context, dupctx, freectx, put_or};

/// A message and its digest, as libcrypto computes it in the library context apart.
pub struct Digested(*mut MdContext);

impl Drop for Digested {
    fn drop(&mut self) {
        // SAFETY: the context is ours.
        unsafe { (functions().EVP_MD_CTX_free)(self.0) };
    }
}

impl Digested {
    /// A message under the hash of an operation; `None` where libcrypto lacks it.
    pub fn new(operation: &Operation) -> Option<Digested> {
        let name = CString::new(operation.text(c"digest")).ok()?;
        let functions = functions();
        // SAFETY: the contexts are valid; the hash is released once the context has it.
        unsafe {
            let hash = (functions.EVP_MD_fetch)(apart(), name.as_ptr(), ptr::null());
            if hash.is_null() {
                return None;
            }
            let message = Digested((functions.EVP_MD_CTX_new)());
            let begun = (functions.EVP_DigestInit_ex2)(message.0, hash, ptr::null());
            (functions.EVP_MD_free)(hash);
            (begun == 1).then_some(message)
        }
    }

    /// A copy, in the same state.
    pub fn copy(&self) -> Digested {
        let functions = functions();
        // SAFETY: both contexts are ours. A copy that fails has no hash, and refuses to go on.
        unsafe {
            let copy = (functions.EVP_MD_CTX_new)();
            (functions.EVP_MD_CTX_copy_ex)(copy, self.0);
            Digested(copy)
        }
    }

    /// Takes more of the message.
    pub fn update(&mut self, data: &[u8]) -> bool {
        // SAFETY: the context is ours.
        unsafe { (functions().EVP_DigestUpdate)(self.0, data.as_ptr().cast(), data.len()) == 1 }
    }

    /// The digest.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let (mut digest, mut len) = (vec![0; 64], 0);
        // SAFETY: the context is ours, and no digest of libcrypto is longer.
        let made =
            unsafe { (functions().EVP_DigestFinal_ex)(self.0, digest.as_mut_ptr(), &mut len) };
        digest.truncate(len as usize);
        (made == 1).then_some(digest)
    }
}

/// Ed25519, which signs messages in one call.
pub static ED25519: &[Dispatch] = dispatch![
    FUNC_SIGNATURE_NEWCTX => newctx::<Signing> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_FREECTX => freectx::<Signing> as unsafe extern "C" fn(_),
    FUNC_SIGNATURE_DUPCTX => dupctx::<Signing> as unsafe extern "C" fn(_) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_INIT => init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_INIT => init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_SIGNATURE_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// DER of the algorithm's identifier (RFC 8410, 3).
const IDENTIFIER: [u8; 7] = [0x30, 5, 6, 3, 0x2b, 0x65, 0x70];

/// Takes the key; the rest is known once the message comes.
unsafe extern "C" fn init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    _: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and a name.
    unsafe {
        if !digest.is_null() && *digest != 0 {
            return fail(c"digest_sign_init", "Ed25519 hashes messages itself and takes no digest");
        }
        let key = context::<Signing>(pointer).operation.take_key(key.cast::<Key>());
        c_int::from(key.is_some_and(|key| !key.pkey().is_null()))
    }
}

/// Begins an operation with a key.
pub type Init = unsafe extern "C" fn(
    *mut MdContext,
    *mut *mut PkeyContext,
    *const c_char,
    *mut LibraryContext,
    *const c_char,
    *mut Pkey,
    *const Param,
) -> c_int;

/// Has libcrypto do an operation with the key of a context.
fn alone(
    operation: &Operation,
    init: Init,
    function: impl FnOnce(*mut MdContext) -> c_int,
) -> c_int {
    let pkey = operation.key.as_ref().map_or(ptr::null_mut(), |key| key.pkey());
    // SAFETY: an empty list is valid.
    unsafe { alone_with(pkey, init, ptr::null(), function) }
}

/// Has libcrypto do an operation with a key and with parameters.
///
/// # Safety
/// The key is libcrypto's or null, and the list is valid, as [`Param`] defines it.
pub unsafe fn alone_with(
    pkey: *mut Pkey,
    init: Init,
    list: *const Param,
    function: impl FnOnce(*mut MdContext) -> c_int,
) -> c_int {
    let functions = functions();
    let (name, place) = (ptr::null(), ptr::null_mut());
    // SAFETY: the context is new and ours, the key and the list are valid, by this function's
    // contract, and a null key is refused.
    unsafe {
        let context = (functions.EVP_MD_CTX_new)();
        let begun = init(context, place, name, apart(), ptr::null(), pkey, list);
        let status = if begun == 1 { function(context) } else { 0 };
        (functions.EVP_MD_CTX_free)(context);
        status
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
        let operation = &context::<Signing>(pointer).operation;
        let lanes = || operation.ask(Purpose::Sign(Scheme::default()), given(data, len), None);
        let made = operation.may_ask(out).then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            let functions = functions();
            alone(operation, functions.EVP_DigestSignInit_ex, |context| {
                (functions.EVP_DigestSign)(context, out, out_len, data, len)
            })
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
            let signature = Some(given(signature, signature_len));
            let purpose = Purpose::Verify(Scheme::default());
            if let Some(made) = operation.ask(purpose, given(data, len), signature) {
                return c_int::from(made.is_ok());
            }
        }
        let functions = functions();
        alone(operation, functions.EVP_DigestVerifyInit_ex, |context| {
            (functions.EVP_DigestVerify)(context, signature, signature_len, data, len)
        })
    }
}

unsafe extern "C" fn get_ctx_params(_: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes its list.
    unsafe {
        match Param::find_mut(list, c"algorithm-id") {
            Some(param) => c_int::from(param.put_bytes(&IDENTIFIER)),
            None => 1,
        }
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 2] = [Param::describe(c"algorithm-id", OCTETS), Param::END];
    LIST.as_ptr()
}
