//! The in-order manager: jobs come back in the order of submission.

use super::Job;
use super::window::Window;
use crate::cpu::Cpu;

/// Takes jobs one at a time and gives them back in the order of submission.
///
/// Jobs wait in a window of `depth` jobs, as those of [`OutOfOrder`](crate::OutOfOrder) do, and
/// cost the same. A long job holds up the short ones of its window, and no others.
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
pub struct InOrder<J: Job>(Window<J>);

impl<J: Job> InOrder<J> {
    /// Makes a manager for up to `depth` jobs in flight. All that the manager will ever allocate,
    /// it allocates here.
    ///
    /// # Panics
    /// If `depth` is 0.
    pub fn new(cpu: &Cpu, depth: usize) -> Self {
        InOrder(Window::new(cpu, depth))
    }

    /// Sets the handler for jobs that the manager still holds when it is dropped, earliest first,
    /// some of them incomplete. [`close`](InOrder::close) gives them back directly.
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

    /// Takes a job, and gives back the earliest one if it is complete, or if the window is now
    /// full. A job that was complete before is processed once more, over its own output. In a
    /// counter mode that undoes it.
    #[inline]
    pub fn submit(&mut self, job: J) -> Option<J> {
        self.0.submit(job)
    }

    /// Gives back the earliest job, and completes all that wait if it is not complete; `None` if it
    /// holds no job.
    #[inline]
    pub fn flush(&mut self) -> Option<J> {
        self.0.flush()
    }

    /// Gives back the earliest job if it is complete. If none is, and the deadline of any job is
    /// `now` or earlier, completes all that wait first: a job whose time has come waits for the
    /// earlier ones, so these go with it. Call it until it gives none; all jobs whose time has come
    /// are then back.
    pub fn flush_expired(&mut self, now: u64) -> Option<J> {
        self.0.flush_expired(now)
    }

    /// Ends the manager and gives back every job that it still held, in order, as it stands: those
    /// that are not complete say so.
    pub fn close(mut self) -> impl Iterator<Item = J> {
        core::iter::from_fn(move || self.0.take())
    }
}
