//! The in-order manager: jobs come back in the order of submission.

use alloc::boxed::Box;
use alloc::vec;

use super::plan::Waiting;
use super::{Goal, Job, Lanes, Source};
use crate::cpu::Cpu;
use crate::slab::Slab;

/// The lanes run when so many jobs wait for each lane: enough to refill them whatever the lengths.
const BATCH: usize = 4;

/// The same where jobs are sorted: enough for the sorting to pay.
const SORTED_BATCH: usize = 64;

/// Takes jobs one at a time and gives them back in the order of submission.
///
/// A ring with a fixed number of slots: a complete job waits there for the earlier ones. Never are
/// more jobs in flight than it has slots; when the last one is taken, the manager runs, with
/// half-filled lanes if it must, until the earliest job is complete, and gives that back. Make it
/// large enough that this is rare: one long job among short ones holds up as many of them as there
/// are slots.
///
/// ```
/// use broadloom_lanes::{AesKey, CbcJob, Cpu, InOrder};
///
/// let key = AesKey::new(&[7; 16])?;
/// let mut manager = InOrder::new(&Cpu::detect(), 64);
/// for number in 0..100u8 {
///     let job = CbcJob::encrypt(&key, [number; 16], vec![number; 48], number)?;
///     manager.submit(job);
/// }
/// let mut expected = 100 - manager.in_flight() as u8;
/// while let Some(job) = manager.flush() {
///     assert_eq!(*job.user(), expected);
///     expected += 1;
/// }
/// assert_eq!(expected, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InOrder<J: Job> {
    lanes: J::Lanes,
    ring: Ring<J>,
    /// The bound on jobs in flight.
    slots: usize,
    /// So many incomplete jobs make the lanes run.
    batch: u64,
    on_drop: Option<Box<dyn FnMut(J) + Send>>,
}

/// Jobs in their order, numbered on arrival. The slot of a job is its number modulo a power of two.
struct Ring<J> {
    slab: Slab<J>,
    waiting: Waiting,
    complete: Box<[bool]>,
    deadlines: Box<[u64]>,
    /// Jobs that were given back, and that were submitted.
    returned: u64,
    submitted: u64,
    /// Jobs that are complete, given back or not.
    completed: u64,
    /// No deadline of a job that was not given back is earlier.
    earliest: u64,
}

impl<J: Job> Ring<J> {
    #[inline(always)]
    fn slot(&self, number: u64) -> usize {
        number as usize & (self.complete.len() - 1)
    }

    fn in_flight(&self) -> usize {
        (self.submitted - self.returned) as usize
    }

    /// Takes out the earliest job, if it is complete or `any` is set.
    #[inline(always)]
    fn take_earliest(&mut self, any: bool) -> Option<J> {
        let slot = self.slot(self.returned);
        if self.returned == self.submitted || !(any || self.complete[slot]) {
            return None;
        }
        self.returned += 1;
        self.complete[slot] = false;
        // SAFETY: the slot is full, and the job complete, or the manager runs no more.
        Some(unsafe { self.slab.take(slot) })
    }

    /// The earliest deadline of the jobs that were not given back: a complete job may wait for
    /// earlier jobs that are not complete.
    fn next_deadline(&self) -> u64 {
        let slots = (self.returned..self.submitted).map(|number| self.slot(number));
        slots.map(|slot| self.deadlines[slot]).min().unwrap_or(u64::MAX)
    }
}

impl<J: Job> Source<<J::Lanes as Lanes>::Task> for Ring<J> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &<J::Lanes as Lanes>::Task) -> R) -> Option<R> {
        let slot = self.waiting.pop()?;
        // SAFETY: a waiting job is in its slot, and no task points to it yet.
        let job = unsafe { self.slab.get(slot as usize) };
        Some(take(slot, &job.task()))
    }

    #[inline(always)]
    fn done(&mut self, id: u32) {
        // SAFETY: the job is in its slot, and its task is complete.
        unsafe { self.slab.get(id as usize) }.complete();
        self.complete[id as usize] = true;
        self.completed += 1;
    }
}

impl<J: Job> InOrder<J> {
    /// A manager for up to `slots` jobs in flight; all that it will ever allocate, it allocates
    /// here.
    ///
    /// # Panics
    /// If `slots` is 0.
    pub fn new(cpu: &Cpu, slots: usize) -> Self {
        assert!(slots > 0, "a manager holds at least one job, not {slots}");
        let size = slots.next_power_of_two();
        let lanes = J::Lanes::new(cpu);
        let count = lanes.lanes();
        let sorted = if J::Lanes::SORT_STREAMS { SORTED_BATCH } else { 0 };
        let batch = sorted.max(BATCH * count);
        InOrder {
            batch: batch.min(slots) as u64,
            slots,
            lanes,
            ring: Ring {
                slab: Slab::new(size),
                waiting: Waiting::new::<J::Lanes>(size, count),
                complete: vec![false; size].into(),
                deadlines: vec![u64::MAX; size].into(),
                returned: 0,
                submitted: 0,
                completed: 0,
                earliest: u64::MAX,
            },
            on_drop: None,
        }
    }

    /// Sets the handler for jobs that the manager still holds when it is dropped, earliest first,
    /// some of them incomplete. [`close`](InOrder::close) gives them back directly.
    pub fn on_drop(mut self, handler: impl FnMut(J) + Send + 'static) -> Self
    where
        J: 'static,
    {
        self.on_drop = Some(Box::new(handler));
        self
    }

    /// Lanes of the kernel: how many jobs advance at once.
    pub fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    /// The most jobs it holds.
    pub fn capacity(&self) -> usize {
        self.slots
    }

    /// Jobs it holds now: those under way, and those that are complete and wait for earlier ones.
    pub fn in_flight(&self) -> usize {
        self.ring.in_flight()
    }

    /// Takes a job, and gives back the earliest one if it is complete, or if the ring is now full.
    /// A job that was complete before is processed once more, over its own output. In a counter
    /// mode that undoes it.
    #[inline]
    pub fn submit(&mut self, mut job: J) -> Option<J> {
        let ring = &mut self.ring;
        let ticket = job.ticket();
        ticket.complete = false;
        let slot = ring.slot(ring.submitted);
        ring.deadlines[slot] = ticket.deadline;
        ring.earliest = ring.earliest.min(ticket.deadline);
        // There is an empty slot: the call that filled the last one gave a job back.
        ring.waiting.push(slot as u32, job.cost());
        ring.slab.put(slot, job);
        ring.submitted += 1;
        if ring.submitted - ring.completed >= self.batch {
            // SAFETY: jobs stay in their slots, untouched, until their tasks are done.
            unsafe { self.lanes.run(ring, Goal::One) };
        }
        if self.ring.in_flight() == self.slots {
            self.complete_earliest();
        }
        self.ring.take_earliest(false)
    }

    /// Gives back the earliest job, completing it with half-filled lanes if it must; `None` if it
    /// holds no job.
    pub fn flush(&mut self) -> Option<J> {
        if self.ring.in_flight() > 0 {
            self.complete_earliest();
        }
        self.ring.take_earliest(false)
    }

    /// Gives back the earliest job if it is complete, and completes it if the deadline of any job
    /// is `now` or earlier: a job whose time has come waits for the earlier ones, so these go with
    /// it. Call it until it gives none; all jobs whose time has come are then back.
    pub fn flush_expired(&mut self, now: u64) -> Option<J> {
        // The last tick stands for no deadline.
        let now = now.min(u64::MAX - 1);
        if self.ring.earliest <= now {
            self.ring.earliest = self.ring.next_deadline();
            if self.ring.earliest <= now {
                self.complete_earliest();
            }
        }
        self.ring.take_earliest(false)
    }

    /// Ends the manager and gives back every job that it still held, in order, as it stands: those
    /// that are not complete say so, and the buffer of a cipher job may be processed in part.
    pub fn close(mut self) -> impl Iterator<Item = J> {
        core::iter::from_fn(move || self.ring.take_earliest(true))
    }

    /// Runs until the earliest job is complete; the ring is not empty.
    fn complete_earliest(&mut self) {
        while !self.ring.complete[self.ring.slot(self.ring.returned)] {
            // SAFETY: jobs stay in their slots, untouched, until their tasks are done.
            unsafe { self.lanes.run(&mut self.ring, Goal::One) };
        }
    }
}

impl<J: Job> Drop for InOrder<J> {
    fn drop(&mut self) {
        while let Some(job) = self.ring.take_earliest(true) {
            if let Some(handler) = &mut self.on_drop {
                handler(job);
            }
        }
    }
}
