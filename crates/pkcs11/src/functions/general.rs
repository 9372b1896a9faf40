//! Initialization, and what the module is.

use std::ffi::c_void;

use cryptoki_sys::*;

use super::{guard, guard_secrets};
use crate::memory::{padded, put};
use crate::module;

/// The version of the module, from that of the crate.
pub fn version() -> CK_VERSION {
    let part = |text: &str| text.parse().unwrap_or(0);
    CK_VERSION {
        major: part(env!("CARGO_PKG_VERSION_MAJOR")),
        minor: part(env!("CARGO_PKG_VERSION_MINOR")),
    }
}

pub unsafe extern "C" fn C_Initialize(arguments: *mut c_void) -> CK_RV {
    guard(|| {
        // SAFETY: the pointer is null or points to the arguments.
        if let Some(arguments) = unsafe { arguments.cast::<CK_C_INITIALIZE_ARGS>().as_ref() } {
            let given = [
                arguments.CreateMutex.is_some(),
                arguments.DestroyMutex.is_some(),
                arguments.LockMutex.is_some(),
                arguments.UnlockMutex.is_some(),
            ];
            let some = given.contains(&true);
            if !arguments.pReserved.is_null() || some && given.contains(&false) {
                return Err(CKR_ARGUMENTS_BAD);
            }
            // The module has locks of the system alone.
            if some && arguments.flags & CKF_OS_LOCKING_OK == 0 {
                return Err(CKR_CANT_LOCK);
            }
        }
        module::initialize()
    })
}

pub unsafe extern "C" fn C_Finalize(reserved: *mut c_void) -> CK_RV {
    guard_secrets(|| if reserved.is_null() { module::finalize() } else { Err(CKR_ARGUMENTS_BAD) })
}

pub unsafe extern "C" fn C_GetInfo(info: *mut CK_INFO) -> CK_RV {
    guard(|| {
        module::current()?;
        let value = CK_INFO {
            cryptokiVersion: CK_VERSION { major: 3, minor: 2 },
            manufacturerID: padded("Broadloom"),
            flags: 0,
            libraryDescription: padded("Broadloom"),
            libraryVersion: version(),
        };
        // SAFETY: the pointer is null or points to room.
        unsafe { put(info, value) }
    })
}
