//! The out-of-order manager: jobs come back in the order of completion.

use super::Job;
use super::window::Window;
use crate::cpu::Cpu;

/// Takes jobs one at a time and gives them back as they complete.
///
/// The window holds `depth` jobs. Until it is full, [`submit`](OutOfOrder::submit) returns `None`;
/// after that it returns one complete job per call. The jobs of a full window are planned together,
/// as [`Planner`](crate::Planner) plans a burst, and all of them are complete before the next job
/// waits. So no job waits for more than `depth - 1` later ones. A window of [`STREAM_DEPTH`] jobs
/// keeps the lanes full for most mixes of lengths.
///
/// Nothing moves without a call: on an idle queue, [`flush`](OutOfOrder::flush); or give jobs a
/// deadline and call [`flush_expired`](OutOfOrder::flush_expired).
///
/// The order of completion is the same in every run with the same jobs.
///
/// [`STREAM_DEPTH`]: crate::STREAM_DEPTH
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
pub struct OutOfOrder<J: Job>(Window<J>);

impl<J: Job> OutOfOrder<J> {
    /// Makes a manager for up to `depth` jobs, and makes all allocations that it will ever need.
    ///
    /// # Panics
    /// If `depth` is 0.
    pub fn new(cpu: &Cpu, depth: usize) -> Self {
        OutOfOrder(Window::new(cpu, depth))
    }

    /// Sets the handler for jobs that the manager still holds when it is dropped, some of them
    /// incomplete. [`close`](OutOfOrder::close) gives them back directly.
    pub fn on_drop(mut self, handler: impl FnMut(J) + Send + 'static) -> Self
    where
        J: 'static,
    {
        self.0.on_drop(handler);
        self
    }

    /// Returns the lanes of the kernel: how many jobs advance at once.
    pub fn lanes(&self) -> usize {
        self.0.lanes()
    }

    /// Returns the most jobs it holds.
    pub fn capacity(&self) -> usize {
        self.0.depth()
    }

    /// Returns the number of jobs that it holds now: those that wait, and those that are complete
    /// and not yet given back.
    pub fn in_flight(&self) -> usize {
        self.0.in_flight()
    }

    /// Takes a job, and gives back one that is complete, if there is one or the window is now full.
    /// A job that was complete before is processed once more, over its own output. In a counter
    /// mode that undoes it.
    ///
    /// ```compile_fail
    /// # use broadloom_lanes::{Cpu, HashJob, OutOfOrder, Sha1};
    /// let mut manager = OutOfOrder::new(&Cpu::detect(), 8);
    /// let job = HashJob::<Sha1, _>::digest(b"abc".as_slice(), ());
    /// manager.submit(job);
    /// manager.submit(job); // in flight: it was moved
    /// ```
    #[inline]
    pub fn submit(&mut self, job: J) -> Option<J> {
        self.0.submit(job)
    }

    /// Gives back a complete job, and completes all that wait if there is none; `None` if it holds
    /// no job.
    #[inline]
    pub fn flush(&mut self) -> Option<J> {
        self.0.flush()
    }

    /// Gives back one job that is complete. If there is none, and the deadline of any job is `now`
    /// or earlier, completes all that wait first. Call it until it returns `None`; all jobs whose
    /// time has come are then back.
    pub fn flush_expired(&mut self, now: u64) -> Option<J> {
        self.0.flush_expired(now)
    }

    /// Ends the manager and gives back every job that it still held, as it stands: those that are
    /// not complete say so.
    pub fn close(mut self) -> impl Iterator<Item = J> {
        core::iter::from_fn(move || self.0.take())
    }
}
