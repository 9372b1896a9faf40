//! A queue: one of the library's managers, and the memory of operations that are in it.

use std::ffi::{c_int, c_void};
use std::ptr;

use broadloom_engine::provider::{Operation, Queue};
use broadloom_engine::{JobError, MAX_TAG};
use zeroize::Zeroize;

use crate::burst::Burst;
use crate::fill::{Places, addresses, fill};
use crate::gcm;
use crate::layout::{self, GcmContext, Jobs};
use crate::library::OwnedManager;
use crate::session::{ImbSession, Task};

/// Operations that are in flight at a time, at most: as many as the library's ring has jobs.
const ROOM: usize = 256;

/// Operations that are worth waiting for: twice the lanes that the library has for most algorithms
/// on the widest vectors, so that the lanes are full for most of the time.
const BATCH: usize = 32;

/// A block of AES, in bytes.
const BLOCK: usize = 16;

/// One thread's manager.
pub struct ImbQueue {
    slots: Box<[Slot]>,
    /// The result of the jobs of each slot: their highest status, in the library's numbers.
    status: Box<[c_int]>,
    /// Jobs that are processed together.
    jobs: Jobs,
    context: Box<GcmContext>,
    manager: OwnedManager,
}

/// The memory of an operation in flight.
#[derive(Clone)]
#[repr(align(64))]
struct Slot {
    /// A tag that is to be compared with another.
    tag: [u8; MAX_TAG],
    /// The counter block of the second part of a CTR.
    counter: [u8; 16],
    /// The schedules of a triple DES.
    schedules: [*const c_void; 3],
    /// The text of a CMAC that cannot be read where it is.
    text: Vec<u8>,
}

// SAFETY: the pointers in slots and jobs are written and read within one call of `run`, and stale
// outside.
unsafe impl Send for ImbQueue {}

impl ImbQueue {
    pub fn new(manager: OwnedManager) -> ImbQueue {
        let (schedules, text) = ([ptr::null(); 3], Vec::new());
        let slot = Slot { tag: [0; MAX_TAG], counter: [0; 16], schedules, text };
        ImbQueue {
            slots: vec![slot; ROOM].into(),
            status: vec![0; ROOM].into(),
            jobs: Jobs::new(manager.table().release(), ROOM),
            context: Box::new(GcmContext([0; 128])),
            manager,
        }
    }
}

impl Queue for ImbQueue {
    fn batch(&mut self, _: u8) -> usize {
        BATCH
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let ImbQueue { slots, status, jobs, context, manager } = self;
        for window in operations.chunks_mut(ROOM) {
            status[..window.len()].fill(0);
            let together = same(window.iter().map(|operation| {
                operation.provider_session::<ImbSession>().and_then(|session| session.together)
            }));
            let mut burst = Burst::new(manager, together, jobs, status);
            for (index, (operation, slot)) in window.iter_mut().zip(&mut *slots).enumerate() {
                if let Some(outcome) = start(&mut burst, operation, slot, context, index) {
                    end(operation, slot, outcome);
                }
            }
            drop(burst);
            for ((operation, slot), status) in window.iter_mut().zip(&mut *slots).zip(&*status) {
                if operation.is_open() {
                    let outcome = match *status {
                        layout::COMPLETED => Ok(()),
                        0 => Err(JobError::NotDone),
                        code => Err(JobError::Provider { code: code.into() }),
                    };
                    end(operation, slot, outcome);
                }
            }
        }
    }
}

impl Drop for ImbQueue {
    fn drop(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.tag.zeroize());
        self.context.0.zeroize();
    }
}

/// The common value, if all are equal.
fn same<T: PartialEq>(mut all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// Has an operation processed, or submits its job: then `None` is returned, and what the job points
/// to (the operation's bytes, the slot) is not to be touched before the burst has ended.
#[inline(always)]
fn start(
    burst: &mut Burst<'_>,
    operation: &mut Operation<'_>,
    slot: &mut Slot,
    context: &mut GcmContext,
    index: usize,
) -> Option<Result<(), JobError>> {
    let Some(parts) = operation.parts::<ImbSession>() else {
        return Some(Err(JobError::NotDone));
    };
    let session = parts.session;
    let (source, destination, len) = addresses(parts.text);
    let (nonce, associated) = (parts.nonce, parts.associated);
    let writable = !destination.is_null();
    if let Err(error) = session.rules.check(len, writable, nonce.len(), associated.len()) {
        return Some(Err(error));
    }
    let made = if session.checks { &mut slot.tag[..] } else { parts.tag };
    let tag = made.as_mut_ptr();
    let mut places = Places {
        source,
        destination,
        len,
        bits: parts.bits,
        nonce,
        associated,
        tag,
        tag_len: parts.tag_len,
    };
    match &session.task {
        Task::Gcm { size, key, encrypts } => {
            // SAFETY: the rules saw to it that the destination can be written to; the key was
            // expanded by this provider, whose library the manager keeps open; the tag has room for
            // 64 bytes.
            unsafe {
                gcm::process(
                    burst.manager().table().functions(),
                    *size,
                    *encrypts,
                    &key.0,
                    context,
                    &places,
                );
            }
            return Some(Ok(()));
        }
        Task::Gmac { size, key } => {
            // SAFETY: the text is read as far as it goes; no bytes are ciphered; for the rest, as
            // above.
            unsafe {
                let text = std::slice::from_raw_parts(source, len);
                let places = Places { len: 0, associated: text, ..places };
                gcm::process(
                    burst.manager().table().functions(),
                    *size,
                    true,
                    &key.0,
                    context,
                    &places,
                );
            }
            return Some(Ok(()));
        }
        Task::Hmac { key, .. } if len == 0 => {
            made.copy_from_slice(&key.empty);
            return Some(Ok(()));
        }
        Task::Cmac { .. } if last_block_leaves_page(source, len) => {
            // SAFETY: the text is readable as far as it goes.
            slot.text.extend_from_slice(unsafe { std::slice::from_raw_parts(source, len) });
            slot.text.resize(len.next_multiple_of(BLOCK).max(BLOCK), 0);
            places.source = slot.text.as_ptr();
        }
        Task::Cbc { .. }
        | Task::Ecb { .. }
        | Task::Ctr { .. }
        | Task::KasumiF8 { .. }
        | Task::DesCbc { .. }
        | Task::TripleDesCbc { .. }
            if len == 0 =>
        {
            return Some(Ok(()));
        }
        Task::Ctr { .. } => {
            let first = len_before_carry(nonce);
            if (first as usize) < len {
                let first = first as usize;
                let part = Places { len: first, ..places };
                // SAFETY: as below, for the first part of the text.
                unsafe {
                    burst.submit(index, |job| fill(job, &session.task, &part, &mut slot.schedules))
                };
                slot.counter = after_carry(nonce);
                // SAFETY: there are more than `first` bytes at both.
                unsafe {
                    places.source = source.add(first);
                    places.destination = destination.add(first);
                }
                places.len = len - first;
                places.nonce = &slot.counter;
            }
        }
        _ => {}
    }
    // SAFETY: the rules hold, so the lengths are those that the library takes; the text, the nonce,
    // the associated data, the tag, the slot and the session's keys stay where they are until the
    // operation is completed, which is after the burst has ended.
    unsafe { burst.submit(index, |job| fill(job, &session.task, &places, &mut slot.schedules)) };
    None
}

/// Completes an operation: with the tag in its slot where one is to be checked.
#[inline(always)]
fn end(operation: &mut Operation<'_>, slot: &mut Slot, outcome: Result<(), JobError>) {
    if !slot.text.is_empty() {
        slot.text.zeroize();
    }
    let checks = operation.provider_session::<ImbSession>().is_some_and(|session| session.checks);
    match outcome {
        Ok(()) if checks => operation.complete_with_mac(&slot.tag),
        outcome => operation.complete(outcome),
    }
}

/// Returns `true` if the last block of a text ends on another page than the text does, or there is
/// none. The library's CMAC for AVX-512 reads all of the last block, and one where there is none,
/// so that such a read might fail.
#[inline(always)]
fn last_block_leaves_page(source: *const u8, len: usize) -> bool {
    const PAGE: usize = 4096;
    let Some(last) = len.checked_sub(1) else { return true };
    let start = source.addr() + last / BLOCK * BLOCK;
    !len.is_multiple_of(BLOCK) && start / PAGE != (start + BLOCK - 1) / PAGE
}

/// Bytes that the library's 32-bit counter can cipher before it would have to carry.
fn len_before_carry(counter: &[u8]) -> u64 {
    let low = counter.last_chunk().map_or(0, |low| u32::from_be_bytes(*low));
    16 * ((1 << 32) - u64::from(low))
}

/// The counter block where the last 32 bits have passed zero: these are zero, the others one more.
fn after_carry(counter: &[u8]) -> [u8; 16] {
    let high = counter.first_chunk().map_or(0, |all| u128::from_be_bytes(*all)) >> 32;
    (high.wrapping_add(1) << 32).to_be_bytes()
}
