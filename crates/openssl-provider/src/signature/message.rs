//! Messages that are hashed before they are signed, and Ed25519, which hashes them itself.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use broadloom::public_key::Scheme;

use super::{BeginMessage, Signing, newctx};
use crate::digest::given;
use crate::interface::*;
use crate::key::{KeyType, Purpose};
use crate::libcrypto::{MdContext, apart, fail, functions};
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
    FUNC_SIGNATURE_NEWCTX =>
        newctx::<{ KeyType::Ed25519.place() }> as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_FREECTX => freectx::<Signing> as unsafe extern "C" fn(_),
    FUNC_SIGNATURE_DUPCTX => dupctx::<Signing> as unsafe extern "C" fn(_) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN_INIT => sign_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_SIGN => sign as unsafe extern "C" fn(_, _, _, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY_INIT => verify_init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_SIGNATURE_DIGEST_VERIFY => verify as unsafe extern "C" fn(_, _, _, _, _) -> _,
    FUNC_SIGNATURE_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_SIGNATURE_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// DER of the algorithm's identifier (RFC 8410, 3).
const IDENTIFIER: [u8; 7] = [0x30, 5, 6, 3, 0x2b, 0x65, 0x70];

/// Begins an operation with a key.
///
/// # Safety
/// libcrypto passes a context and a key of ours, and a name.
unsafe fn begin(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    begin: BeginMessage,
) -> c_int {
    // SAFETY: the pointer is a context of this type, the name is null or a C string, and the key is
    // libcrypto's, by this function's contract; an empty list is valid.
    unsafe {
        if !digest.is_null() && *digest != 0 {
            return fail(c"digest_sign_init", "Ed25519 hashes messages itself and takes no digest");
        }
        let operation = &mut context::<Signing>(pointer).operation;
        let theirs = operation.take_key(key.cast());
        match operation.context.is_null() {
            true => 0,
            false => begin(operation.context, ptr::null(), theirs, ptr::null()),
        }
    }
}

unsafe extern "C" fn sign_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    _: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and a name.
    unsafe { begin(pointer, digest, key, context::<Signing>(pointer).theirs.digest_sign_init) }
}

unsafe extern "C" fn verify_init(
    pointer: *mut c_void,
    digest: *const c_char,
    key: *mut c_void,
    _: *const Param,
) -> c_int {
    // SAFETY: as above.
    unsafe { begin(pointer, digest, key, context::<Signing>(pointer).theirs.digest_verify_init) }
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
        let Signing { theirs, operation, .. } = context::<Signing>(pointer);
        let lanes = || operation.ask(Purpose::Sign(Scheme::default()), given(data, len), None);
        let made = operation.may_ask(out).then(lanes).flatten();
        put_or(made, out, out_len, room, || {
            theirs
                .digest_sign
                .map_or(0, |sign| sign(operation.context, out, out_len, room, data, len))
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
        let Signing { theirs, operation, .. } = context::<Signing>(pointer);
        if operation.is_worth_asking() {
            let signature = Some(given(signature, signature_len));
            let purpose = Purpose::Verify(Scheme::default());
            if let Some(made) = operation.ask(purpose, given(data, len), signature) {
                return c_int::from(made.is_ok());
            }
        }
        theirs
            .digest_verify
            .map_or(0, |verify| verify(operation.context, signature, signature_len, data, len))
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
