//! Compressed output on the device: of long requests, a part of it where not all fits, and
//! verification.

use broadloom_engine::{DeviceFault, Job, JobError, Processor, Session};

use super::compute::Computer;
use crate::slot::Slot;

/// Bytes at the front of a request for which the device makes Huffman codes. The source says that
/// longer requests can get poorer codes and so a poorer ratio, and not how. Here, the rest of them
/// has the fixed codes of the standard.
const CODED: usize = 128 << 10;

/// Less input than this is not worth a part of its own.
const LEAST: usize = 256;

/// Returns `true` if a request is compressed in two pieces, of which the first has Huffman codes of
/// its own.
pub(super) fn is_long(slot: &Slot) -> bool {
    slot.session().uncoded.is_some() && slot.input_len() > CODED
}

/// Compresses a long request in two pieces.
pub(super) fn make_long(computer: &mut Computer, slot: &mut Slot) {
    let session = slot.session();
    let (Some(coded), Some(uncoded)) = (session.part.clone(), session.uncoded.clone()) else {
        return;
    };
    let checksum = session.checksum;
    let mut memory = std::mem::take(&mut computer.text);
    let (front, rest) = text(slot, &mut memory).split_at(CODED);
    let mut jobs = [Job::new(&coded, front), Job::new(&uncoded, rest)];
    jobs[0].set_output_buffer(std::mem::take(&mut computer.scratch));
    computer.process(&mut jobs);
    let [first, second] = &jobs;
    let status = [first, second]
        .into_iter()
        .try_for_each(|job| job.status().unwrap_or(Err(JobError::Panicked)));
    let checksum = match (first.checksum(), second.checksum()) {
        (Some(first), Some(second)) => Some(checksum.combine(first, second, rest.len() as u64)),
        _ => None,
    };
    let consumed = front.len() + rest.len();
    let [mut output, more] = jobs.map(|mut job| job.take_output());
    output.extend_from_slice(&more);
    let result = &mut slot.result;
    (result.status, result.consumed, result.checksum) = (status, consumed, checksum);
    (result.full, result.tag_len) = (false, 0);
    slot.set_output(&output);
    (computer.scratch, computer.text) = (output, memory);
}

/// Makes as much output of a compression as fits, if not all of it does: the output of a first part
/// of the input, in a form that more output can follow. Makes nothing if nothing fits, or if there
/// is no such form.
pub(super) fn make_part(computer: &mut Computer, slot: &mut Slot) {
    let whole = slot.made().0.len().max(1);
    slot.end();
    let result = &mut slot.result;
    (result.full, result.consumed, result.checksum) = (true, 0, None);
    let room = slot.room;
    let long = is_long(slot);
    let Some(session) = slot.session().part.clone() else { return };
    let text = text(slot, &mut computer.text);
    // As much as would fit if all of the input were alike, and somewhat less.
    let mut len = (text.len() as u128 * room as u128 * 15 / (whole as u128 * 16)) as usize;
    len = len.min(if long { CODED } else { text.len() });
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

/// Decompresses the output if the session wants that, and fails the request if the result is not
/// its input.
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
