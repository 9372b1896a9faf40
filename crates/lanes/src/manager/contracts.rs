//! What managers, schedulers and jobs expect of each other.

use crate::cpu::Cpu;
use crate::occupancy::Occupancy;

/// A job: what a user hands to a manager, and gets back complete.
///
/// [`HashJob`](crate::HashJob), [`CbcJob`](crate::CbcJob) and [`PacketJob`](crate::PacketJob),
/// which has all other modes, are jobs; each can be processed by [`Planner`](crate::Planner),
/// [`OutOfOrder`](crate::OutOfOrder) and [`InOrder`](crate::InOrder).
///
/// ```
/// use broadloom_lanes::{Cpu, Job, OutOfOrder};
///
/// /// Takes jobs of any kind through a manager, and gives them back complete.
/// fn through<J: Job>(jobs: impl Iterator<Item = J>) -> Vec<J> {
///     let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
///     let mut complete: Vec<J> = jobs.filter_map(|job| manager.submit(job)).collect();
///     complete.extend(std::iter::from_fn(|| manager.flush()));
///     complete
/// }
///
/// use broadloom_lanes::{HashJob, Md5};
/// let complete = through((0..100).map(|n| HashJob::<Md5, _, _>::digest([n; 9], n)));
/// assert_eq!(complete.len(), 100);
/// assert!(complete.iter().all(|job| job.is_complete()));
/// ```
///
/// # Safety
///
/// [`task`](Job::task) returns a task that is good, as [`Lanes::Task`] defines it, as long as the
/// job is neither moved, nor borrowed, nor dropped.
pub unsafe trait Job {
    /// The scheduler of such jobs.
    type Lanes: Lanes;

    /// Returns the job as the scheduler sees it.
    #[doc(hidden)]
    fn task(&mut self) -> <Self::Lanes as Lanes>::Task;

    /// Returns the number of steps of the kernel for which the job will keep a lane, on the scale
    /// of its family: a [loan](super::Loan) of the same work costs the same.
    #[doc(hidden)]
    fn cost(&self) -> usize;

    /// Returns the manager's notes on the job.
    #[doc(hidden)]
    fn ticket(&mut self) -> &mut Ticket;

    /// Notes that the job's task is over.
    #[doc(hidden)]
    #[inline(always)]
    fn complete(&mut self) {
        self.ticket().complete = true;
    }
}

/// A manager's notes on a job.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    /// The time by which the job should be complete, in the caller's ticks.
    pub deadline: u64,
    /// `true` if the job is complete.
    pub complete: bool,
}

impl Default for Ticket {
    fn default() -> Self {
        Ticket { deadline: u64::MAX, complete: false }
    }
}

/// A scheduler of tasks onto lanes: it knows nothing of jobs, of their order, or of who holds them.
#[doc(hidden)]
pub trait Lanes: Send {
    /// The tasks that it schedules: plain structures of pointers and numbers.
    ///
    /// A task is *good* if, until it is reported done, each of its pointers is valid for the reads
    /// and writes that its type documents, no other code writes what it reads or touches what it
    /// writes, and two of its ranges are equal or do not overlap. Contracts of unsafe functions in
    /// this crate mean this definition when they say that a task is good.
    type Task: Copy;

    /// `true` if all tasks cost the same, so that no order of them takes fewer steps than another.
    const ALIKE: bool = false;

    /// Makes a scheduler with the kernels for this CPU, and makes all allocations that it will ever
    /// need.
    fn new(cpu: &Cpu) -> Self;

    /// Returns the number of lanes of the widest kernel.
    fn lanes(&self) -> usize;

    /// Returns how full the lanes have been so far.
    fn occupancy(&self) -> Occupancy;

    /// Looks at all tasks of the next run. A scheduler may then leave lanes empty if the run would
    /// not end sooner with them.
    #[inline(always)]
    fn expect(&mut self, _tasks: impl Iterator<Item = Self::Task>) {}

    /// Takes all tasks of the source as lanes become free, and advances the lanes until all tasks
    /// are complete.
    ///
    /// # Safety
    /// Every task that the source gives is good, as [`Task`](Lanes::Task) defines it, until it is
    /// reported done.
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>);

    /// Does one task to its end, if the scheduler need not gather tasks for that. Returns `true` if
    /// the task is done; otherwise nothing was begun, and the task is for [`run`](Lanes::run).
    ///
    /// # Safety
    /// The task is good, as [`Task`](Lanes::Task) defines it, until this function returns.
    #[inline(always)]
    unsafe fn run_one(&mut self, _task: &Self::Task) -> bool {
        false
    }

    /// Does one of several tasks to its end, if it gains nothing by the company of the others.
    /// Returns `true` if the task is done; otherwise nothing was begun, and the task is for
    /// [`run`](Lanes::run).
    ///
    /// # Safety
    /// The task is good, as [`Task`](Lanes::Task) defines it, until this function returns.
    #[inline(always)]
    unsafe fn run_apart(&mut self, _task: &Self::Task) -> bool {
        false
    }
}

/// Where a scheduler gets tasks and where it reports them.
#[doc(hidden)]
pub trait Source<T> {
    /// Passes the next task, and the number to report it by, to `take`, and returns the result of
    /// `take`; `None` if there is no task now.
    ///
    /// The task is passed by reference. A task that is moved through an `Option` is copied more
    /// than once, in pieces of other sizes than it was written in, which stalls the loads (thirty
    /// cycles a job).
    fn next<R>(&mut self, take: impl FnOnce(u32, &T) -> R) -> Option<R>;

    /// Returns all tasks, to be processed where they are, if they lie side by side in the order in
    /// which the source would give them. The source then gives no more tasks, and none of these
    /// need be reported. `None` if they do not lie so, or if the source has given some already.
    #[inline(always)]
    fn side_by_side(&mut self) -> Option<&mut [T]> {
        None
    }

    /// Reports that the task of this number is complete.
    fn done(&mut self, id: u32);
}
