//! New keys, keys that are derived, keys under keys, random bytes.

use cryptoki_sys::*;

use super::{guard, guard_secrets};
use crate::attribute::Attributes;
use crate::generate;
use crate::kem::{self, Encapsulation};
use crate::memory::{Outcome, Output, put, read, template, write};
use crate::module::desk;
use crate::object::Object;
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

/// # Errors
/// `CKR_USER_NOT_LOGGED_IN`: the key asks for the PIN each time, and there is no call before in
/// which it could be given.
fn must_not_ask(key: &Object) -> Outcome {
    let asks = key.attributes.is(CKA_ALWAYS_AUTHENTICATE);
    if asks { Err(CKR_USER_NOT_LOGGED_IN) } else { Ok(()) }
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
        must_not_ask(&unwrapping)?;
        let (module, officer) = (&desk.module, is_officer(&desk));
        let attributes =
            wrap::unwrapped(module, &given, &unwrapping, wrapped, attributes, officer)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(key, desk.add(attributes)?) }
    })
}

pub unsafe extern "C" fn C_EncapsulateKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    public_key: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    ciphertext: *mut u8,
    ciphertext_len: *mut CK_ULONG,
    key: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let mut output = unsafe { Output::new(ciphertext, ciphertext_len) }?;
        if key.is_null() && !output.is_query() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        // SAFETY: as the caller says.
        let attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        let object = desk.key(public_key, given.id, CKA_ENCAPSULATE)?;
        let encapsulation = Encapsulation::new(&given, &object, attributes, is_officer(&desk))?;
        if !output.ask(encapsulation.ciphertext_len())? {
            return Ok(());
        }
        let (ciphertext, attributes) = encapsulation.run(&desk.module)?;
        let made = desk.add(attributes)?;
        output.give(&ciphertext)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(key, made) }
    })
}

pub unsafe extern "C" fn C_DecapsulateKey(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    private_key: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    ciphertext: *mut u8,
    ciphertext_len: CK_ULONG,
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
        let ciphertext = unsafe { read(ciphertext, ciphertext_len) }?;
        // SAFETY: as the caller says.
        let attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        let object = desk.key(private_key, given.id, CKA_DECAPSULATE).map_err(of_unwrapping)?;
        must_not_ask(&object)?;
        let officer = is_officer(&desk);
        let attributes =
            kem::decapsulated(&desk.module, &given, &object, ciphertext, attributes, officer)?;
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
