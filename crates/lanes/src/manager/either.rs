//! Code that works with a manager of either order.

use super::{InOrder, Job, OutOfOrder};

/// A manager of either order: [`OutOfOrder`] or [`InOrder`], whose methods these are.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, InOrder, Job, Manager, OutOfOrder, Sha1};
///
/// fn drain<J: Job>(manager: &mut impl Manager<J>) -> usize {
///     std::iter::from_fn(|| manager.flush()).count()
/// }
///
/// let (cpu, job) = (Cpu::detect(), || HashJob::<Sha1, _>::digest(b"message", ()));
/// let (mut any, mut ordered) = (OutOfOrder::new(&cpu, 64), InOrder::new(&cpu, 64));
/// assert!(any.submit(job()).is_none() && ordered.submit(job()).is_none());
/// assert_eq!((drain(&mut any), drain(&mut ordered)), (1, 1));
/// ```
pub trait Manager<J: Job> {
    /// Takes a job, and may give one back, complete.
    fn submit(&mut self, job: J) -> Option<J>;
    /// Gives a job back, after completing one if none is complete; `None` if the manager holds
    /// none.
    fn flush(&mut self) -> Option<J>;
    /// Completes the jobs whose deadline is `now` or earlier, and gives one back; call it until it
    /// returns `None`.
    fn flush_expired(&mut self, now: u64) -> Option<J>;
    /// Returns the number of jobs that the manager holds.
    fn in_flight(&self) -> usize;
}

macro_rules! manager {
    ($($manager:ident),*) => { $(
        impl<J: Job> Manager<J> for $manager<J> {
            #[inline]
            fn submit(&mut self, job: J) -> Option<J> {
                $manager::submit(self, job)
            }
            fn flush(&mut self) -> Option<J> {
                $manager::flush(self)
            }
            fn flush_expired(&mut self, now: u64) -> Option<J> {
                $manager::flush_expired(self, now)
            }
            fn in_flight(&self) -> usize {
                $manager::in_flight(self)
            }
        }
    )* };
}

manager!(OutOfOrder, InOrder);
