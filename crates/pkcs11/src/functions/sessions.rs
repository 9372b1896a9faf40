//! Sessions.

use cryptoki_sys::*;

use super::{guard, guard_secrets};
use crate::memory::{Outcome, put};
use crate::module::{self, desk};

pub unsafe extern "C" fn C_OpenSession(
    slot: CK_SLOT_ID,
    flags: CK_FLAGS,
    _application: *mut std::ffi::c_void,
    _notify: CK_NOTIFY,
    session: *mut CK_SESSION_HANDLE,
) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        module.slot(slot)?;
        if flags & CKF_SERIAL_SESSION == 0 {
            return Err(CKR_SESSION_PARALLEL_NOT_SUPPORTED);
        }
        if flags & CKF_ASYNC_SESSION != 0 {
            return Err(CKR_SESSION_ASYNC_NOT_SUPPORTED);
        }
        if session.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        let handle = module.open(slot, flags & CKF_RW_SESSION != 0)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(session, handle) }
    })
}

pub unsafe extern "C" fn C_CloseSession(session: CK_SESSION_HANDLE) -> CK_RV {
    guard_secrets(|| match module::current()?.close(|open| open.handle == session) {
        0 => Err(CKR_SESSION_HANDLE_INVALID),
        _ => Ok(()),
    })
}

pub unsafe extern "C" fn C_CloseAllSessions(slot: CK_SLOT_ID) -> CK_RV {
    guard_secrets(|| {
        let module = module::current()?;
        let (number, _) = module.slot(slot)?;
        module.close(|open| open.slot == number);
        Ok(())
    })
}

pub unsafe extern "C" fn C_GetSessionInfo(
    session: CK_SESSION_HANDLE,
    info: *mut CK_SESSION_INFO,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        let writes = if desk.session.writes { CKF_RW_SESSION } else { 0 };
        let value = CK_SESSION_INFO {
            slotID: desk.slot().id,
            state: desk.session.state(desk.slot()),
            flags: CKF_SERIAL_SESSION | writes,
            ulDeviceError: 0,
        };
        // SAFETY: the pointer is null or points to room.
        unsafe { put(info, value) }
    })
}

/// Ends operations of the kinds that the flags name.
fn cancel(session: CK_SESSION_HANDLE, flags: CK_FLAGS) -> Outcome {
    use crate::session::Running;

    let desk = desk(session)?;
    let mut operations = desk.session.operations();
    let operations = &mut *operations;
    fn end<T>(is_meant: bool, running: &mut Running<T>) {
        if is_meant && matches!(running, Running::Active(_)) {
            *running = Running::None;
        }
    }
    end(flags & CKF_FIND_OBJECTS != 0, &mut operations.find);
    end(flags & CKF_DIGEST != 0, &mut operations.digest);
    end(flags & CKF_SIGN != 0, &mut operations.sign);
    end(flags & CKF_VERIFY != 0, &mut operations.verify);
    end(flags & CKF_VERIFY != 0, &mut operations.verify_signature);
    end(flags & CKF_ENCRYPT != 0, &mut operations.encrypt);
    end(flags & CKF_DECRYPT != 0, &mut operations.decrypt);
    Ok(())
}

pub unsafe extern "C" fn C_SessionCancel(session: CK_SESSION_HANDLE, flags: CK_FLAGS) -> CK_RV {
    guard(|| cancel(session, flags))
}

pub unsafe extern "C" fn C_GetSessionValidationFlags(
    session: CK_SESSION_HANDLE,
    kind: CK_SESSION_VALIDATION_FLAGS_TYPE,
    flags: *mut CK_FLAGS,
) -> CK_RV {
    guard(|| {
        desk(session)?;
        if kind != CKS_LAST_VALIDATION_OK {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // No authority has validated the module, so that no operation has a flag.
        // SAFETY: the pointer is null or points to room.
        unsafe { put(flags, 0) }
    })
}
