//! New keys, keys that are derived, keys under keys, random bytes.

use cryptoki_sys::*;

use super::{guard, guard_secrets};
use crate::attribute::Attributes;
use crate::generate;
use crate::memory::{Output, put, read, template, write};
use crate::module::desk;
use crate::parameter::Given;
use crate::random;
use crate::session::Desk;
use crate::store::Role;
use crate::wrap;

fn is_officer(desk: &Desk) -> bool {
    desk.slot().login() == Some(Role::Officer)
}

pub unsafe extern "C" fn C_GenerateKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    key: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if key.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        // SAFETY: as the caller says.
        let attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        let attributes = generate::secret(&given, attributes, is_officer(&desk))?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(key, desk.add(attributes)?) }
    })
}

pub unsafe extern "C" fn C_GenerateKeyPair(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    public_attributes: *mut CK_ATTRIBUTE,
    public_count: CK_ULONG,
    private_attributes: *mut CK_ATTRIBUTE,
    private_count: CK_ULONG,
    public_key: *mut CK_OBJECT_HANDLE,
    private_key: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if public_key.is_null() || private_key.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        // SAFETY: as the caller says.
        let public = unsafe { template(public_attributes, public_count) }?;
        // SAFETY: as the caller says.
        let private = unsafe { template(private_attributes, private_count) }?;
        let (public, private) =
            (Attributes::of_template(public)?, Attributes::of_template(private)?);
        let officer = is_officer(&desk);
        let (public, private) = generate::pair(&desk.module, &given, public, private, officer)?;
        let public = desk.add(public)?;
        let private = desk.add(private).inspect_err(|_| {
            // Half a pair is of no use. If it cannot be removed either, the first error counts.
            if let Ok(object) = desk.object(public) {
                let _ = desk.slot().remove(public, &object);
            }
        })?;
        // SAFETY: the pointers are not null, so that they point to room.
        unsafe {
            put(public_key, public)?;
            put(private_key, private)
        }
    })
}

pub unsafe extern "C" fn C_DeriveKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    base: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    key: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if key.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        // SAFETY: as the caller says.
        let attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        let base = desk.key(base, given.id, CKA_DERIVE)?;
        let officer = is_officer(&desk);
        let attributes = generate::derived(&desk.module, &given, &base, attributes, officer)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(key, desk.add(attributes)?) }
    })
}

/// An error of a key that wraps.
fn of_wrapping(error: CK_RV) -> CK_RV {
    match error {
        CKR_KEY_HANDLE_INVALID => CKR_WRAPPING_KEY_HANDLE_INVALID,
        CKR_KEY_TYPE_INCONSISTENT => CKR_WRAPPING_KEY_TYPE_INCONSISTENT,
        other => other,
    }
}

/// An error of a key that unwraps.
fn of_unwrapping(error: CK_RV) -> CK_RV {
    match error {
        CKR_KEY_HANDLE_INVALID => CKR_UNWRAPPING_KEY_HANDLE_INVALID,
        CKR_KEY_TYPE_INCONSISTENT => CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT,
        other => other,
    }
}

pub unsafe extern "C" fn C_WrapKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    wrapping: CK_OBJECT_HANDLE,
    key: CK_OBJECT_HANDLE,
    wrapped: *mut u8,
    wrapped_len: *mut CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let mut output = unsafe { Output::new(wrapped, wrapped_len) }?;
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        let wrapping = desk.key(wrapping, given.id, CKA_WRAP).map_err(of_wrapping)?;
        let object = desk.slot().object(key, CKR_KEY_HANDLE_INVALID)?;
        let wrapped = wrap::wrapped(&desk.module, &given, &wrapping, &object)?;
        output.give(&wrapped).map(drop)
    })
}

pub unsafe extern "C" fn C_UnwrapKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    unwrapping: CK_OBJECT_HANDLE,
    wrapped: *mut u8,
    wrapped_len: CK_ULONG,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    key: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if key.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        // SAFETY: as the caller says.
        let wrapped = unsafe { read(wrapped, wrapped_len) }?;
        // SAFETY: as the caller says.
        let attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        let unwrapping = desk.key(unwrapping, given.id, CKA_UNWRAP).map_err(of_unwrapping)?;
        // There is no call between that would ask for the PIN once more.
        if unwrapping.attributes.is(CKA_ALWAYS_AUTHENTICATE) {
            return Err(CKR_USER_NOT_LOGGED_IN);
        }
        let (module, officer) = (&desk.module, is_officer(&desk));
        let attributes =
            wrap::unwrapped(module, &given, &unwrapping, wrapped, attributes, officer)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(key, desk.add(attributes)?) }
    })
}

pub unsafe extern "C" fn C_SeedRandom(
    session: CK_SESSION_HANDLE,
    _seed: *mut u8,
    _len: CK_ULONG,
) -> CK_RV {
    // The system's generator seeds itself.
    guard(|| desk(session).and(Err(CKR_RANDOM_SEED_NOT_SUPPORTED)))
}

pub unsafe extern "C" fn C_GenerateRandom(
    session: CK_SESSION_HANDLE,
    bytes: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        desk(session)?;
        // SAFETY: as the caller says.
        random::fill(unsafe { write(bytes, len) }?)
    })
}
