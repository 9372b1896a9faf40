//! Digests.

use cryptoki_sys::*;

use super::guard;
use crate::digest::Digesting;
use crate::key::Key;
use crate::memory::{Output, both, read};
use crate::module::desk;
use crate::parameter::Given;
use crate::session::{After, Operations, Running, with_arguments};

fn digesting(operations: &mut Operations) -> &mut Running<Digesting> {
    &mut operations.digest
}

pub unsafe extern "C" fn C_DigestInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        desk.session.operations().digest.must_be_free()?;
        desk.session.operations().digest.begin(Digesting::new(&given)?)
    })
}

pub unsafe extern "C" fn C_Digest(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    digest: *mut u8,
    digest_len: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let arguments = unsafe { both(read(data, len), Output::new(digest, digest_len)) };
        desk.session.work(digesting, |one| {
            with_arguments(arguments, |(data, output)| one.whole(&desk.module, data, output))
        })
    })
}

pub unsafe extern "C" fn C_DigestUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let data = unsafe { read(data, len) };
        desk.session
            .work(digesting, |one| with_arguments(data, |data| one.update(&desk.module, data)))
    })
}

pub unsafe extern "C" fn C_DigestKey(session: CK_SESSION_HANDLE, key: CK_OBJECT_HANDLE) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        let object = desk.slot().object(key, CKR_KEY_HANDLE_INVALID);
        desk.session.work(digesting, |one| {
            with_arguments(object, |object| match object.key() {
                // A digest of a key that must not leave would tell something of it.
                Ok(Key::Secret(value)) if !object.attributes.hides(CKA_VALUE) => {
                    one.update(&desk.module, value)
                }
                Ok(_) => (After::Ends, Err(CKR_KEY_INDIGESTIBLE)),
                Err(error) => (After::Ends, Err(error)),
            })
        })
    })
}

pub unsafe extern "C" fn C_DigestFinal(
    session: CK_SESSION_HANDLE,
    digest: *mut u8,
    len: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let output = unsafe { Output::new(digest, len) };
        desk.session.work(digesting, |one| {
            with_arguments(output, |output| one.finish(&desk.module, output))
        })
    })
}
