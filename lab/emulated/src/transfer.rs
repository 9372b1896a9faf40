//! Moves the engine's operations into slots, and results out of them: the driver's side.
//!
//! Output travels with a checksum from before the transfer, so that the driver finds damage that
//! happened on the way.

use broadloom_engine::provider::{Operation, Progress};
use broadloom_engine::{Bytes, DeviceFault, Direction, Job, JobError};

use crate::options::Memory;
use crate::session::{DeviceSession, Kind};
use crate::slot::Slot;

/// Writes an operation into a slot. Returns the bytes of its input, or `None` where the operation
/// is not the device's.
pub(crate) fn load(
    slot: &mut Slot,
    operation: &mut Operation<'_>,
    memory: Memory,
) -> Option<usize> {
    let session = operation.provider_session::<DeviceSession>()?;
    let kind = session.0.kind;
    slot.begin(session);
    let in_pieces = operation.is_in_pieces();
    match kind {
        Kind::Compress | Kind::Decompress => {
            let parts = operation.compression::<DeviceSession>()?;
            let room = parts.output.len();
            slot.room = room;
            let job = slot.job();
            set_room(job, kind, room);
        }
        Kind::PublicKey => {
            let parts = operation.public_key::<DeviceSession>()?;
            set_signature(slot.job(), parts.signature);
        }
        _ => {
            let parts = operation.parts::<DeviceSession>()?;
            let job = slot.job();
            job.set_nonce(parts.nonce);
            job.set_bits(parts.bits);
            set_associated(job, parts.associated);
            if kind == Kind::Open {
                job.set_expected_tag(&parts.tag[..parts.tag_len]);
            }
            if memory == Memory::Copy && !in_pieces {
                let input = slot.input();
                input.extend_from_slice(parts.text.input());
                return Some(input.len());
            }
        }
    }
    if memory == Memory::Gather
        && let Some(len) = borrow(slot, operation)
    {
        return Some(len);
    }
    let input = slot.input();
    match kind {
        kind if kind.makes() => {
            operation.input_pieces().for_each(|piece| input.extend_from_slice(piece));
        }
        _ if in_pieces => operation.input_pieces().for_each(|piece| input.extend_from_slice(piece)),
        _ => input.extend_from_slice(operation.parts::<DeviceSession>()?.text.input()),
    }
    Some(input.len())
}

/// Has the slot borrow an operation's data, if it owns them, and all of them are still to be worked
/// on.
fn borrow(slot: &mut Slot, operation: &mut Operation<'_>) -> Option<usize> {
    let left: usize = operation.input_pieces().map(<[u8]>::len).sum();
    let lent = operation.lend()?;
    if lent.len() == left {
        slot.borrow(lent);
        Some(left)
    } else {
        operation.restore(lent);
        None
    }
}

/// A compression makes all of its output, wherever it then fits; a decompression no more than does.
pub(crate) fn set_room(job: &mut Job<'static>, kind: Kind, room: usize) {
    if kind == Kind::Decompress {
        job.set_room(Some(room));
        job.set_limit(room as u64);
    } else {
        job.set_room(None);
        job.set_limit(u64::MAX);
    }
}

pub(crate) fn set_associated(job: &mut Job<'static>, associated: &[u8]) {
    if associated.is_empty() {
        return job.set_associated(Bytes::EMPTY);
    }
    match job.associated_mut() {
        Bytes::Owned(bytes) => {
            bytes.clear();
            bytes.extend_from_slice(associated);
        }
        other => *other = Bytes::Owned(associated.to_vec()),
    }
}

/// Gives a job the signature that it is to check: none where its session checks none.
pub(crate) fn set_signature(job: &mut Job<'static>, signature: &[u8]) {
    let verifies = job.session().direction() == Direction::Verify;
    match verifies {
        true => job.set_signature(signature.to_vec()),
        false => job.set_associated(Bytes::EMPTY),
    }
}

/// Whether the results in a slot are as the device sent them.
#[inline]
pub(crate) fn check(slot: &Slot, integrity: bool) -> Result<(), JobError> {
    slot.result.status?;
    if integrity && slot.integrity() != slot.result.integrity {
        return Err(JobError::Device(DeviceFault::Corrupted));
    }
    Ok(())
}

/// Brings results from a slot to their operation, or the news that there are none.
pub(crate) fn unload(slot: &mut Slot, operation: &mut Operation<'_>, status: Result<(), JobError>) {
    if slot.has_borrowed() {
        return unload_borrowed(slot, operation, status);
    }
    match status {
        Ok(()) => bring(slot, operation, false),
        Err(error) => operation.complete(Err(error)),
    }
    slot.end();
}

fn unload_borrowed(slot: &mut Slot, operation: &mut Operation<'_>, status: Result<(), JobError>) {
    let makes = slot.session().kind.makes();
    if makes && status.is_ok() {
        // The job forgets its output with its data.
        slot.take_output();
    }
    if let Some(data) = slot.give_back(status.is_err()) {
        operation.restore(data);
    }
    match status {
        Ok(()) => bring(slot, operation, true),
        Err(error) => operation.complete(Err(error)),
    }
    slot.end();
}

/// Writes what was made into an operation, but for data that are where they should be.
fn bring(slot: &Slot, operation: &mut Operation<'_>, in_place: bool) {
    let (output, tag) = slot.made();
    match slot.session().kind {
        Kind::Verify => return operation.complete_with_mac(tag),
        Kind::Compress | Kind::Decompress => {
            let Some(parts) = operation.compression::<DeviceSession>() else {
                return operation.complete(Err(JobError::NotDone));
            };
            parts.output[..output.len()].copy_from_slice(output);
            return operation.progress(Progress {
                consumed: slot.result.consumed,
                produced: output.len(),
                full: slot.result.full,
                checksum: slot.result.checksum,
            });
        }
        Kind::PublicKey => {
            let Some(parts) = operation.public_key::<DeviceSession>() else {
                return operation.complete(Err(JobError::NotDone));
            };
            let Some(room) = parts.output.get_mut(..output.len()) else {
                return operation.complete(Err(JobError::NotDone));
            };
            room.copy_from_slice(output);
            return operation.complete_with_output(Ok(output.len()));
        }
        Kind::Tag | Kind::Cipher | Kind::Seal | Kind::Open => {}
    }
    let writes = slot.session().kind.writes() && !in_place;
    let Some(parts) = operation.parts::<DeviceSession>() else {
        return operation.complete(Err(JobError::NotDone));
    };
    parts.tag[..tag.len()].copy_from_slice(tag);
    if writes && let Some(bytes) = parts.text.into_output() {
        bytes.copy_from_slice(output);
    }
    operation.complete(Ok(()));
}
