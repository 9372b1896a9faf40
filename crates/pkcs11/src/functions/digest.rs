//! Digests.

use cryptoki_sys::*;

use super::guard;
use crate::digest::Digesting;
use crate::key::Key;
use crate::memory::{Output, read};
use crate::module::desk;
use crate::parameter::Given;
use crate::session::After;

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
        let (data, output) = unsafe { (read(data, len)?, Output::new(digest, digest_len)?) };
        desk.session.work(
            |operations| &mut operations.digest,
            |digesting| digesting.whole(&desk.module, data, output),
        )
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
        let data = unsafe { read(data, len) }?;
        desk.session.work(|operations| &mut operations.digest, |digesting| digesting.update(data))
    })
}

pub unsafe extern "C" fn C_DigestKey(session: CK_SESSION_HANDLE, key: CK_OBJECT_HANDLE) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        desk.session.work(
            |operations| &mut operations.digest,
            |digesting| {
                let object = match desk.slot().object(key, CKR_KEY_HANDLE_INVALID) {
                    Ok(object) => object,
                    Err(error) => return (After::Ends, Err(error)),
                };
                // A digest of a key that must not leave would tell something of it.
                match object.key() {
                    Ok(Key::Secret(value)) if !object.attributes.hides(CKA_VALUE) => {
                        digesting.update(value)
                    }
                    Ok(_) => (After::Ends, Err(CKR_KEY_INDIGESTIBLE)),
                    Err(error) => (After::Ends, Err(error)),
                }
            },
        )
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
        let output = unsafe { Output::new(digest, len) }?;
        desk.session.work(|operations| &mut operations.digest, |digesting| digesting.finish(output))
    })
}
