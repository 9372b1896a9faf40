//! What operations with keys share: a context of the default provider's, and the way to the lanes.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;

use broadloom::HashAlgorithm;
use zeroize::Zeroizing;

use crate::digest::hash_named;
use crate::interface::*;
use crate::key::{Key, Purpose};
use crate::libcrypto::fail;
use crate::line::{Answer, ask, is_worth_asking};
use crate::theirs::{Begin, ContextFunctions, List, provider_context};

/// The default provider's context for an operation with a key.
pub struct Operation {
    functions: &'static ContextFunctions,
    /// Null where libcrypto has no memory for it.
    pub context: *mut c_void,
    pub key: Option<Arc<Key>>,
}

impl Drop for Operation {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: the context is ours.
            unsafe { (self.functions.free)(self.context) };
        }
    }
}

impl Operation {
    /// With a new context of the default provider's, without a key yet.
    pub fn new(functions: &'static ContextFunctions, context: *mut c_void) -> Operation {
        Operation { functions, context, key: None }
    }

    /// A copy, in the same state.
    pub fn copy(&self) -> Operation {
        let context = match self.context.is_null() {
            true => ptr::null_mut(),
            // SAFETY: the context is ours.
            false => unsafe { (self.functions.dup)(self.context) },
        };
        Operation { functions: self.functions, context, key: self.key.clone() }
    }

    /// Takes another key; with null, the one before stays. Gives the default provider's form of the
    /// key, or null.
    ///
    /// # Safety
    /// `key` is null, or a key that this provider has handed out.
    pub unsafe fn take_key(&mut self, key: *const Key) -> *mut c_void {
        if key.is_null() {
            return ptr::null_mut();
        }
        // SAFETY: the key is one of this provider's, by this function's contract.
        let key = self.key.insert(unsafe { shared(key) });
        key.theirs()
    }

    /// Begins an operation with a key; with null, with the one before.
    ///
    /// # Safety
    /// - The condition of [`take_key`](Operation::take_key).
    /// - The list is valid, as [`Param`] defines it.
    /// - `begin` is a function of the default provider's for this context.
    pub unsafe fn begin(&mut self, key: *const Key, list: *const Param, begin: Begin) -> c_int {
        // SAFETY: the key is null or one of this provider's, and the list is libcrypto's, by this
        // function's contract; the context is ours.
        unsafe {
            let theirs = self.take_key(key);
            if self.context.is_null() { 0 } else { begin(self.context, theirs, list) }
        }
    }

    /// Sets parameters of the operation.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub unsafe fn set(&self, list: *const Param) -> c_int {
        match self.functions.set {
            // SAFETY: the list is valid, by this function's contract; the context is this
            // operation's own.
            Some(set) if !self.context.is_null() => unsafe { set(self.context, list) },
            // SAFETY: as above.
            _ => unsafe { c_int::from(list.is_null() || (*list).key.is_null()) },
        }
    }

    /// Gets parameters of the operation.
    ///
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    pub unsafe fn get(&self, list: *mut Param) -> c_int {
        match self.functions.get {
            // SAFETY: the list is valid, by this function's contract; the context is this
            // operation's own.
            Some(get) if !self.context.is_null() => unsafe { get(self.context, list) },
            _ => 0,
        }
    }

    /// A parameter that is a number; `None` where the operation does not have it.
    pub fn number(&self, name: &'static CStr) -> Option<c_int> {
        let mut value: c_int = 0;
        let mut list = [Param::number(name, INTEGER, &mut value), Param::END];
        // SAFETY: the list ends.
        let got = unsafe { self.get(list.as_mut_ptr()) } == 1 && list[0].return_size != UNMODIFIED;
        got.then_some(value)
    }

    /// A parameter that is a text; empty where the operation does not have it.
    pub fn text(&self, name: &'static CStr) -> String {
        let mut room = [0; 64];
        let mut list = [Param::room(name, UTF8, &mut room), Param::END];
        // SAFETY: the list ends.
        let got = unsafe { self.get(list.as_mut_ptr()) } == 1 && list[0].return_size != UNMODIFIED;
        let end = room.iter().position(|&byte| byte == 0).unwrap_or(room.len());
        if got { String::from_utf8_lossy(&room[..end]).into_owned() } else { String::new() }
    }

    /// Returns `true` if a label of OAEP is set.
    pub fn has_label(&self) -> bool {
        let mut place: *const u8 = ptr::null();
        let mut list = [Param::number(c"oaep-label", OCTETS_POINTER, &mut place), Param::END];
        // SAFETY: the list ends.
        let got = unsafe { self.get(list.as_mut_ptr()) } == 1;
        !got || !matches!(list[0].return_size, 0 | UNMODIFIED)
    }

    /// The hash that is set; `None` where none is, or `Err` for one that the lanes lack.
    pub fn hash(&self) -> Option<Result<HashAlgorithm, ()>> {
        let name = self.text(c"digest");
        (!name.is_empty()).then(|| hash_named(&name).ok_or(()))
    }

    /// Returns `true` if the lanes are worth asking: inside a job, where others are expected.
    pub fn is_worth_asking(&self) -> bool {
        self.key.as_ref().is_some_and(|key| is_worth_asking(key.key_type.kind()))
    }

    /// Returns `true` if the lanes are worth asking for more than the length.
    pub fn may_ask(&self, out: *mut u8) -> bool {
        !out.is_null() && self.is_worth_asking()
    }

    /// Has the lanes do an operation. `None` where they do not: libcrypto is to compute.
    pub fn ask(
        &self,
        purpose: Purpose,
        data: &[u8],
        signature: Option<&[u8]>,
    ) -> Option<Result<Zeroizing<Vec<u8>>, ()>> {
        let key = self.key.as_ref()?;
        let session = key.session(purpose)?;
        match ask(key.key_type.kind(), &session, data, signature) {
            Answer::Alone => None,
            Answer::Done(result) => Some(result.map_err(|error| {
                fail(c"lanes", &error.to_string());
            })),
        }
    }
}

/// Shares a key that libcrypto holds.
///
/// # Safety
/// `key` is a key of this type that this provider has handed out.
pub unsafe fn shared<K>(key: *const K) -> Arc<K> {
    // SAFETY: the key was handed out, by this function's contract, and keys are handed out as
    // pointers from `Arc`.
    unsafe {
        Arc::increment_strong_count(key);
        Arc::from_raw(key)
    }
}

/// A context as libcrypto holds it, with an operation.
pub trait Context: Sized {
    /// A copy, in the same state.
    fn copy(&self) -> Self;
    /// The operation.
    fn operation(&mut self) -> &mut Operation;
}

/// The context behind a pointer.
///
/// # Safety
/// `newctx` or `dupctx` made `pointer`, for this type.
pub unsafe fn context<'a, C>(pointer: *mut c_void) -> &'a mut C {
    // SAFETY: `newctx` or `dupctx` made the context for this type, by this function's contract, and
    // libcrypto uses a context in one call at a time.
    unsafe { &mut *pointer.cast::<C>() }
}

/// Hands out a context, which [`freectx`] takes back.
pub fn hand_out<C>(context: C) -> *mut c_void {
    Box::into_raw(Box::new(context)).cast()
}

pub unsafe extern "C" fn freectx<C>(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `newctx` or `dupctx` made it.
        drop(unsafe { Box::from_raw(pointer.cast::<C>()) });
    }
}

pub unsafe extern "C" fn dupctx<C: Context>(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: libcrypto passes what was handed out.
    hand_out(unsafe { context::<C>(pointer) }.copy())
}

pub unsafe extern "C" fn get_ctx_params<C: Context>(
    pointer: *mut c_void,
    list: *mut Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { context::<C>(pointer).operation().get(list) }
}

pub unsafe extern "C" fn set_ctx_params<C: Context>(
    pointer: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: libcrypto passes what was handed out, and its list.
    unsafe { context::<C>(pointer).operation().set(list) }
}

/// Lists the parameters of an operation, by a function of the default provider's.
///
/// # Safety
/// `pointer` is null or was handed out as a context of this type, and the function is for its
/// operation.
pub unsafe fn listed<C: Context>(pointer: *mut c_void, list: Option<List>) -> *const Param {
    let theirs = match pointer.is_null() {
        true => ptr::null_mut(),
        // SAFETY: the pointer was handed out, by this function's contract.
        false => unsafe { context::<C>(pointer) }.operation().context,
    };
    // SAFETY: the function is for the context, by this function's contract, and is called with its
    // provider's.
    list.map_or(ptr::null(), |list| unsafe { list(theirs, provider_context()) })
}

/// Writes what the lanes made, or has the default provider compute where they made nothing.
///
/// # Safety
/// `out` is null or writable for `room` bytes, and `out_len` is writable.
pub unsafe fn put_or(
    made: Option<Result<Zeroizing<Vec<u8>>, ()>>,
    out: *mut u8,
    out_len: *mut usize,
    room: usize,
    compute: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: `out` is null or writable for `room` bytes and `out_len` is writable, by this
    // function's contract.
    unsafe {
        match made {
            Some(Ok(made)) => put(&made, out, out_len, room),
            Some(Err(())) => 0,
            None => compute(),
        }
    }
}

/// Writes output where there is room for it.
///
/// # Safety
/// `out` is null or writable for `room` bytes, and `out_len` is writable.
unsafe fn put(bytes: &[u8], out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
    if room < bytes.len() {
        return fail(c"output", &format!("{room} bytes of room for {} of output", bytes.len()));
    }
    // SAFETY: `out` is writable for `room` bytes, which are enough, and `out_len` is writable, by
    // this function's contract.
    unsafe {
        slice::from_raw_parts_mut(out, bytes.len()).copy_from_slice(bytes);
        *out_len = bytes.len();
    }
    1
}
