//! Why a call failed: a status, and words that name the value.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::ops::Deref;
use std::slice;

use crate::status::{BL_E_ARGUMENT, BL_E_NAME, BL_OK, bl_status};

/// The most bytes that anything in memory has. A length beyond it is none: a negative number, for
/// instance, that was made unsigned.
const MAX: usize = isize::MAX as usize;

/// Why a call failed. It is one pointer, so that the result of a call is in a register.
#[derive(Debug)]
pub(crate) struct Fault(Box<Reason>);

#[derive(Debug)]
pub(crate) struct Reason {
    pub status: bl_status,
    pub text: String,
}

impl Deref for Fault {
    type Target = Reason;

    fn deref(&self) -> &Reason {
        &self.0
    }
}

impl Fault {
    #[cold]
    pub(crate) fn new(status: bl_status, text: impl Display) -> Fault {
        Fault(Box::new(Reason { status, text: text.to_string() }))
    }

    #[cold]
    pub(crate) fn argument(text: impl Display) -> Fault {
        Fault::new(BL_E_ARGUMENT, text)
    }

    #[cold]
    pub(crate) fn name(text: impl Display) -> Fault {
        Fault::new(BL_E_NAME, text)
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What a thread says that has given up its own words.
const ENDING: &CStr = c"this thread is ending, and has no words any more";

/// Why the last call that failed on this thread did so, in words that name the value and what would
/// be right. Empty where none has failed. Valid until the next call that fails on this thread. In
/// the destructor of a thread's key (`pthread_key_create`) a call only has its status.
///
/// Threads: any, at once; each has words of its own.
#[unsafe(no_mangle)]
pub extern "C" fn bl_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(ENDING.as_ptr())
}

/// The status of a call. Notes its words where it failed.
#[inline]
pub(crate) fn report(outcome: Result<(), Fault>) -> bl_status {
    match outcome {
        Ok(()) => BL_OK,
        Err(fault) => note(fault),
    }
}

#[cold]
fn note(fault: Fault) -> bl_status {
    let text = fault.text.replace('\0', "\u{fffd}");
    let text = CString::new(text).expect("it has no zero byte");
    // A thread that is ending has nowhere to keep them.
    let _ = LAST.try_with(|last| last.replace(text));
    fault.status
}

/// The text that a caller gave, or `None` for a null pointer.
///
/// # Safety
/// It is null, or points to a text that ends with a zero byte and stays as it is during `'a`.
pub(crate) unsafe fn optional_text<'a>(
    text: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Fault> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not null, so that it ends with a zero byte and stays as it is, by the contract.
    let text = unsafe { CStr::from_ptr(text) };
    let valid = text.to_str().map(Some);
    valid.map_err(|_| Fault::name(format_args!("{text:?} is no {what}: it is not UTF-8")))
}

/// The text that a caller has to give.
///
/// # Safety
/// As [`optional_text`].
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: this function has the contract of `optional_text`.
    let text = unsafe { optional_text(text, what) }?;
    text.ok_or_else(|| Fault::argument(format_args!("the {what} is a null pointer")))
}

/// The bytes that a caller gave.
///
/// # Safety
/// `len` bytes can be read at `bytes` during `'a`, and nobody writes to them; or `len` is 0.
#[inline]
pub(crate) unsafe fn bytes<'a>(
    bytes: *const u8,
    len: usize,
    what: &str,
) -> Result<&'a [u8], Fault> {
    match (bytes.is_null(), len) {
        (false, 0..=MAX) => {
            // SAFETY: it is not null, and `len` bytes can be read there, by the contract.
            Ok(unsafe { slice::from_raw_parts(bytes, len) })
        }
        (true, 0) => Ok(&[]),
        _ => Err(no_bytes(bytes, len, what)),
    }
}

/// The room that a caller gave.
///
/// # Safety
/// `len` bytes can be read and written at `bytes` during `'a`, and nobody else does; or `len` is 0.
#[inline]
pub(crate) unsafe fn bytes_mut<'a>(
    bytes: *mut u8,
    len: usize,
    what: &str,
) -> Result<&'a mut [u8], Fault> {
    match (bytes.is_null(), len) {
        (false, 0..=MAX) => {
            // SAFETY: it is not null, and `len` bytes are for this caller alone, by the contract.
            Ok(unsafe { slice::from_raw_parts_mut(bytes, len) })
        }
        (true, 0) => Ok(&mut []),
        _ => Err(no_bytes(bytes, len, what)),
    }
}

#[cold]
fn no_bytes(bytes: *const u8, len: usize, what: &str) -> Fault {
    if bytes.is_null() {
        return Fault::argument(format_args!("the {what} is a null pointer, and has {len} bytes"));
    }
    Fault::argument(format_args!("the {what} has {len} bytes, more than memory has: at most {MAX}"))
}

/// Values in an array that a caller gave.
///
/// # Safety
/// So many values can be read at `first` during `'a`, and nobody writes to them; or `count` is 0.
pub(crate) unsafe fn array<'a, T>(
    first: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Fault> {
    check_array(first, count, what)?;
    // SAFETY: it is not null unless it is empty, and so many values can be read there, by the
    // contract.
    Ok(if count == 0 { &[] } else { unsafe { slice::from_raw_parts(first, count) } })
}

/// Refuses an array that is at no address, or of which memory could not have so many values.
#[inline]
pub(crate) fn check_array<T>(first: *const T, count: usize, what: &str) -> Result<(), Fault> {
    if count == 0 || (!first.is_null() && count <= MAX / size_of::<T>()) {
        return Ok(());
    }
    Err(no_array(first.is_null(), count, MAX / size_of::<T>(), what))
}

#[cold]
fn no_array(is_null: bool, count: usize, max: usize, what: &str) -> Fault {
    if is_null {
        return Fault::argument(format_args!("{count} {what} are at a null pointer"));
    }
    Fault::argument(format_args!("{count} {what} are more than memory has: at most {max}"))
}

/// A structure that a caller gave, of which `size` is the first member.
///
/// # Safety
/// It is null, or its first member can be read; and if that is the size of `T`, all of it can be,
/// during `'a`, and nobody writes to it.
pub(crate) unsafe fn structure<'a, T>(given: *const T, name: &str) -> Result<&'a T, Fault> {
    if given.is_null() {
        return Err(Fault::argument(format_args!("the {name} is a null pointer")));
    }
    // SAFETY: it is not null, so that its first member, a size, can be read, by the contract.
    let size = unsafe { given.cast::<usize>().read() };
    check_size::<T>(size, name)?;
    // SAFETY: its size is that of `T`, so that all of it can be read, by the contract.
    Ok(unsafe { &*given })
}

/// A structure that a caller gave to be filled, of which `size` is the first member.
///
/// # Safety
/// As [`structure`], and it can be written during `'a`, and nobody else uses it.
pub(crate) unsafe fn structure_mut<'a, T>(given: *mut T, name: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: the caller vouches for it; the reference is dropped here.
    unsafe { structure(given, name) }?;
    // SAFETY: it is not null, and the caller vouches for all of a structure of this size.
    Ok(unsafe { &mut *given })
}

/// Refuses a structure of another size than this version's.
#[inline]
pub(crate) fn check_size<T>(size: usize, name: &str) -> Result<(), Fault> {
    if size == size_of::<T>() { Ok(()) } else { Err(wrong_size::<T>(size, name)) }
}

#[cold]
fn wrong_size<T>(size: usize, name: &str) -> Fault {
    Fault::argument(format_args!(
        "the member size of {name} is {size}; right is sizeof({name}), {}",
        size_of::<T>()
    ))
}

/// An object that a caller gave back.
///
/// # Safety
/// It is null, or was opened by this library and not closed, and nobody writes to it during `'a`.
#[inline]
pub(crate) unsafe fn object<'a, T>(object: *const T, name: &str) -> Result<&'a T, Fault> {
    // SAFETY: it is null or open, and nobody writes to it, by the contract.
    unsafe { object.as_ref() }.ok_or_else(|| null(name))
}

/// An object that a caller gave back, and that no other thread uses.
///
/// # Safety
/// It is null, or was opened by this library and not closed, and nobody else uses it during `'a`.
#[inline]
pub(crate) unsafe fn object_mut<'a, T>(object: *mut T, name: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: it is null or open, and nobody else uses it, by the contract.
    unsafe { object.as_mut() }.ok_or_else(|| null(name))
}

#[cold]
fn null(name: &str) -> Fault {
    Fault::argument(format_args!("the {name} is a null pointer"))
}

/// Writes a result to where the caller wants it.
///
/// # Safety
/// It is null, or a value can be written there.
pub(crate) unsafe fn put<T>(place: *mut T, name: &str, value: T) -> Result<(), Fault> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: it is not null, so that a value can be written there, by the contract.
    unsafe { place.write(value) };
    Ok(())
}
