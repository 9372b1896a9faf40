//! The out-of-order manager: jobs come back in the order of completion.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::plan::Waiting;
use super::queue::Queue;
use super::{Goal, Job, Lanes, Source};
use crate::cpu::Cpu;
use crate::slab::Slab;

/// Takes jobs one at a time and gives them back as they complete.
///
/// It holds up to `depth` jobs; until then [`submit`](OutOfOrder::submit) gives nothing back, and
/// from then on one job for each. With a depth of as many jobs as the kernel has lanes it behaves
/// as the scheduler of Intel's *Processing Multiple Buffers in Parallel*; a few times as many keep
/// all lanes full whatever the lengths.
///
/// A job is not forgotten: half-filled lanes move after a bounded number of calls even if longer
/// jobs share the manager with an endless stream of short ones. But nothing moves without a call:
/// on an idle queue, [`flush`](OutOfOrder::flush); or give jobs a deadline and call
/// [`flush_expired`](OutOfOrder::flush_expired).
///
/// The order of completion is the same in every run with the same jobs.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, HmacKey, OutOfOrder, Sha1};
///
/// let key = HmacKey::<Sha1>::new(b"key");
/// let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
/// let mut tags = 0;
/// for (number, packet) in [b"one".as_slice(), b"two", b"three"].into_iter().enumerate() {
///     if let Some(job) = manager.submit(HashJob::hmac(&key, packet, number)) {
///         tags += usize::from(job.output().is_some());
///     }
/// }
/// while let Some(job) = manager.flush() {
///     tags += usize::from(job.output().is_some());
/// }
/// assert_eq!(tags, 3);
/// ```
pub struct OutOfOrder<J: Job> {
    lanes: J::Lanes,
    held: Held<J>,
    on_drop: Option<Box<dyn FnMut(J) + Send>>,
}

/// The jobs, and where each of them stands.
struct Held<J> {
    slab: Slab<J>,
    places: Box<[Place]>,
    deadlines: Box<[u64]>,
    /// The empty slots, with the last emptied one at the end. It is filled first, because it is
    /// still in the nearest cache.
    free: Vec<u32>,
    waiting: Waiting,
    complete: Queue,
    /// No deadline of a job that is not complete is earlier.
    earliest: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Empty,
    InFlight,
    Complete,
}

impl<J: Job> Source<<J::Lanes as Lanes>::Task> for Held<J> {
    #[inline(always)]
    fn next<R>(&mut self, take: impl FnOnce(u32, &<J::Lanes as Lanes>::Task) -> R) -> Option<R> {
        let id = self.waiting.pop()?;
        // SAFETY: a waiting job is in its slot, and no task points to it yet.
        let job = unsafe { self.slab.get(id as usize) };
        Some(take(id, &job.task()))
    }

    #[inline(always)]
    fn done(&mut self, id: u32) {
        // SAFETY: the job is in its slot, and its task is complete.
        unsafe { self.slab.get(id as usize) }.complete();
        self.places[id as usize] = Place::Complete;
        self.complete.push(id);
    }
}

impl<J: Job> Held<J> {
    #[inline(always)]
    fn take_complete(&mut self) -> Option<J> {
        let id = self.complete.pop()? as usize;
        self.places[id] = Place::Empty;
        self.free.push(id as u32);
        // SAFETY: a complete job is in its slot, and its task is over.
        Some(unsafe { self.slab.take(id) })
    }

    /// Takes any job out, complete or not, for a manager that will run no more.
    fn take_any(&mut self) -> Option<J> {
        let id = self.places.iter().position(|place| *place != Place::Empty)?;
        self.places[id] = Place::Empty;
        // SAFETY: the slot is full, and no task runs any more.
        Some(unsafe { self.slab.take(id) })
    }

    /// The earliest deadline of the jobs that are not complete.
    fn next_deadline(&self) -> u64 {
        let in_flight = |(place, _): &(&Place, &u64)| **place == Place::InFlight;
        let each = self.places.iter().zip(&self.deadlines).filter(in_flight);
        each.map(|(_, deadline)| *deadline).min().unwrap_or(u64::MAX)
    }
}

impl<J: Job> OutOfOrder<J> {
    /// A manager for up to `depth` jobs. A depth of 64, or of four times
    /// [`lanes`](OutOfOrder::lanes), keeps them full for any mix of lengths; all that the manager
    /// will ever allocate, it allocates here.
    ///
    /// # Panics
    /// If `depth` is 0.
    pub fn new(cpu: &Cpu, depth: usize) -> Self {
        assert!(depth > 0, "a manager holds at least one job, not {depth}");
        let lanes = J::Lanes::new(cpu);
        OutOfOrder {
            held: Held {
                slab: Slab::new(depth),
                places: vec![Place::Empty; depth].into(),
                deadlines: vec![u64::MAX; depth].into(),
                free: (0..depth as u32).rev().collect(),
                waiting: Waiting::new::<J::Lanes>(depth, lanes.lanes()),
                complete: Queue::new(depth),
                earliest: u64::MAX,
            },
            lanes,
            on_drop: None,
        }
    }

    /// Sets the handler for jobs that the manager still holds when it is dropped, some of them
    /// incomplete. [`close`](OutOfOrder::close) gives them back directly.
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
        self.held.places.len()
    }

    /// Jobs it holds now: those under way, and those that are complete and not yet given back.
    pub fn in_flight(&self) -> usize {
        self.capacity() - self.held.free.len()
    }

    /// Takes a job, and gives back one that is complete, if there is one or the manager is now
    /// full. A job that was complete before is processed once more, over its own output. In a
    /// counter mode that undoes it.
    ///
    /// ```compile_fail
    /// # use broadloom_lanes::{Cpu, HashJob, OutOfOrder, Sha1};
    /// let mut manager = OutOfOrder::new(&Cpu::detect(), 8);
    /// let job = HashJob::<Sha1, _>::digest(b"abc".as_slice(), ());
    /// manager.submit(job);
    /// manager.submit(job); // in flight: it was moved
    /// ```
    #[inline]
    pub fn submit(&mut self, mut job: J) -> Option<J> {
        let held = &mut self.held;
        let ticket = job.ticket();
        ticket.complete = false;
        let deadline = ticket.deadline;
        let id = held.free.pop().expect("the call that filled the last slot gave a job back");
        held.places[id as usize] = Place::InFlight;
        held.deadlines[id as usize] = deadline;
        held.earliest = held.earliest.min(deadline);
        held.waiting.push(id, job.cost());
        held.slab.put(id as usize, job);
        if held.free.is_empty() && held.complete.len() == 0 {
            // SAFETY: jobs stay in their slots, untouched, until their tasks are done.
            unsafe { self.lanes.run(held, Goal::One) };
        }
        held.take_complete()
    }

    /// Gives back a complete job, completing one with half-filled lanes if it must; `None` if it
    /// holds no job.
    pub fn flush(&mut self) -> Option<J> {
        if self.held.complete.len() == 0 {
            // SAFETY: jobs stay in their slots, untouched, until their tasks are done.
            unsafe { self.lanes.run(&mut self.held, Goal::One) };
        }
        self.held.take_complete()
    }

    /// Completes the jobs whose deadline is `now` or earlier, and gives back one that is complete;
    /// `None` if there is none. Call it until it returns `None`.
    pub fn flush_expired(&mut self, now: u64) -> Option<J> {
        // The last tick stands for no deadline.
        let now = now.min(u64::MAX - 1);
        while self.held.earliest <= now {
            self.held.earliest = self.held.next_deadline();
            if self.held.earliest <= now {
                // SAFETY: jobs stay in their slots, untouched, until their tasks are done.
                unsafe { self.lanes.run(&mut self.held, Goal::One) };
            }
        }
        self.held.take_complete()
    }

    /// Ends the manager and gives back every job that it still held, as it stands: those that are
    /// not complete say so, and the buffer of a cipher job may be processed in part.
    pub fn close(mut self) -> impl Iterator<Item = J> {
        core::iter::from_fn(move || self.held.take_any())
    }
}

impl<J: Job> Drop for OutOfOrder<J> {
    fn drop(&mut self) {
        while let Some(job) = self.held.take_any() {
            if let Some(handler) = &mut self.on_drop {
                handler(job);
            }
        }
    }
}
