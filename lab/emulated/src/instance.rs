//! Instances: a driver's rings, and its records of outstanding requests.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::*;
use std::time::{Duration, Instant};

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{DeviceFault, JobError};

use crate::arrivals::Arrivals;
use crate::device::{Device, Running, Shared};
use crate::faults::Fates;
use crate::options::{Delivery, Wait};
use crate::poller::Poller;
use crate::ring::{Descriptor, MAX_GENERATION, request};
use crate::slot::{Slot, lock};
use crate::transfer;

/// One thread's way to the device: a ring of requests and a ring of responses, with a slot of
/// memory for each request.
///
/// The engine's queues are built on it; those who program a device directly
/// [`submit`](Instance::submit) [`Request`](crate::Request)s, ring the
/// [`doorbell`](Instance::doorbell) for some or for each, and [`poll`](Instance::poll) with a
/// callback.
pub struct Instance {
    running: Arc<Running>,
    shared: Arc<Shared>,
    requests: request::Writer,
    responses: Responses,
    entries: Box<[Entry]>,
    free: Vec<u16>,
    /// Accepted requests whose outcome is not known yet.
    outstanding: usize,
    /// Requests whose end needs no response.
    failed: VecDeque<Arrival>,
    fates: Fates,
    /// Requests whose responses were lost, by when the driver gives them up.
    lost: VecDeque<Deadline>,
    /// Requests for which the doorbell was not rung yet.
    pending: Pending,
    /// Resets that were noticed.
    resets: u64,
    removed: bool,
}

enum Responses {
    Inline(Arrivals),
    Thread(Poller),
}

/// A slot, as the driver knows it.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    user: u64,
    generation: u32,
    state: EntryState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EntryState {
    #[default]
    Free,
    Outstanding,
    /// Its end is known, and has to be told.
    Ended,
}

#[derive(Debug, Clone, Copy)]
struct Deadline {
    time: u64,
    slot: u16,
    generation: u32,
}

#[derive(Debug, Default)]
struct Pending {
    lost: Vec<(u16, u32)>,
    resets: bool,
    removes: bool,
}

/// The end of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The parameters of its submission.
    pub user: u64,
    /// `None`: the device never had it.
    slot: Option<u16>,
    failure: Option<JobError>,
}

impl Instance {
    pub(crate) fn open(running: &Arc<Running>) -> Result<Instance, ProviderError> {
        let device = &running.device;
        let said = |error: std::io::Error| ProviderError::new(error.to_string());
        let most = device.options.instances;
        running.start().map_err(said)?;
        let none_left =
            || ProviderError::new(format!("all {most} instances of the device are in use"));
        let (shared, requests, reader) = device.connect().map_err(said)?.ok_or_else(none_left)?;
        let arrivals = Arrivals::new(reader, device.clock);
        let responses = match device.options.delivery {
            Delivery::Thread(interval) => match Poller::start(arrivals, interval) {
                Ok(poller) => Responses::Thread(poller),
                Err(error) => {
                    device.disconnect(&shared);
                    return Err(said(error));
                }
            },
            Delivery::Inline(_) | Delivery::Interrupt => Responses::Inline(arrivals),
        };
        let slots = shared.slots.len();
        Ok(Instance {
            requests,
            responses,
            entries: vec![Entry::default(); slots].into(),
            // The first slots first, and those used last before others: they are in the nearest
            // cache.
            free: (0..slots).rev().map(|slot| slot as u16).collect(),
            outstanding: 0,
            failed: VecDeque::new(),
            fates: Fates::new(device.options.rates, device.options.seed, shared.number),
            lost: VecDeque::new(),
            pending: Pending::default(),
            resets: device.resets.load(Acquire),
            removed: false,
            running: Arc::clone(running),
            shared,
        })
    }

    pub(crate) fn device(&self) -> &Device {
        &self.running.device
    }

    /// Requests that were accepted, and whose end was not polled yet.
    pub fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// Has `fill` write a request into a slot: it says how many bytes of input that are, or that
    /// the device cannot do it. `false` where the ring is full.
    #[inline]
    pub(crate) fn submit_with(
        &mut self,
        user: u64,
        fill: impl FnOnce(&mut Slot) -> Option<usize>,
    ) -> bool {
        if self.fates.is_ring_full() {
            let full_rings = std::mem::take(&mut self.fates.full_rings);
            self.shared.counters.full_rings.add(full_rings);
            return false;
        }
        let Some(&slot) = self.free.last() else { return false };
        if !self.requests.has_room() {
            return false;
        }
        self.outstanding += 1;
        if self.device().removed.load(Acquire) {
            self.end_at_once(user, JobError::Device(DeviceFault::Removed));
            return true;
        }
        let mut memory = lock(&self.shared.slots[usize::from(slot)]);
        let Some(bytes) = fill(&mut memory) else {
            drop(memory);
            self.end_at_once(user, JobError::NotDone);
            return true;
        };
        self.free.pop();
        let fate = self.fates.next();
        let entry = &mut self.entries[usize::from(slot)];
        let generation = next(entry.generation);
        *entry = Entry { user, generation, state: EntryState::Outstanding };
        (memory.generation, memory.fate) = (generation, fate);
        drop(memory);
        let size = bytes.div_ceil(1024).min(usize::from(u16::MAX)) as u16;
        self.requests.write(Descriptor { slot, generation, size, time: 0 });
        if fate.lost.is_some() {
            self.pending.lost.push((slot, generation));
        }
        self.pending.resets |= fate.resets;
        self.pending.removes |= fate.removes;
        true
    }

    fn end_at_once(&mut self, user: u64, failure: JobError) {
        self.failed.push_back(Arrival { user, slot: None, failure: Some(failure) });
        if let Some(line) = &self.shared.line {
            line.raise();
        }
    }

    /// Rings the doorbell: the device learns of all requests submitted so far.
    pub fn doorbell(&mut self) {
        let device = &self.running.device;
        let timed = device.model.is_some() || !self.pending.lost.is_empty();
        let time = if timed { device.clock.now() } else { 0 };
        let told = self.requests.ring(time);
        if told == 0 {
            return;
        }
        device.doze.wake(told);
        self.shared.counters.doorbells.add(1);
        if !device.preparing.load(Relaxed) {
            device.clock.spend(device.options.device.doorbell);
        }
        if let Responses::Thread(poller) = &self.responses {
            poller.set_outstanding(true);
        }
        self.note_faults(time);
    }

    /// Faults of requests begin at the doorbell.
    fn note_faults(&mut self, now: u64) {
        let device = &self.running.device;
        let time = now + device.options.timeout.as_nanos() as u64;
        self.shared.counters.lost_responses.add(self.pending.lost.len() as u64);
        let lost = self.pending.lost.drain(..);
        self.lost.extend(lost.map(|(slot, generation)| Deadline { time, slot, generation }));
        if let (Some(interrupts), Some(line), Some(last)) =
            (&device.interrupts, &self.shared.line, self.lost.back())
            && last.time == time
        {
            interrupts.at(std::iter::once(time), line);
        }
        if std::mem::take(&mut self.pending.resets) {
            device.reset();
        }
        if std::mem::take(&mut self.pending.removes) {
            device.remove();
        }
    }

    /// The next request whose end is known; [`finish`](Instance::finish) is to be called with it.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Arrival> {
        let arrival = self.look();
        if arrival.is_some() || self.shared.line.is_none() {
            return arrival;
        }
        self.acknowledge()
    }

    /// Takes the interrupt line down, and looks again: what came in between would not raise it.
    fn acknowledge(&mut self) -> Option<Arrival> {
        let line = Arc::clone(self.shared.line.as_ref()?);
        if line.acknowledge() {
            self.shared.counters.interrupts.add(1);
            self.device().clock.spend(self.device().options.device.interrupt);
        }
        let arrival = self.look();
        if arrival.is_some() {
            line.write();
        }
        arrival
    }

    #[inline]
    fn look(&mut self) -> Option<Arrival> {
        self.notice_device();
        if !self.lost.is_empty() {
            self.give_up();
        }
        if let Some(arrival) = self.failed.pop_front() {
            return Some(arrival);
        }
        loop {
            let Descriptor { slot, generation, .. } = match &mut self.responses {
                Responses::Inline(arrivals) => arrivals.next()?,
                Responses::Thread(poller) => poller.next()?,
            };
            let entry = &mut self.entries[usize::from(slot)];
            if entry.generation == generation && entry.state == EntryState::Outstanding {
                entry.state = EntryState::Ended;
                return Some(Arrival { user: entry.user, slot: Some(slot), failure: None });
            }
            self.shared.counters.stale.add(1);
        }
    }

    /// Fails what is outstanding if the device was reset, or is gone.
    #[inline]
    fn notice_device(&mut self) {
        let device = &self.running.device;
        let resets = device.resets.load(Acquire);
        let removed = device.removed.load(Acquire);
        if resets != self.resets {
            self.resets = resets;
            self.fail_all(DeviceFault::Reset);
        }
        if removed && !self.removed {
            self.removed = true;
            self.fail_all(DeviceFault::Removed);
        }
    }

    fn fail_all(&mut self, fault: DeviceFault) {
        for slot in 0..self.entries.len() as u16 {
            self.fail(slot, fault);
        }
    }

    /// Fails the request in a slot, if one is outstanding: from now on its response means nothing.
    fn fail(&mut self, slot: u16, fault: DeviceFault) {
        let entry = &mut self.entries[usize::from(slot)];
        if entry.state == EntryState::Outstanding {
            entry.state = EntryState::Ended;
            entry.generation = next(entry.generation);
            let failure = Some(JobError::Device(fault));
            self.failed.push_back(Arrival { user: entry.user, slot: Some(slot), failure });
        }
    }

    /// Gives up the requests whose time is over.
    #[inline(never)]
    fn give_up(&mut self) {
        let now = self.device().clock.now();
        while let Some(first) = self.lost.front().filter(|first| first.time <= now) {
            let Deadline { slot, generation, .. } = *first;
            self.lost.pop_front();
            if self.entries[usize::from(slot)].generation == generation {
                self.fail(slot, DeviceFault::Timeout);
            }
        }
    }

    /// Hands the result and the outcome of a request to `take`, and frees its slot.
    #[inline]
    pub(crate) fn finish<R>(
        &mut self,
        arrival: Arrival,
        take: impl FnOnce(Option<&mut Slot>, Result<(), JobError>) -> R,
    ) -> R {
        self.shared.counters.responses.add(1);
        let result = match arrival.slot {
            None => take(None, arrival.failure.map_or(Ok(()), Err)),
            Some(slot) => {
                let mut memory = lock(&self.shared.slots[usize::from(slot)]);
                let status = match arrival.failure {
                    Some(failure) => Err(failure),
                    None => transfer::check(&memory, self.running.device.options.integrity),
                };
                // The device does not touch requests that it has not begun.
                memory.generation = self.entries[usize::from(slot)].generation;
                take(Some(&mut memory), status)
            }
        };
        self.release(arrival.slot);
        result
    }

    /// Frees the slot of a request that has ended.
    #[inline]
    fn release(&mut self, slot: Option<u16>) {
        if let Some(slot) = slot {
            self.entries[usize::from(slot)].state = EntryState::Free;
            self.free.push(slot);
        }
        self.outstanding -= 1;
        if self.outstanding == 0
            && let Responses::Thread(poller) = &self.responses
        {
            poller.set_outstanding(false);
        }
    }

    /// Ends a request that was given up; `take` gets its slot.
    pub(crate) fn abandon(&mut self, user: u64, take: impl FnOnce(&mut Slot)) {
        if let Some(place) = self.failed.iter().position(|arrival| arrival.user == user) {
            self.failed.remove(place);
        }
        let is_it = |entry: &Entry| entry.state != EntryState::Free && entry.user == user;
        let slot = self.entries.iter().position(is_it);
        if let Some(slot) = slot {
            let entry = &mut self.entries[slot];
            entry.generation = next(entry.generation);
            let mut memory = lock(&self.shared.slots[slot]);
            memory.generation = entry.generation;
            take(&mut memory);
        }
        self.release(slot.map(|slot| slot as u16));
    }

    /// Returns `true` if the end of a request may be known.
    fn is_due(&mut self) -> bool {
        let device = &self.running.device;
        let device_failed = device.resets.load(Acquire) != self.resets
            || device.removed.load(Acquire) != self.removed;
        !self.failed.is_empty()
            || device_failed
            || self.time_to_give_up().is_some_and(|left| left.is_zero())
            || match &mut self.responses {
                Responses::Inline(arrivals) => arrivals.has_next(),
                Responses::Thread(poller) => poller.has_next(),
            }
    }

    /// Returns the time until the first request is given up.
    fn time_to_give_up(&self) -> Option<Duration> {
        let first = self.lost.front()?;
        Some(Duration::from_nanos(first.time.saturating_sub(self.device().clock.now())))
    }

    /// Waits until a response may be there, in the way that the options say, or for so long. Where
    /// nothing is outstanding it does not wait.
    pub fn wait(&mut self, timeout: Duration) {
        let start = Instant::now();
        while self.outstanding > 0 && !self.is_due() {
            let Some(left) = timeout.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
            else {
                return;
            };
            let left = left.min(self.time_to_give_up().unwrap_or(Duration::MAX));
            match (self.running.device.options.delivery, &self.responses, &self.shared.line) {
                (Delivery::Inline(Wait::Spin), ..) => std::hint::spin_loop(),
                (Delivery::Inline(Wait::Sleep(time)), ..) => std::thread::sleep(time.min(left)),
                (Delivery::Thread(_), Responses::Thread(poller), _) => poller.wait(left),
                (Delivery::Interrupt, _, Some(line)) => {
                    line.wait(left);
                    return;
                }
                _ => std::thread::yield_now(),
            }
        }
    }

    /// A file descriptor that is readable when a response may be there, where the device interrupts
    /// (`responses=interrupt`). Poll until nothing comes before waiting for it.
    pub fn event(&self) -> Option<BorrowedFd<'_>> {
        self.shared.line.as_ref().map(|line| line.as_fd())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.running.device.disconnect(&self.shared);
    }
}

fn next(generation: u32) -> u32 {
    if generation == MAX_GENERATION { 0 } else { generation + 1 }
}
