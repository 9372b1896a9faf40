//! Slots, tokens, mechanisms and PINs.

use std::ffi::c_void;

use cryptoki_sys::*;

use super::general::version;
use super::{guard, guard_secrets};
use crate::mechanism;
use crate::memory::{Outcome, give_list, padded, put, read};
use crate::module::{self, desk};
use crate::store::{MOST_TRIES, Role};

/// Lengths of PINs, in bytes.
const PIN_LENS: std::ops::RangeInclusive<usize> = 4..=255;

/// A PIN. There is no keypad, so that a caller has to give one.
///
/// # Safety
/// As [`read`].
unsafe fn pin<'a>(pin: *const u8, len: CK_ULONG) -> Outcome<&'a [u8]> {
    if pin.is_null() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: passed on to the caller.
    unsafe { read(pin, len) }
}

/// # Errors
/// `CKR_PIN_LEN_RANGE`.
fn new_pin(pin: &[u8]) -> Outcome<&[u8]> {
    if PIN_LENS.contains(&pin.len()) { Ok(pin) } else { Err(CKR_PIN_LEN_RANGE) }
}

pub unsafe extern "C" fn C_GetSlotList(
    _present: CK_BBOOL,
    list: *mut CK_SLOT_ID,
    count: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        let ids: Vec<CK_SLOT_ID> = module.slots.iter().map(|slot| slot.id).collect();
        // SAFETY: as the caller says.
        unsafe { give_list(&ids, list, count) }
    })
}

pub unsafe extern "C" fn C_GetSlotInfo(id: CK_SLOT_ID, info: *mut CK_SLOT_INFO) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        module.slot(id)?;
        let value = CK_SLOT_INFO {
            slotDescription: padded(&format!("Broadloom slot {id}")),
            manufacturerID: padded("Broadloom"),
            flags: CKF_TOKEN_PRESENT,
            hardwareVersion: version(),
            firmwareVersion: version(),
        };
        // SAFETY: the pointer is null or points to room.
        unsafe { put(info, value) }
    })
}

/// Flags of a role's PIN: some guesses were wrong, one is left, none is left.
fn pin_flags(tries: u8, [low, last, locked]: [CK_FLAGS; 3]) -> CK_FLAGS {
    match MOST_TRIES - tries.min(MOST_TRIES) {
        0 => locked,
        1 => low | last,
        _ if tries > 0 => low,
        _ => 0,
    }
}

pub unsafe extern "C" fn C_GetTokenInfo(id: CK_SLOT_ID, info: *mut CK_TOKEN_INFO) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        let (number, slot) = module.slot(id)?;
        let token = slot.store.token()?;
        let (writing, reading) = module.count(number);
        let mut flags = CKF_RNG | CKF_LOGIN_REQUIRED | CKF_RESTORE_KEY_NOT_NEEDED;
        let (mut label, mut serial) = (padded(""), padded(""));
        if let Some(token) = &token {
            (label, serial) = (token.label, token.serial);
            flags |= CKF_TOKEN_INITIALIZED;
            flags |= if token.has_user() { CKF_USER_PIN_INITIALIZED } else { 0 };
            let user = [CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED];
            let officer = [CKF_SO_PIN_COUNT_LOW, CKF_SO_PIN_FINAL_TRY, CKF_SO_PIN_LOCKED];
            flags |= pin_flags(token.tries(Role::User), user);
            flags |= pin_flags(token.tries(Role::Officer), officer);
        }
        let value = CK_TOKEN_INFO {
            label,
            manufacturerID: padded("Broadloom"),
            model: padded("Broadloom"),
            serialNumber: serial,
            flags,
            ulMaxSessionCount: CK_EFFECTIVELY_INFINITE,
            ulSessionCount: (writing + reading) as CK_ULONG,
            ulMaxRwSessionCount: CK_EFFECTIVELY_INFINITE,
            ulRwSessionCount: writing as CK_ULONG,
            ulMaxPinLen: *PIN_LENS.end() as CK_ULONG,
            ulMinPinLen: *PIN_LENS.start() as CK_ULONG,
            ulTotalPublicMemory: CK_UNAVAILABLE_INFORMATION,
            ulFreePublicMemory: CK_UNAVAILABLE_INFORMATION,
            ulTotalPrivateMemory: CK_UNAVAILABLE_INFORMATION,
            ulFreePrivateMemory: CK_UNAVAILABLE_INFORMATION,
            hardwareVersion: version(),
            firmwareVersion: version(),
            utcTime: padded(""),
        };
        // SAFETY: the pointer is null or points to room.
        unsafe { put(info, value) }
    })
}

pub unsafe extern "C" fn C_GetMechanismList(
    id: CK_SLOT_ID,
    list: *mut CK_MECHANISM_TYPE,
    count: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        module.slot(id)?;
        let available = mechanism::available(&module.registry);
        let ids: Vec<CK_MECHANISM_TYPE> = available.into_iter().map(|one| one.id).collect();
        // SAFETY: as the caller says.
        unsafe { give_list(&ids, list, count) }
    })
}

pub unsafe extern "C" fn C_GetMechanismInfo(
    id: CK_SLOT_ID,
    mechanism: CK_MECHANISM_TYPE,
    info: *mut CK_MECHANISM_INFO,
) -> CK_RV {
    guard(|| {
        let module = module::current()?;
        module.slot(id)?;
        let value = mechanism::find(mechanism)?.info();
        // SAFETY: the pointer is null or points to room.
        unsafe { put(info, value) }
    })
}

pub unsafe extern "C" fn C_WaitForSlotEvent(
    flags: CK_FLAGS,
    _slot: *mut CK_SLOT_ID,
    reserved: *mut c_void,
) -> CK_RV {
    guard(|| {
        module::current()?;
        if !reserved.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // Tokens neither come nor go: whoever waits for that would wait for ever.
        let asks = flags & CKF_DONT_BLOCK != 0;
        Err(if asks { CKR_NO_EVENT } else { CKR_FUNCTION_NOT_SUPPORTED })
    })
}

pub unsafe extern "C" fn C_InitToken(
    id: CK_SLOT_ID,
    so_pin: *mut u8,
    so_pin_len: CK_ULONG,
    label: *mut u8,
) -> CK_RV {
    guard_secrets(|| {
        let module = module::current()?;
        let (number, slot) = module.slot(id)?;
        // SAFETY: as the caller says; a label has 32 bytes.
        let (so_pin, label) = unsafe { (pin(so_pin, so_pin_len)?, read(label, 32)?) };
        if module.count(number) != (0, 0) {
            return Err(CKR_SESSION_EXISTS);
        }
        let label = label.try_into().map_err(|_| CKR_ARGUMENTS_BAD)?;
        slot.store.initialize(&module.registry, new_pin(so_pin)?, label)?;
        slot.reset();
        Ok(())
    })
}

pub unsafe extern "C" fn C_InitPIN(
    session: CK_SESSION_HANDLE,
    user_pin: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let user_pin = unsafe { pin(user_pin, len) }?;
        let slot = desk.slot();
        if slot.login() != Some(Role::Officer) {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        let key = slot.key().ok_or(CKR_USER_NOT_LOGGED_IN)?;
        slot.store.set_pin(&desk.module.registry, Role::User, new_pin(user_pin)?, &key)
    })
}

pub unsafe extern "C" fn C_SetPIN(
    session: CK_SESSION_HANDLE,
    old: *mut u8,
    old_len: CK_ULONG,
    new: *mut u8,
    new_len: CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let (old, new) = unsafe { (pin(old, old_len)?, pin(new, new_len)?) };
        if !desk.session.writes {
            return Err(CKR_SESSION_READ_ONLY);
        }
        let new = new_pin(new)?;
        let (slot, registry) = (desk.slot(), &desk.module.registry);
        let role = slot.login().unwrap_or(Role::User);
        let key = slot.store.login(registry, role, old)?;
        slot.store.set_pin(registry, role, new, &key)
    })
}

pub unsafe extern "C" fn C_Login(
    session: CK_SESSION_HANDLE,
    user: CK_USER_TYPE,
    given: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        let (slot, registry) = (desk.slot(), &desk.module.registry);
        let role = match user {
            CKU_USER => Role::User,
            CKU_SO => Role::Officer,
            CKU_CONTEXT_SPECIFIC => {
                // SAFETY: as the caller says.
                return log_in_once_more(&desk, unsafe { pin(given, len) }?);
            }
            _ => return Err(CKR_USER_TYPE_INVALID),
        };
        match slot.login() {
            Some(other) if other == role => return Err(CKR_USER_ALREADY_LOGGED_IN),
            Some(_) => return Err(CKR_USER_ANOTHER_ALREADY_LOGGED_IN),
            None => {}
        }
        if role == Role::Officer && desk.module.count(desk.session.slot).1 > 0 {
            return Err(CKR_SESSION_READ_ONLY_EXISTS);
        }
        // SAFETY: as the caller says.
        let given = unsafe { pin(given, len) }?;
        let key = slot.store.login(registry, role, given)?;
        slot.enter(role, key)?;
        slot.refresh(registry)
    })
}

/// Lets an operation begin whose key asks for the PIN each time.
fn log_in_once_more(desk: &crate::session::Desk, pin: &[u8]) -> Outcome {
    if desk.slot().login() != Some(Role::User) || !desk.session.operations().may_go_on(false) {
        return Err(CKR_OPERATION_NOT_INITIALIZED);
    }
    desk.slot().store.login(&desk.module.registry, Role::User, pin)?;
    desk.session.operations().may_go_on(true);
    Ok(())
}

pub unsafe extern "C" fn C_Logout(session: CK_SESSION_HANDLE) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if desk.slot().login().is_none() {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        desk.module.leave(desk.slot());
        Ok(())
    })
}
