//! Encryption and decryption.

use cryptoki_sys::*;

use super::guard;
use crate::cipher::Ciphering;
use crate::memory::{Outcome, Output, both, read};
use crate::module::desk;
use crate::parameter::Given;
use crate::session::{Operations, Running, with_arguments};

/// Which operation of a session.
type Which = fn(&mut Operations) -> &mut Running<Ciphering>;

fn encrypting(operations: &mut Operations) -> &mut Running<Ciphering> {
    &mut operations.encrypt
}

fn decrypting(operations: &mut Operations) -> &mut Running<Ciphering> {
    &mut operations.decrypt
}

/// # Safety
/// The pointer is null or points to a mechanism.
unsafe fn begin(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
    encrypts: bool,
) -> Outcome {
    let (which, permits): (Which, _) =
        if encrypts { (encrypting, CKA_ENCRYPT) } else { (decrypting, CKA_DECRYPT) };
    let desk = desk(session)?;
    // SAFETY: passed on to the caller.
    let given = unsafe { Given::new(mechanism) }?;
    which(&mut desk.session.operations()).must_be_free()?;
    let object = desk.key(key, given.id, permits)?;
    let operation = Ciphering::new(&desk.module, &object, &given, encrypts)?;
    which(&mut desk.session.operations()).begin(operation)
}

/// Processes a whole message, or a piece of one.
///
/// # Safety
/// Pointers and lengths belong together.
unsafe fn process(
    session: CK_SESSION_HANDLE,
    which: Which,
    is_whole: bool,
    (data, len): (*mut u8, CK_ULONG),
    (to, to_len): (*mut u8, *mut CK_ULONG),
) -> Outcome {
    let desk = desk(session)?;
    // The output may lie over the input. So the input is read before anything is written.
    // SAFETY: passed on to the caller.
    let arguments = unsafe { both(read(data, len).map(<[u8]>::to_vec), Output::new(to, to_len)) };
    desk.session.work(which, |one| {
        with_arguments(arguments, |(data, output)| match is_whole {
            true => one.whole(&desk.module, data, output),
            false => one.update(&desk.module, data, output),
        })
    })
}

/// # Safety
/// Pointer and length belong together.
unsafe fn finish(
    session: CK_SESSION_HANDLE,
    which: Which,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> Outcome {
    let desk = desk(session)?;
    // SAFETY: passed on to the caller.
    let output = unsafe { Output::new(to, to_len) };
    desk.session
        .work(which, |one| with_arguments(output, |output| one.finish(&desk.module, output)))
}

pub unsafe extern "C" fn C_EncryptInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { begin(session, mechanism, key, true) })
}

pub unsafe extern "C" fn C_Encrypt(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { process(session, encrypting, true, (data, len), (to, to_len)) })
}

pub unsafe extern "C" fn C_EncryptUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { process(session, encrypting, false, (data, len), (to, to_len)) })
}

pub unsafe extern "C" fn C_EncryptFinal(
    session: CK_SESSION_HANDLE,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { finish(session, encrypting, to, to_len) })
}

pub unsafe extern "C" fn C_DecryptInit(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { begin(session, mechanism, key, false) })
}

pub unsafe extern "C" fn C_Decrypt(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { process(session, decrypting, true, (data, len), (to, to_len)) })
}

pub unsafe extern "C" fn C_DecryptUpdate(
    session: CK_SESSION_HANDLE,
    data: *mut u8,
    len: CK_ULONG,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { process(session, decrypting, false, (data, len), (to, to_len)) })
}

pub unsafe extern "C" fn C_DecryptFinal(
    session: CK_SESSION_HANDLE,
    to: *mut u8,
    to_len: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: as the caller says.
    guard(|| unsafe { finish(session, decrypting, to, to_len) })
}
