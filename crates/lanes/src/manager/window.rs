//! The window of a stream: jobs that came one by one are processed as a burst.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use super::{Job, Planner};
use crate::cpu::Cpu;

/// A depth of [`OutOfOrder`](crate::OutOfOrder) and [`InOrder`](crate::InOrder) that keeps the
/// lanes full for most mixes of lengths.
///
/// Of bursts of 64, 128 and 256 jobs, those of 128 took the fewest cycles a job, or hardly more
/// than those of 256, on AMD Zen 4 (HMAC-SHA1, HMAC-SHA256 and AES-CBC on mixes of up to 2 KiB);
/// those of 64 took up to 12 % more.
pub const STREAM_DEPTH: usize = 128;

/// Jobs in the order in which they came: first those that are complete, then those that wait.
///
/// Jobs wait until as many as the depth have come, and are then planned and completed together.
/// From then on each call that brings a job takes one away, so that the window is full again when
/// all are taken:
///
/// ```text
/// submit(job):   add the job to those that wait
///                as many wait as the depth?   complete all of them
///                give back the first of the complete jobs, if there is one
/// flush():       no job is complete?          complete all that wait
///                give back the first of the complete jobs
/// ```
///
/// Nothing depends on the order in which jobs complete, and a job costs what it costs in a burst,
/// and two moves.
pub(super) struct Window<J: Job> {
    planner: Planner<J::Lanes>,
    complete: VecDeque<J>,
    waiting: VecDeque<J>,
    depth: usize,
    /// The earliest deadline of the jobs that wait.
    earliest: u64,
    on_drop: Option<Box<dyn FnMut(J) + Send>>,
}

impl<J: Job> Window<J> {
    /// Makes all allocations that the window will ever need.
    ///
    /// # Panics
    /// If `depth` is 0.
    pub fn new(cpu: &Cpu, depth: usize) -> Self {
        assert!(depth > 0, "a manager holds at least one job, not {depth}");
        Window {
            planner: Planner::new(cpu),
            complete: VecDeque::with_capacity(depth),
            waiting: VecDeque::with_capacity(depth),
            depth,
            earliest: u64::MAX,
            on_drop: None,
        }
    }

    /// Sets the handler for jobs that are held when the window is dropped.
    pub fn on_drop(&mut self, handler: impl FnMut(J) + Send + 'static) {
        self.on_drop = Some(Box::new(handler));
    }

    /// Returns the lanes of the kernel.
    pub fn lanes(&self) -> usize {
        self.planner.lanes()
    }

    /// Returns the most jobs that the window holds.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of jobs that the window holds, complete or not.
    pub fn in_flight(&self) -> usize {
        self.complete.len() + self.waiting.len()
    }

    /// Takes a job, and gives back the first one that is complete, if there is one.
    #[inline(always)]
    pub fn submit(&mut self, mut job: J) -> Option<J> {
        let ticket = job.ticket();
        ticket.complete = false;
        self.earliest = self.earliest.min(ticket.deadline);
        self.waiting.push_back(job);
        if self.waiting.len() == self.depth {
            self.run();
        }
        self.complete.pop_front()
    }

    /// Gives back the first job, and completes all first if it is not complete.
    pub fn flush(&mut self) -> Option<J> {
        if self.complete.is_empty() {
            self.run();
        }
        self.complete.pop_front()
    }

    /// Gives back the first job that is complete. If there is none, and the time of any job has
    /// come, completes all first.
    pub fn flush_expired(&mut self, now: u64) -> Option<J> {
        // The last tick stands for no deadline.
        if self.complete.is_empty() && self.earliest <= now.min(u64::MAX - 1) {
            self.run();
        }
        self.complete.pop_front()
    }

    /// Takes the first job out as it stands.
    pub fn take(&mut self) -> Option<J> {
        self.complete.pop_front().or_else(|| self.waiting.pop_front())
    }

    /// Completes the jobs that wait, while none is complete.
    fn run(&mut self) {
        self.earliest = u64::MAX;
        self.planner.process_many(self.waiting.make_contiguous());
        // An empty queue begins at its first place again, so that the next jobs are in one piece.
        self.complete.clear();
        core::mem::swap(&mut self.complete, &mut self.waiting);
    }
}

impl<J: Job> Drop for Window<J> {
    fn drop(&mut self) {
        while let Some(job) = self.take() {
            if let Some(handler) = &mut self.on_drop {
                handler(job);
            }
        }
    }
}
