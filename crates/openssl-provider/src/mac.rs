//! Message authentication codes, for libcrypto: HMAC here, KMAC in [`keccak`].

mod keccak;

use std::ffi::{CStr, CString, c_int, c_void};
use std::slice;
use std::sync::OnceLock;

use broadloom::HashAlgorithm;
use broadloom::lanes::{
    Md5, Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
};
use zeroize::Zeroizing;

use crate::digest::{Message, given, hash_named};
use crate::interface::*;
use crate::libcrypto::fail;
use crate::line::Hashed;
use crate::settings;
use crate::theirs::{self, MacFunctions, Owned};

/// All MACs.
pub static ALGORITHMS: &[Algorithm] = &[
    Algorithm::new(c"HMAC", FUNCTIONS),
    Algorithm::new(keccak::NAMES_128, keccak::KMAC_128),
    Algorithm::new(keccak::NAMES_256, keccak::KMAC_256),
];

const FUNCTIONS: &[Dispatch] = dispatch![
    FUNC_MAC_NEWCTX => newctx as unsafe extern "C" fn(_) -> _,
    FUNC_MAC_FREECTX => freectx as unsafe extern "C" fn(_),
    FUNC_MAC_DUPCTX => dupctx as unsafe extern "C" fn(_) -> _,
    FUNC_MAC_INIT => init as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_MAC_UPDATE => update as unsafe extern "C" fn(_, _, _) -> _,
    FUNC_MAC_FINAL => last as unsafe extern "C" fn(_, _, _, _) -> _,
    FUNC_MAC_GET_CTX_PARAMS => get_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_GETTABLE_CTX_PARAMS => gettable_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_SET_CTX_PARAMS => set_ctx_params as unsafe extern "C" fn(_, _) -> _,
    FUNC_MAC_SETTABLE_CTX_PARAMS => settable_ctx_params as unsafe extern "C" fn(_, _) -> _,
];

/// A message for HMAC over a hash that is known at run time.
trait Keyed: Send {
    fn update(&mut self, data: &[u8]);
    fn finish(&mut self, tag: &mut [u8]);
    fn copy(&self) -> Box<dyn Keyed>;
    fn tag_len(&self) -> usize;
    fn block_len(&self) -> usize;
}

impl<F: Hashed<Job<'static>: Send>> Keyed for Message<F> {
    fn update(&mut self, data: &[u8]) {
        Message::update(self, data);
    }

    fn finish(&mut self, tag: &mut [u8]) {
        Message::finish(self, tag);
    }

    fn copy(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }

    fn tag_len(&self) -> usize {
        F::DIGEST_LEN
    }

    fn block_len(&self) -> usize {
        F::BLOCK_LEN
    }
}

/// A message for HMAC under a key; `None` where there is no HMAC over the hash.
fn begin(hash: HashAlgorithm, key: &[u8]) -> Option<Box<dyn Keyed>> {
    fn of<F: Hashed<Job<'static>: Send>>(key: &[u8]) -> Option<Box<dyn Keyed>> {
        Some(Box::new(Message::<F>::new(Some(&F::key(key)?))))
    }
    match hash {
        HashAlgorithm::Md5 => of::<Md5>(key),
        HashAlgorithm::Sha1 => of::<Sha1>(key),
        HashAlgorithm::Sha224 => of::<Sha224>(key),
        HashAlgorithm::Sha256 => of::<Sha256>(key),
        HashAlgorithm::Sha384 => of::<Sha384>(key),
        HashAlgorithm::Sha512 => of::<Sha512>(key),
        HashAlgorithm::Sha3_224 => of::<Sha3_224>(key),
        HashAlgorithm::Sha3_256 => of::<Sha3_256>(key),
        HashAlgorithm::Sha3_384 => of::<Sha3_384>(key),
        HashAlgorithm::Sha3_512 => of::<Sha3_512>(key),
        _ => None,
    }
}

/// A context of the default provider's: for short messages, over a hash that the lanes lack, and
/// for the records of TLS with CBC, whose length is secret.
struct Apart(&'static MacFunctions, *mut c_void);

impl Drop for Apart {
    fn drop(&mut self) {
        // SAFETY: the context is ours.
        unsafe { (self.0.freectx)(self.1) };
    }
}

impl Apart {
    fn new(hash: &CStr, key: &[u8]) -> Option<Apart> {
        let list = [Param::with_text(c"digest", hash), Param::END];
        let theirs = theirs()?;
        // SAFETY: the function is called with its provider's context, and the list ends.
        unsafe {
            let context = (theirs.newctx)(theirs::provider_context());
            if context.is_null() {
                return None;
            }
            let context = Apart(theirs, context);
            // A null key stands for the one before.
            let (key, len) = if key.is_empty() { (&[0u8][..], 0) } else { (key, key.len()) };
            let begun = (theirs.init)(context.1, key.as_ptr(), len, list.as_ptr());
            (begun == 1).then_some(context)
        }
    }
}

/// Who authenticates.
enum State {
    /// No key came yet.
    Nobody,
    /// Nothing of the message came yet: its first piece decides.
    Begun,
    Lanes(Box<dyn Keyed>),
    Libcrypto(Apart),
}

/// HMAC as libcrypto sees it.
struct Context {
    hash: Option<CString>,
    key: Option<Zeroizing<Vec<u8>>>,
    state: State,
}

impl Context {
    /// Begins a message under the key.
    fn begin(&mut self) -> c_int {
        let (Some(hash), Some(_)) = (&self.hash, &self.key) else {
            return fail(c"mac_init", "HMAC needs a digest and a key");
        };
        self.state = State::Begun;
        match hash.to_str().ok().and_then(hash_named) {
            Some(_) => 1,
            None => c_int::from(self.settle(0)),
        }
    }

    /// Decides who authenticates a message, by the length of its first piece, where that is open.
    fn settle(&mut self, len: usize) -> bool {
        let (State::Begun, Some(hash), Some(key)) = (&self.state, &self.hash, &self.key) else {
            return true;
        };
        let apart = || Apart::new(hash, key).map(State::Libcrypto);
        let lanes = || {
            let hash = hash_named(hash.to_str().ok()?)?;
            begin(hash, key).map(State::Lanes)
        };
        let state = match len >= settings::bulk_threshold() {
            true => lanes().or_else(apart),
            false => apart().or_else(lanes),
        };
        let Some(state) = state else {
            let name = hash.to_string_lossy();
            fail(c"mac_init", &format!("there is no HMAC over {name}"));
            return false;
        };
        self.state = state;
        true
    }
}

/// The default provider's HMAC.
fn theirs() -> Option<&'static MacFunctions> {
    static HMAC: OnceLock<Option<MacFunctions>> = OnceLock::new();
    HMAC.get_or_init(|| MacFunctions::find(OP_MAC, c"HMAC")).as_ref()
}

/// A context that is ours, or else the default provider's, with its functions.
///
/// # Safety
/// `newctx` or `dupctx` made it.
unsafe fn context<'a>(
    pointer: *mut c_void,
) -> Result<&'a mut Context, (&'static MacFunctions, *mut c_void)> {
    match theirs::owner::<Context>(pointer) {
        // SAFETY: the caller's.
        Owned::Ours(context) => Ok(unsafe { &mut *context }),
        Owned::Theirs(context) => {
            let functions = theirs().expect("a context of theirs was made by their function");
            Err((functions, context))
        }
    }
}

unsafe extern "C" fn newctx(_: *mut c_void) -> *mut c_void {
    match theirs().filter(|_| theirs::are_wanted()) {
        // SAFETY: the function is called with its provider's context.
        Some(theirs) => unsafe { (theirs.newctx)(theirs::provider_context()) },
        None => theirs::ours(Context { hash: None, key: None, state: State::Nobody }),
    }
}

unsafe extern "C" fn freectx(pointer: *mut c_void) {
    match theirs::owner::<Context>(pointer) {
        // SAFETY: `newctx` or `dupctx` made it.
        Owned::Ours(context) => drop(unsafe { Box::from_raw(context) }),
        Owned::Theirs(context) => {
            if let Some(theirs) = theirs() {
                // SAFETY: as above.
                unsafe { (theirs.freectx)(context) };
            }
        }
    }
}

unsafe extern "C" fn dupctx(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: `newctx` or `dupctx` made it.
    let Context { hash, key, state } = match unsafe { context(pointer) } {
        Ok(context) => context,
        // SAFETY: as above.
        Err((theirs, context)) => return unsafe { (theirs.dupctx)(context) },
    };
    let state = match state {
        State::Nobody => State::Nobody,
        State::Begun => State::Begun,
        State::Lanes(keyed) => State::Lanes(keyed.copy()),
        State::Libcrypto(Apart(theirs, context)) => {
            // SAFETY: the context is ours.
            let copy = unsafe { (theirs.dupctx)(*context) };
            if copy.is_null() {
                return copy;
            }
            State::Libcrypto(Apart(theirs, copy))
        }
    };
    theirs::ours(Context { hash: hash.clone(), key: key.clone(), state })
}

unsafe extern "C" fn init(
    pointer: *mut c_void,
    key: *const u8,
    len: usize,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, so many bytes, and its list.
    unsafe {
        let context = match context(pointer) {
            Ok(context) => context,
            Err((theirs, context)) => return (theirs.init)(context, key, len, list),
        };
        if set_ctx_params(pointer, list) != 1 {
            return 0;
        }
        if !key.is_null() {
            context.key = Some(Zeroizing::new(given(key, len).to_vec()));
        }
        context.begin()
    }
}

unsafe extern "C" fn update(pointer: *mut c_void, data: *const u8, len: usize) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so many bytes.
    unsafe {
        let context = match context(pointer) {
            Ok(context) => context,
            Err((theirs, context)) => return (theirs.update)(context, data, len),
        };
        if !context.settle(len) {
            return 0;
        }
        match &mut context.state {
            State::Nobody | State::Begun => fail(c"mac_update", "HMAC has no key yet"),
            State::Lanes(keyed) => {
                keyed.update(given(data, len));
                1
            }
            State::Libcrypto(Apart(theirs, context)) => (theirs.update)(*context, data, len),
        }
    }
}

unsafe extern "C" fn last(
    pointer: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and so much room.
    unsafe {
        let context = match context(pointer) {
            Ok(context) => context,
            Err((theirs, context)) => return (theirs.last)(context, out, out_len, room),
        };
        if !context.settle(0) {
            return 0;
        }
        match &mut context.state {
            State::Nobody | State::Begun => fail(c"mac_final", "HMAC has no key yet"),
            State::Lanes(keyed) => {
                let len = keyed.tag_len();
                if room < len {
                    let reason = format!("{room} bytes of room for a tag of {len} bytes");
                    return fail(c"mac_final", &reason);
                }
                keyed.finish(slice::from_raw_parts_mut(out, len));
                *out_len = len;
                1
            }
            State::Libcrypto(Apart(theirs, context)) => (theirs.last)(*context, out, out_len, room),
        }
    }
}

unsafe extern "C" fn get_ctx_params(pointer: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let context = match context(pointer) {
            Ok(context) => context,
            Err((theirs, context)) => return (theirs.get)(context, list),
        };
        if !context.settle(0) {
            return 0;
        }
        let (size, block_len) = match &context.state {
            State::Lanes(keyed) => (keyed.tag_len(), keyed.block_len()),
            State::Libcrypto(Apart(theirs, context)) => return (theirs.get)(*context, list),
            State::Nobody | State::Begun => (0, 0),
        };
        let mut is_put = true;
        for (name, value) in [(c"size", size), (c"block-size", block_len)] {
            if let Some(param) = Param::find_mut(list, name) {
                is_put &= param.put_unsigned(value as u64);
            }
        }
        c_int::from(is_put)
    }
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 3] =
        [Param::describe(c"size", UNSIGNED), Param::describe(c"block-size", UNSIGNED), Param::END];
    LIST.as_ptr()
}

unsafe extern "C" fn set_ctx_params(pointer: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe {
        let context = match context(pointer) {
            Ok(context) => context,
            Err((theirs, context)) => return (theirs.set)(context, list),
        };
        if let Some(param) = Param::find(list, c"digest") {
            let name = param.text().and_then(|name| CString::new(name).ok());
            if name.is_none() {
                return fail(c"mac_set_ctx_params", "the digest is no name");
            }
            context.hash = name;
        }
        if let Some(param) = Param::find(list, c"key") {
            let Some(key) = param.bytes() else {
                return fail(c"mac_set_ctx_params", "the key is no string of bytes");
            };
            context.key = Some(Zeroizing::new(key.to_vec()));
            if context.hash.is_some() && context.begin() != 1 {
                return 0;
            }
        }
        if Param::find(list, c"tls-data-size").is_some() {
            // The length of the message must stay secret, which libcrypto's own HMAC sees to.
            let (Some(hash), Some(key)) = (&context.hash, &context.key) else {
                return fail(c"mac_set_ctx_params", "HMAC needs a digest and a key");
            };
            let Some(apart) = Apart::new(hash, key) else { return 0 };
            let status = (apart.0.set)(apart.1, list);
            context.state = State::Libcrypto(apart);
            return status;
        }
        1
    }
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const Param {
    static LIST: [Param; 7] = [
        Param::describe(c"digest", UTF8),
        Param::describe(c"properties", UTF8),
        Param::describe(c"key", OCTETS),
        Param::describe(c"digest-noinit", INTEGER),
        Param::describe(c"digest-oneshot", INTEGER),
        Param::describe(c"tls-data-size", UNSIGNED),
        Param::END,
    ];
    LIST.as_ptr()
}
