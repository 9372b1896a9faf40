//! The work of the engines: real results, from the providers that stand in for silicon.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

use arrayvec::ArrayVec;
use broadloom_engine::{Handle, JobError, Processor};

use super::{WINDOW, compress};
use crate::device::Device;
use crate::faults;
use crate::prepared::{Fingerprint, Prepared, Store};
use crate::session::Kind;
use crate::slot::{Slot, Taken};
use crate::timing::Service;

/// The queues and memory of one thread.
#[derive(Default)]
pub(crate) struct Computer {
    pub processor: Processor,
    /// Input that came in pieces, in one.
    pub text: Vec<u8>,
    /// Memory for what is compressed or decompressed beside the requests themselves.
    pub scratch: Vec<u8>,
}

/// Requests that are computed in one call.
type Together<'t, 's> = ArrayVec<&'t mut Taken<'s>, WINDOW>;

impl Computer {
    /// Computes a window of requests. Afterwards each slot has its result, in the form that is
    /// sent.
    pub(crate) fn compute(&mut self, device: &Device, window: &mut ArrayVec<Taken<'_>, WINDOW>) {
        let mut inputs = [None; WINDOW];
        if let Some(store) = &device.store {
            look_up(device, store, window, &mut inputs);
        }
        // Those of a service that share vectors, each in one call.
        let [mut symmetric, mut public_key] = [(); 2].map(|()| Together::new());
        for taken in window.iter_mut().filter(|taken| !taken.done) {
            taken.slot.keep();
            match taken.slot.session().kind.service() {
                Service::Symmetric => symmetric.push(taken),
                Service::PublicKey => public_key.push(taken),
                Service::Compression if compress::is_long(&taken.slot) => {}
                Service::Compression => self.process(&mut [taken]),
            }
        }
        self.process(&mut symmetric);
        self.process(&mut public_key);
        drop((symmetric, public_key));
        for (taken, input) in window.iter_mut().zip(inputs) {
            if !taken.done {
                self.finish(device, &mut taken.slot);
                if let (Some(store), Some(input)) = (&device.store, input) {
                    prepare(store, input, &taken.slot);
                }
            }
            send(device, &mut taken.slot);
        }
    }

    /// Runs jobs. Where a provider panics they have no status.
    pub(super) fn process<'a, H: Handle<'a>>(&mut self, window: &mut [H]) {
        let run = AssertUnwindSafe(|| self.processor.process_many(window));
        if catch_unwind(run).is_err() {
            // After a panic, the state of the queues is unreliable.
            self.processor = Processor::new();
        }
    }

    /// Takes the result from a job that was run.
    fn finish(&mut self, device: &Device, slot: &mut Slot) {
        let kind = slot.session().kind;
        if compress::is_long(slot) {
            compress::make_long(self, slot);
        } else {
            take(slot);
        }
        let status = slot.result.status;
        match (kind, status) {
            (Kind::Decompress, Err(JobError::OutputLimit { .. })) => {
                let result = &mut slot.result;
                (result.status, result.consumed, result.checksum, result.full) =
                    (Ok(()), 0, None, true);
            }
            (Kind::Compress, Ok(())) => {
                if slot.made().0.len() > slot.room {
                    device.counters.overflows.add(1);
                    compress::make_part(self, slot);
                }
                compress::check(self, slot);
            }
            _ => {}
        }
    }
}

/// Takes the result from the job of a slot.
fn take(slot: &mut Slot) {
    let job = slot.job();
    let status = job.status().unwrap_or(Err(JobError::Panicked));
    let (consumed, checksum) = (job.consumed(), job.checksum());
    let mut tag = [0; broadloom_engine::MAX_TAG];
    let made = job.tag().unwrap_or_default();
    let tag_len = made.len();
    tag[..tag_len].copy_from_slice(made);
    let result = &mut slot.result;
    (result.status, result.consumed, result.checksum, result.full) =
        (status, consumed, checksum, false);
    (result.tag, result.tag_len) = (tag, tag_len);
}

/// Takes results that were prepared.
fn look_up(
    device: &Device,
    store: &Store,
    window: &mut [Taken<'_>],
    inputs: &mut [Option<Fingerprint>; WINDOW],
) {
    let preparing = device.preparing.load(Relaxed);
    let (mut hits, mut misses) = (0, 0);
    for (taken, input) in window.iter_mut().zip(inputs) {
        let Some(session) = taken.slot.session().fingerprint else { continue };
        let of_input = store.input(session, taken.slot.pieces());
        let room = match taken.slot.session().kind {
            Kind::Compress | Kind::Decompress => taken.slot.room,
            _ => usize::MAX,
        };
        let found = store.find(of_input, |prepared| {
            let fits = prepared.output.len() <= room;
            if fits {
                put(&mut taken.slot, prepared);
            }
            fits
        });
        taken.done = found == Some(true);
        match taken.done {
            true => hits += 1,
            false => misses += 1,
        }
        *input = Some(of_input);
    }
    if !preparing {
        device.counters.prepared_hits.add(hits);
        device.counters.prepared_misses.add(misses);
    }
}

/// Gives a slot a result that was prepared.
fn put(slot: &mut Slot, prepared: &Prepared) {
    if slot.session().kind.makes() {
        slot.set_output(&prepared.output);
    }
    let result = &mut slot.result;
    (result.status, result.full) = (Ok(()), false);
    (result.consumed, result.checksum) = (prepared.consumed, prepared.checksum);
    result.tag_len = prepared.tag.len();
    result.tag[..prepared.tag.len()].copy_from_slice(&prepared.tag);
}

/// Keeps a good result.
fn prepare(store: &Store, input: Fingerprint, slot: &Slot) {
    if slot.result.status.is_err() || slot.result.full {
        return;
    }
    let (output, tag) = slot.made();
    let prepared = || Prepared {
        output: output.to_vec().into(),
        tag: tag.to_vec().into(),
        consumed: slot.result.consumed,
        checksum: slot.result.checksum,
    };
    store.keep(input, prepared, output.len() + tag.len());
}

/// Sends a result to where the driver sees it. Faults of the transfer happen here.
fn send(device: &Device, slot: &mut Slot) {
    if slot.result.status.is_err() {
        return;
    }
    if device.options.integrity {
        slot.result.integrity = slot.integrity();
    }
    if let Some(seed) = slot.fate.corrupted {
        let damaged = match slot.made_mut() {
            (Some(output), _) if !output.is_empty() => faults::damage(output, seed),
            (_, tag) => faults::damage(tag, seed),
        };
        device.counters.corrupted_outputs.add(u64::from(damaged));
    }
}
