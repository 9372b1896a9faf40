//! Objects.

use cryptoki_sys::*;

use super::{guard, guard_secrets};
use crate::attribute::Attributes;
use crate::memory::{Outcome, put, read, template, write};
use crate::module::desk;
use crate::object::Object;
use crate::session::{After, Desk};
use crate::store::Role;

pub unsafe extern "C" fn C_CreateObject(
    session: CK_SESSION_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    object: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if object.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let mut attributes = Attributes::of_template(unsafe { template(attributes, count) }?)?;
        attributes.need(CKA_CLASS)?;
        attributes.check_new(desk.slot().login() == Some(Role::Officer))?;
        attributes.complete();
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(object, desk.add(attributes)?) }
    })
}

/// An object that a session may change or remove.
fn writable(desk: &Desk, handle: CK_OBJECT_HANDLE) -> Outcome<std::sync::Arc<Object>> {
    let object = desk.object(handle)?;
    if object.is_in_token() && !desk.session.writes {
        return Err(CKR_SESSION_READ_ONLY);
    }
    Ok(object)
}

pub unsafe extern "C" fn C_CopyObject(
    session: CK_SESSION_HANDLE,
    object: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
    copy: *mut CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if copy.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let changes = unsafe { template(attributes, count) }?;
        let object = desk.object(object)?;
        if !object.attributes.is(CKA_COPYABLE) {
            return Err(CKR_ACTION_PROHIBITED);
        }
        let officer = desk.slot().login() == Some(Role::Officer);
        let attributes = object.attributes.changed(changes, true, officer)?;
        // SAFETY: the pointer is not null, so that it points to room.
        unsafe { put(copy, desk.add(attributes)?) }
    })
}

pub unsafe extern "C" fn C_DestroyObject(
    session: CK_SESSION_HANDLE,
    handle: CK_OBJECT_HANDLE,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        let object = writable(&desk, handle)?;
        if !object.attributes.is(CKA_DESTROYABLE) {
            return Err(CKR_ACTION_PROHIBITED);
        }
        desk.slot().remove(handle, &object)
    })
}

pub unsafe extern "C" fn C_GetObjectSize(
    session: CK_SESSION_HANDLE,
    handle: CK_OBJECT_HANDLE,
    size: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let object = desk(session)?.object(handle)?;
        let bytes: usize = object.attributes.iter().map(|(_, value)| 16 + value.len()).sum();
        // SAFETY: the pointer is null or points to room.
        unsafe { put(size, bytes as CK_ULONG) }
    })
}

pub unsafe extern "C" fn C_GetAttributeValue(
    session: CK_SESSION_HANDLE,
    handle: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let object = desk(session)?.object(handle)?;
        if attributes.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        let mut result = Ok(());
        // SAFETY: as the caller says.
        for attribute in unsafe { write(attributes, count) }? {
            let id = attribute.type_;
            let given = match object.attributes.get(id) {
                _ if object.attributes.hides(id) => Err(CKR_ATTRIBUTE_SENSITIVE),
                None => Err(CKR_ATTRIBUTE_TYPE_INVALID),
                // SAFETY: as the caller says.
                Some(value) => unsafe { give(attribute, value) },
            };
            if let Err(error) = given {
                attribute.ulValueLen = CK_UNAVAILABLE_INFORMATION;
                result = Err(error);
            }
        }
        result
    })
}

/// Writes a value, or its length where the caller has no room.
///
/// # Safety
/// The pointer is null, or points to as many bytes as the length beside it says.
unsafe fn give(attribute: &mut CK_ATTRIBUTE, value: &[u8]) -> Outcome {
    let room = attribute.ulValueLen;
    attribute.ulValueLen = value.len() as CK_ULONG;
    if attribute.pValue.is_null() || value.is_empty() {
        return Ok(());
    }
    if room < value.len() as CK_ULONG {
        return Err(CKR_BUFFER_TOO_SMALL);
    }
    // SAFETY: there is room for so many bytes.
    unsafe { value.as_ptr().copy_to(attribute.pValue.cast(), value.len()) };
    Ok(())
}

pub unsafe extern "C" fn C_SetAttributeValue(
    session: CK_SESSION_HANDLE,
    handle: CK_OBJECT_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        if attributes.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let changes = unsafe { template(attributes, count) }?;
        writable(&desk, handle)?;
        let officer = desk.slot().login() == Some(Role::Officer);
        desk.slot().change(&desk.module.registry, handle, |attributes| {
            if !attributes.is(CKA_MODIFIABLE) {
                return Err(CKR_ACTION_PROHIBITED);
            }
            attributes.changed(changes.clone(), false, officer)
        })
    })
}

pub unsafe extern "C" fn C_FindObjectsInit(
    session: CK_SESSION_HANDLE,
    attributes: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    guard_secrets(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let wanted = unsafe { read(attributes, count) }.and_then(|_| {
            // SAFETY: as above.
            unsafe { template(attributes, count) }
        })?;
        desk.session.operations().find.must_be_free()?;
        desk.slot().refresh(&desk.module.registry)?;
        let mut found = desk.slot().find(|attributes| attributes.matches(&wanted));
        // The first one found is given first, from the end.
        found.reverse();
        desk.session.operations().find.begin(found)
    })
}

pub unsafe extern "C" fn C_FindObjects(
    session: CK_SESSION_HANDLE,
    objects: *mut CK_OBJECT_HANDLE,
    most: CK_ULONG,
    count: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        if count.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: as the caller says.
        let places = unsafe { write(objects, most) }?;
        desk.session.work(
            |operations| &mut operations.find,
            |found| {
                let mut given = 0;
                for place in places {
                    let Some(handle) = found.pop() else { break };
                    *place = handle;
                    given += 1;
                }
                // SAFETY: the pointer is not null, so that it points to room.
                (After::GoesOn, unsafe { put(count, given) })
            },
        )
    })
}

pub unsafe extern "C" fn C_FindObjectsFinal(session: CK_SESSION_HANDLE) -> CK_RV {
    guard(|| {
        desk(session)?.session.work(|operations| &mut operations.find, |_| (After::Ends, Ok(())))
    })
}
