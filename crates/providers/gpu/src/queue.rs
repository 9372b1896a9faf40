//! One thread's way to the device: a batch that fills, batches in flight, and one that is given
//! back.

use std::cell::Cell;
use std::collections::VecDeque;
#[cfg(unix)]
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use broadloom_engine::provider::{DeviceQueue, Operation};
use broadloom_engine::{DeviceFault, JobError};
use broadloom_lanes::Cpu;

use crate::batch::{Added, Batch, Host};
use crate::cl::Flight;
use crate::device::Device;
use crate::lower::Entry;
use crate::signal::Signal;
use crate::statistics::Ended;

pub(crate) struct GpuQueue {
    device: Arc<Device>,
    signal: Arc<Signal>,
    /// What the signal counted when flights were last looked at.
    seen: u64,
    /// Takes jobs, and goes to the device when it is full, when its patience has ended, or when
    /// somebody waits.
    filling: Option<Batch>,
    /// The doorbell was rung for what it has.
    rung: bool,
    flying: VecDeque<Flying>,
    landed: Option<Landed>,
    /// Jobs whose end needs no results.
    failed: VecDeque<(u64, JobError)>,
    /// Batches that are ready to be filled.
    spare: Vec<Batch>,
    polled: Option<Polled>,
    host: Host,
    /// Somebody sleeps on the descriptor, so that jobs must not wait here.
    watched: Cell<bool>,
}

struct Flying {
    batch: Batch,
    flight: Flight,
    deadline: Instant,
}

/// A batch whose results are given back one by one.
struct Landed {
    batch: Batch,
    next: usize,
}

/// The response that was polled last.
struct Polled {
    ticket: u64,
    outcome: Result<Entry, JobError>,
}

impl GpuQueue {
    pub fn new(device: &Arc<Device>) -> Self {
        GpuQueue {
            device: Arc::clone(device),
            signal: Arc::new(Signal::new()),
            seen: 0,
            filling: None,
            rung: false,
            flying: VecDeque::new(),
            landed: None,
            failed: VecDeque::new(),
            spare: Vec::new(),
            polled: None,
            host: Host::new(&Cpu::detect()),
            watched: Cell::new(false),
        }
    }

    /// A job has ended without the device.
    fn fail(&mut self, ticket: u64, error: JobError) {
        self.failed.push_back((ticket, error));
        self.signal.raise();
    }

    fn fail_all(&mut self, batch: &Batch, fault: DeviceFault) {
        for entry in batch.jobs().iter().filter(|entry| !entry.abandoned) {
            self.failed.push_back((entry.ticket, JobError::Device(fault)));
        }
        self.signal.raise();
    }

    /// A batch to be filled: none where all streams are in use.
    fn batch(&mut self) -> Result<Option<Batch>, JobError> {
        if let Some(batch) = self.spare.pop() {
            return Ok(Some(batch));
        }
        if self.flying.len() + usize::from(self.landed.is_some()) >= self.device.options.streams {
            return Ok(None);
        }
        match self.device.slot() {
            Ok(slot) => Ok(Some(Batch::new(slot, &self.device))),
            Err(_) => {
                self.device.counters.change(|counts| counts.out_of_memory += 1);
                Err(JobError::Device(DeviceFault::OutOfMemory))
            }
        }
    }

    /// Hands the batch that fills to the device.
    fn launch(&mut self) {
        self.rung = false;
        let Some(mut batch) = self.filling.take_if(|batch| !batch.is_empty()) else { return };
        match batch.launch(&self.device, &self.signal) {
            Ok(flight) => {
                let deadline = Instant::now() + self.device.options.timeout;
                self.flying.push_back(Flying { batch, flight, deadline });
            }
            Err(fault) => {
                self.fail_all(&batch, fault);
                self.reuse(batch);
            }
        }
    }

    /// Wipes a batch that was given back, so that it can be filled again.
    fn reuse(&mut self, mut batch: Batch) {
        batch.reset(&self.device);
        self.spare.push(batch);
    }

    /// Takes a batch that has landed, and gives up those that should have.
    fn look(&mut self) {
        self.seen = self.signal.acknowledge(self.seen);
        if let Some(index) = self.flying.iter().position(|flying| flying.flight.has_landed())
            && let Some(flying) = self.flying.remove(index)
        {
            self.land(flying);
            return;
        }
        if self.flying.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(late) = self.flying.pop_front_if(|flying| flying.deadline <= now) {
            self.device.counters.change(|counts| counts.timeouts += 1);
            self.device.lose();
            self.fail_all(&late.batch, DeviceFault::Timeout);
            self.device.adopt(late.batch.into_slot(), late.flight);
        }
    }

    fn land(&mut self, Flying { mut batch, flight, deadline }: Flying) {
        match flight.land() {
            Err(flight) => self.flying.push_front(Flying { batch, flight, deadline }),
            Ok((stream, Ok(times))) => {
                batch.land(stream);
                let (uploaded, downloaded, occupancy) = batch.figures();
                let jobs = batch.jobs().len();
                self.device.counters.add(&Ended { jobs, uploaded, downloaded, occupancy, times });
                self.landed = Some(Landed { batch, next: 0 });
            }
            Ok((stream, Err(_))) => {
                batch.land(stream);
                self.device.counters.change(|counts| counts.losses += 1);
                self.device.lose();
                self.fail_all(&batch, DeviceFault::Removed);
                self.reuse(batch);
            }
        }
    }

    /// The next job of the batch that has landed.
    fn next_landed(&mut self) -> Option<Entry> {
        let Landed { batch, next } = self.landed.as_mut()?;
        while let Some(entry) = batch.jobs().get(*next) {
            *next += 1;
            if !entry.abandoned {
                return Some(*entry);
            }
        }
        if let Some(landed) = self.landed.take() {
            self.reuse(landed.batch);
        }
        None
    }

    /// Adds a job to the batch that fills, or makes room for it. `false` where all streams are in
    /// use.
    fn add(&mut self, ticket: u64, operation: &mut Operation<'_>) -> Result<bool, JobError> {
        loop {
            let mut batch = match self.filling.take() {
                Some(batch) => batch,
                None => match self.batch()? {
                    Some(batch) => batch,
                    None => return Ok(false),
                },
            };
            let added = batch.add(ticket, operation, &mut self.host, &self.device.residents);
            let is_empty = batch.is_empty();
            let batch = self.filling.insert(batch);
            match added {
                Added::Yes => return Ok(true),
                Added::NotOurs => return Err(JobError::NotDone),
                Added::Fails(error) => return Err(error),
                Added::NoRoom(_) if !is_empty => self.launch(),
                Added::NoRoom(needed) => {
                    let largest = self.device.largest();
                    if needed > largest {
                        let len = operation.input_pieces().map(<[u8]>::len).sum();
                        return Err(JobError::TooLong { len, max: largest as u64 / 2 });
                    }
                    let bytes = needed.max(self.device.options.batch).next_power_of_two();
                    if batch.grow(&self.device, bytes.min(largest)).is_err() {
                        self.device.counters.change(|counts| counts.out_of_memory += 1);
                        return Err(JobError::Device(DeviceFault::OutOfMemory));
                    }
                }
            }
        }
    }
}

impl DeviceQueue for GpuQueue {
    fn submit(&mut self, ticket: u64, operation: &mut Operation<'_>) -> bool {
        if self.device.is_lost() {
            self.fail(ticket, JobError::Device(DeviceFault::Removed));
            return true;
        }
        self.add(ticket, operation).unwrap_or_else(|error| {
            self.fail(ticket, error);
            true
        })
    }

    fn doorbell(&mut self) {
        self.rung = true;
        if self.watched.get() || self.device.options.patience.is_zero() {
            self.launch();
        }
    }

    fn poll(&mut self) -> Option<u64> {
        let patience = self.device.options.patience;
        if self.rung && self.filling.as_ref().is_some_and(|batch| batch.began.elapsed() >= patience)
        {
            self.launch();
        }
        let polled = loop {
            if let Some((ticket, error)) = self.failed.pop_front() {
                break Polled { ticket, outcome: Err(error) };
            }
            if let Some(entry) = self.next_landed() {
                break Polled { ticket: entry.ticket, outcome: Ok(entry) };
            }
            self.look();
            if self.landed.is_none() && self.failed.is_empty() {
                return None;
            }
        };
        let ticket = polled.ticket;
        self.polled = Some(polled);
        Some(ticket)
    }

    fn finish(&mut self, ticket: u64, operation: &mut Operation<'_>) {
        let polled = self.polled.take().filter(|polled| polled.ticket == ticket);
        match (polled.map(|polled| polled.outcome), &mut self.landed) {
            (Some(Ok(entry)), Some(landed)) => {
                landed.batch.finish(&entry, operation, &mut self.host);
            }
            (Some(Err(error)), _) => operation.complete(Err(error)),
            _ => operation.complete(Err(JobError::NotDone)),
        }
    }

    fn wait(&mut self, timeout: Duration) {
        self.launch();
        if self.failed.is_empty() && self.landed.is_none() && !self.flying.is_empty() {
            self.signal.wait(self.seen, timeout);
        }
    }

    fn abandon(&mut self, ticket: u64, _operation: &mut Operation<'_>) {
        self.failed.retain(|(failed, _)| *failed != ticket);
        let landed = self.landed.as_mut().map(|landed| &mut landed.batch);
        let flying = self.flying.iter_mut().map(|flying| &mut flying.batch);
        let mut batches = self.filling.iter_mut().chain(landed).chain(flying);
        // Nothing was lent, so that there is nothing to give back.
        let _ = batches.any(|batch| batch.abandon(ticket));
    }

    #[cfg(unix)]
    fn event(&self) -> Option<BorrowedFd<'_>> {
        #[cfg(target_os = "linux")]
        {
            self.watched.set(true);
            self.signal.event()
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

impl Drop for GpuQueue {
    /// Its streams are for other threads, those in flight once they have landed.
    fn drop(&mut self) {
        let landed = self.landed.take().map(|landed| landed.batch);
        for mut batch in self.spare.drain(..).chain(self.filling.take()).chain(landed) {
            batch.reset(&self.device);
            self.device.keep(batch.into_slot());
        }
        for flying in self.flying.drain(..) {
            self.device.adopt(flying.batch.into_slot(), flying.flight);
        }
    }
}
