//! Signatures and MACs.

use cryptoki_sys::*;

use super::guard;
use crate::memory::{Output, both, read};
use crate::module::desk;
use crate::parameter::Given;
use crate::session::{Operations, Running, with_arguments};
use crate::sign::Signing;

fn signing(operations: &mut Operations) -> &mut Running<Signing> {
    &mut operations.sign
}

fn verifying(operations: &mut Operations) -> &mut Running<Signing> {
    &mut operations.verify
}

fn verifying_given(operations: &mut Operations) -> &mut Running<(Signing, Vec<u8>)> {
    &mut operations.verify_signature
}

pub unsafe extern "C" fn C_SignInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        desk.session.operations().sign.must_be_free()?;
        let object = desk.key(key, given.id, CKA_SIGN)?;
        let operation = Signing::new(&desk.module, object, &given, false)?;
        desk.session.operations().sign.begin(operation)
    })
}

pub unsafe extern "C" fn C_Sign(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    signature: *mut u8,
    signature_len: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let arguments = unsafe { both(read(data, len), Output::new(signature, signature_len)) };
        desk.session.work(signing, |one| {
            with_arguments(arguments, |(data, output)| one.sign(&desk.module, data, output))
        })
    })
}

pub unsafe extern "C" fn C_SignUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let data = unsafe { read(data, len) };
        desk.session
            .work(signing, |one| with_arguments(data, |data| one.update(&desk.module, data)))
    })
}

pub unsafe extern "C" fn C_SignFinal(
    session: CK_SESSION_HANDLE,
    signature: *mut u8,
    len: *mut CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let output = unsafe { Output::new(signature, len) };
        desk.session.work(signing, |one| {
            with_arguments(output, |output| one.sign_final(&desk.module, output))
        })
    })
}

pub unsafe extern "C" fn C_VerifyInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let given = unsafe { Given::new(mechanism) }?;
        desk.session.operations().verify.must_be_free()?;
        let object = desk.key(key, given.id, CKA_VERIFY)?;
        let operation = Signing::new(&desk.module, object, &given, true)?;
        desk.session.operations().verify.begin(operation)
    })
}

pub unsafe extern "C" fn C_Verify(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    signature: *mut u8,
    signature_len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let arguments = unsafe { both(read(data, len), read(signature, signature_len)) };
        desk.session.work(verifying, |one| {
            with_arguments(arguments, |(data, signature)| one.verify(&desk.module, data, signature))
        })
    })
}

pub unsafe extern "C" fn C_VerifyUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let data = unsafe { read(data, len) };
        desk.session
            .work(verifying, |one| with_arguments(data, |data| one.update(&desk.module, data)))
    })
}

pub unsafe extern "C" fn C_VerifyFinal(
    session: CK_SESSION_HANDLE,
    signature: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let signature = unsafe { read(signature, len) };
        desk.session.work(verifying, |one| {
            with_arguments(signature, |signature| one.verify_final(&desk.module, signature))
        })
    })
}

pub unsafe extern "C" fn C_VerifySignatureInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    signature: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        if mechanism.is_null() {
            return desk.session.operations().verify_signature.cancel();
        }
        // SAFETY: as the caller says.
        let (given, signature) = unsafe { both(Given::new(mechanism), read(signature, len)) }?;
        desk.session.operations().verify_signature.must_be_free()?;
        let object = desk.key(key, given.id, CKA_VERIFY)?;
        let operation = Signing::new(&desk.module, object, &given, true)?;
        operation.check_len(signature)?;
        desk.session.operations().verify_signature.begin((operation, signature.to_vec()))
    })
}

pub unsafe extern "C" fn C_VerifySignature(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let data = unsafe { read(data, len) };
        desk.session.work(verifying_given, |(one, signature)| {
            with_arguments(data, |data| one.verify(&desk.module, data, signature))
        })
    })
}

pub unsafe extern "C" fn C_VerifySignatureUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        // SAFETY: as the caller says.
        let data = unsafe { read(data, len) };
        desk.session.work(verifying_given, |(one, _)| {
            with_arguments(data, |data| one.update(&desk.module, data))
        })
    })
}

pub unsafe extern "C" fn C_VerifySignatureFinal(session: CK_SESSION_HANDLE) -> CK_RV {
    guard(|| {
        let desk = desk(session)?;
        desk.session
            .work(verifying_given, |(one, signature)| one.verify_final(&desk.module, signature))
    })
}
