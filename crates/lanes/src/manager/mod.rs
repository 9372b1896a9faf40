//! Managers: typed jobs in, complete jobs out, over a scheduler that fills lanes.

mod groups;
mod in_order;
mod loan;
mod out_of_order;
mod plan;
mod planner;
mod queue;

pub(crate) use groups::{Groups, MAX_TASKS};
pub use in_order::InOrder;
pub use loan::Loan;
pub use out_of_order::OutOfOrder;
pub use planner::Planner;
pub(crate) use queue::Queue;

use crate::cpu::Cpu;

/// A job: what a user hands to a manager, and gets back complete.
///
/// [`HashJob`](crate::HashJob), [`CbcJob`](crate::CbcJob) and [`PacketJob`](crate::PacketJob),
/// which has all other modes, are jobs; each can be processed by [`Planner`], [`OutOfOrder`] and
/// [`InOrder`].
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
/// The task's pointers must be good as long as the job is neither moved, nor borrowed, nor dropped.
pub unsafe trait Job {
    /// The scheduler of such jobs.
    type Lanes: Lanes;

    /// The job as the scheduler sees it.
    #[doc(hidden)]
    fn task(&mut self) -> <Self::Lanes as Lanes>::Task;

    /// How long it will keep a lane, in steps of the kernel.
    #[doc(hidden)]
    fn cost(&self) -> usize;

    /// Its way through a manager.
    #[doc(hidden)]
    fn ticket(&mut self) -> &mut Ticket;

    /// Notes that its task is over.
    #[doc(hidden)]
    #[inline(always)]
    fn complete(&mut self) {
        self.ticket().complete = true;
    }
}

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
    /// Takes a job, and may give one back.
    fn submit(&mut self, job: J) -> Option<J>;
    /// Gives a job back, completing one if it must; `None` if it holds none.
    fn flush(&mut self) -> Option<J>;
    /// Completes the jobs whose deadline is `now` or earlier; call it until it gives `None`.
    fn flush_expired(&mut self, now: u64) -> Option<J>;
    /// Jobs it holds now.
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

/// A manager's notes on a job.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    /// When it should be complete, in the caller's ticks.
    pub deadline: u64,
    /// Whether it is.
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
    /// The tasks that it schedules.
    type Task: Copy;

    /// Whether it pays to sort the jobs of a stream by their length before they get lanes: whether
    /// a step of the kernel is long beside the sorting.
    const SORT_STREAMS: bool;

    /// Whether it pays to have as many jobs of one cost as there are lanes go by themselves, where
    /// streams are sorted.
    const TOGETHER: bool = false;

    /// A scheduler with the kernels for this CPU. All that it will ever allocate, it allocates
    /// here.
    fn new(cpu: &Cpu) -> Self;

    /// Lanes of the widest kernel.
    fn lanes(&self) -> usize;

    /// How full the lanes were so far.
    fn occupancy(&self) -> Occupancy;

    /// Looks at all tasks of the next run, whose goal is [`Goal::All`]: a scheduler may leave lanes
    /// empty with which the run would end no sooner.
    #[inline(always)]
    fn expect(&mut self, _tasks: impl Iterator<Item = Self::Task>) {}

    /// Takes tasks from the source as lanes become free, and advances the lanes until the goal is
    /// reached. Tasks that were taken and are not complete stay, for the next call.
    ///
    /// # Safety
    /// The pointers of every task that the source gives are good until the task is reported done,
    /// or `self` is dropped or forgotten.
    unsafe fn run(&mut self, source: &mut impl Source<Self::Task>, goal: Goal);
}

/// How full lanes were: steps (blocks) of lanes that had a buffer, of the steps that the widest
/// kernel's lanes would have taken in the same calls.
///
/// ```
/// use broadloom_lanes::{Cpu, HashJob, Md5, Planner};
///
/// let mut planner = Planner::new(&Cpu::detect());
/// planner.process_many(&mut [0; 64].map(|byte| HashJob::<Md5, _>::digest([byte; 640], ())));
/// let occupancy = planner.occupancy();
/// assert!(occupancy.used > 0 && occupancy.used <= occupancy.offered);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Occupancy {
    /// Steps of lanes that had a buffer.
    pub used: u64,
    /// Steps of all lanes.
    pub offered: u64,
}

impl Occupancy {
    /// Counts a call of a kernel for `active` of `lanes` lanes.
    #[inline(always)]
    pub(crate) fn count(&mut self, active: usize, lanes: usize, steps: usize) {
        self.used += (active * steps) as u64;
        self.offered += (lanes * steps) as u64;
    }
}

/// Where a scheduler gets tasks and where it reports them.
#[doc(hidden)]
pub trait Source<T> {
    /// Hands over the next task and the number that it is to be reported by, and gives what `take`
    /// made of them; `None` if there is none now.
    ///
    /// By reference: a task that is moved through an `Option` is copied more than once, in pieces
    /// that do not fit those it was written in, which stalls the loads (thirty cycles a job).
    fn next<R>(&mut self, take: impl FnOnce(u32, &T) -> R) -> Option<R>;
    /// The task of this number is complete.
    fn done(&mut self, id: u32);
}

/// When a call of [`Lanes::run`] returns.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// When at least one task is complete and no more wait for lanes, or none is left.
    One,
    /// When none is left.
    All,
}
