//! What the tests of several files need.

use std::ffi::CStr;
use std::ptr;

use broadloom_capi::*;

/// A structure of the library with nothing set.
pub fn zeroed<T>() -> T {
    // SAFETY: the structures of the library are numbers and pointers, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

/// The words of the last error of this thread.
pub fn last_error() -> String {
    // SAFETY: the library gives texts that end with a zero byte.
    unsafe { CStr::from_ptr(bl_last_error()) }.to_str().expect("it is UTF-8").to_owned()
}

/// Opens a session, or returns the status with which it was refused.
pub fn open(transform: &bl_transform) -> Result<*mut bl_session, bl_status> {
    let mut session = ptr::null_mut();
    // SAFETY: the transforms of these tests are as documented, but for lengths that are refused.
    match unsafe { bl_session_open(transform, &mut session) } {
        BL_OK => Ok(session),
        status => Err(status),
    }
}
