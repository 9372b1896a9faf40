//! Compressed output on the device: a part of it where not all fits, and verification.

use broadloom_engine::{DeviceFault, Job, JobError, Processor, Session};

use super::compute::Computer;
use crate::slot::Slot;

/// Less input than this is not worth a part of its own.
const LEAST: usize = 256;

/// Where the output of a compression does not fit, makes as much as does: of a first part of the
/// input, in a form that others can follow. Nothing, if nothing fits, or no such form can be had.
pub(super) fn make_part(computer: &mut Computer, slot: &mut Slot) {
    let whole = slot.job().output().map_or(0, <[u8]>::len).max(1);
    let result = &mut slot.result;
    (result.full, result.consumed, result.checksum) = (true, 0, None);
    let room = slot.room;
    let Some(session) = slot.session().part.clone() else { return };
    let text = text(slot, &mut computer.text);
    // As much as would fit if all of the input were alike, and somewhat less.
    let mut len = (text.len() as u128 * room as u128 * 15 / (whole as u128 * 16)) as usize;
    len = len.min(text.len());
    let mut made = None;
    while len >= LEAST {
        let mut job = Job::new(&session, &text[..len]);
        job.set_output_buffer(std::mem::take(&mut computer.scratch));
        computer.processor.process_many(std::slice::from_mut(&mut job));
        let succeeded = job.succeeded();
        let output = job.take_output();
        if succeeded && output.len() <= room {
            made = Some((output, len, job.checksum()));
            break;
        }
        computer.scratch = output;
        len /= 2;
    }
    if let Some((output, len, checksum)) = made {
        slot.result.consumed = len;
        slot.result.checksum = checksum;
        slot.set_output(&output);
        computer.scratch = output;
    }
}

/// Where the session wants it, decompresses what was made, and fails the request if it is not its
/// input.
pub(super) fn check(computer: &mut Computer, slot: &mut Slot) {
    let Some(session) = slot.session().check.clone() else { return };
    let (made, _) = slot.made();
    let mut made = made.to_vec();
    if made.is_empty() {
        return;
    }
    if slot.result.full || !slot.session().ends() {
        // An empty final block, which ends an open stream.
        made.extend_from_slice(&[3, 0]);
    }
    let consumed = slot.result.consumed;
    let text = &text(slot, &mut computer.text)[..consumed];
    if !decompresses_to(&mut computer.processor, &mut computer.scratch, &session, &made, text) {
        slot.result.status = Err(JobError::Device(DeviceFault::Corrupted));
    }
}

fn decompresses_to(
    processor: &mut Processor,
    scratch: &mut Vec<u8>,
    session: &Session,
    made: &[u8],
    text: &[u8],
) -> bool {
    let mut job = Job::new(session, made).room(text.len()).limit(text.len() as u64);
    job.set_output_buffer(std::mem::take(scratch));
    processor.process_many(std::slice::from_mut(&mut job));
    let same = job.output() == Some(text) && job.consumed() == made.len();
    *scratch = job.take_output();
    same
}

/// The input of a request in one piece.
fn text<'t>(slot: &'t Slot, memory: &'t mut Vec<u8>) -> &'t [u8] {
    slot.text().unwrap_or_else(|| {
        memory.clear();
        slot.pieces().for_each(|piece| memory.extend_from_slice(piece));
        memory
    })
}
