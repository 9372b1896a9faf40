//! Workers: threads, each with a queue pair, that process the jobs of any thread.

use std::error::Error;
use std::fmt;
use std::io;
use std::mem;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::affinity::{AffinityError, Placement, pin_to};
use crate::completion::{Burst, Completion, block_on, burst, completion};
use crate::event::Event;
use crate::exchange::{Envelope, Exchange, Item, Share};
use crate::job::Handle;
use crate::origin::Origin;
use crate::queue_pair::{Doorbell, Order, QueueConfig};
use crate::share::shares;
use crate::statistics::Statistics;
use crate::sync::{Arc, Mutex};
use crate::worker::Worker;

/// The most threads: more than any machine has cores, and few enough for their inboxes.
const MAX_THREADS: usize = 4096;

/// Fewer jobs than this are not dealt out to several workers: they would leave the lanes of each
/// empty.
const PIECE: usize = 32;

/// How workers behave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct WorkersConfig {
    /// How many they are, at most 4096; as many as the process may use cores, unless set otherwise.
    pub threads: usize,
    /// Which cores they run on.
    pub placement: Placement,
    /// Jobs for each of them, at most; as [`QueueConfig::capacity`].
    pub capacity: usize,
    /// Jobs that share lanes are processed when so many have come; `None` leaves it to the
    /// provider.
    pub batch: Option<usize>,
    /// How long a job waits for others, at most, while more keep coming.
    pub max_wait: Option<Duration>,
    /// How long a worker waits for more, at most, when none come and it has jobs that do not fill
    /// the lanes. With zero it processes them at once, which is best unless bursts are small and
    /// frequent.
    pub patience: Duration,
}

impl Default for WorkersConfig {
    fn default() -> Self {
        let queue = QueueConfig::default();
        WorkersConfig {
            threads: thread::available_parallelism().map_or(1, usize::from),
            placement: Placement::Anywhere,
            capacity: queue.capacity,
            batch: queue.batch,
            max_wait: queue.max_wait,
            patience: Duration::ZERO,
        }
    }
}

/// Why workers could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkersError {
    /// No threads were asked for.
    NoThreads,
    /// More threads were asked for than there may be.
    TooManyThreads {
        /// How many were asked for.
        threads: usize,
        /// How many there may be.
        max: usize,
    },
    /// No room for jobs was asked for.
    NoCapacity,
    /// They cannot be placed as asked.
    Affinity(AffinityError),
    /// The system has no more threads.
    Spawn {
        /// The worker's number.
        worker: usize,
        /// What the system says.
        source: io::Error,
    },
}

impl fmt::Display for WorkersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkersError::NoThreads => f.write_str("workers are at least 1 thread, not 0"),
            WorkersError::TooManyThreads { threads, max } => {
                write!(f, "workers are at most {max} threads, not {threads}")
            }
            WorkersError::NoCapacity => f.write_str("a worker holds at least 1 job, not 0"),
            WorkersError::Affinity(error) => fmt::Display::fmt(error, f),
            WorkersError::Spawn { worker, source } => {
                write!(f, "the system starts no thread for worker {worker}: {source}")
            }
        }
    }
}

impl Error for WorkersError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            WorkersError::Affinity(error) => error.source(),
            WorkersError::Spawn { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<AffinityError> for WorkersError {
    fn from(error: AffinityError) -> Self {
        WorkersError::Affinity(error)
    }
}

/// Threads that process jobs, each with a [`QueuePair`](crate::QueuePair) of its own.
///
/// Jobs go in and come out in three ways, which mix:
///
/// - [`submit`](Workers::submit) takes bursts, and [`poll`](Workers::poll) gives back what is
///   complete, in any order; [`wait`](Workers::wait) and [`event`](Workers::event) are for whoever
///   has nothing else to do.
/// - [`process`](Workers::process) and [`process_burst`](Workers::process_burst) are futures.
/// - [`process_many`](Workers::process_many) waits.
///
/// Jobs own what they work on, since they outlive any call; they come back with it. A burst goes to
/// the worker that has the fewest jobs, or in pieces to several. A worker whose inbox is empty
/// processes what it has, however few; one that has nothing sleeps.
///
/// Every job comes back exactly once. If a provider panics, those that it was working on, and those
/// that waited beside them for their lanes to fill, come back as failed with
/// [`JobError::Panicked`](crate::JobError::Panicked), and the worker goes on with a new queue.
/// [`shutdown`](Workers::shutdown) completes all that was accepted and gives it back. If workers
/// are dropped instead, all is completed as well: futures get their jobs, and the others go to the
/// handler given to [`on_drop`](Workers::on_drop), or are discarded if there is none.
///
/// All may be called from several threads at once.
///
/// A child that a fork made has none of the threads ([`are_here`](Workers::are_here)). Whatever
/// asks for jobs there panics and does not wait for ever; a drop does nothing, and leaves the jobs
/// that were in flight to the parent.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use std::time::Duration;
///
/// use broadloom_engine::{HashAlgorithm, Job, Transform, Workers, WorkersConfig};
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
/// let workers = Workers::new(WorkersConfig { threads: 2, ..Default::default() })?;
/// let job = |n| Box::new(Job::new(session.clone(), vec![n; 1000]));
/// let mut jobs: Vec<_> = (0..100).map(job).collect();
/// let mut complete = Vec::new();
/// while !jobs.is_empty() {
///     workers.submit(&mut jobs);
///     workers.wait(Duration::from_millis(10));
///     workers.poll(&mut complete, usize::MAX);
/// }
/// complete.extend(workers.shutdown());
/// assert_eq!(complete.len(), 100);
/// assert!(complete.iter().all(|job| job.succeeded()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Workers<H: Handle<'static> + Send + 'static> {
    exchange: Arc<Exchange<H>>,
    config: WorkersConfig,
    cores: Vec<Option<usize>>,
    statistics: Vec<Statistics>,
    threads: Vec<JoinHandle<()>>,
    origin: Origin,
    on_drop: Mutex<Option<Handler<H>>>,
}

type Handler<H> = Box<dyn FnMut(H) + Send>;

impl<H: Handle<'static> + Send + 'static> Workers<H> {
    /// Starts workers. When it returns, each is on its core.
    ///
    /// # Errors
    /// [`WorkersError`]; no thread is left running then.
    pub fn new(config: WorkersConfig) -> Result<Self, WorkersError> {
        if config.threads == 0 {
            return Err(WorkersError::NoThreads);
        }
        if config.threads > MAX_THREADS {
            let threads = config.threads;
            return Err(WorkersError::TooManyThreads { threads, max: MAX_THREADS });
        }
        if config.capacity == 0 {
            return Err(WorkersError::NoCapacity);
        }
        let mut workers = Workers {
            exchange: Arc::new(Exchange::new(config.threads, config.capacity)),
            cores: config.placement.assign(config.threads)?,
            statistics: Vec::new(),
            threads: Vec::new(),
            origin: Origin::here(),
            on_drop: Mutex::new(None),
            config,
        };
        for number in 0..workers.config.threads {
            workers.start(number)?;
        }
        Ok(workers)
    }

    fn start(&mut self, number: usize) -> Result<(), WorkersError> {
        let config = QueueConfig {
            capacity: self.config.capacity,
            order: Order::Any,
            doorbell: Doorbell::Immediate,
            batch: self.config.batch,
            max_wait: self.config.max_wait,
        };
        let mut worker =
            Worker::new(number, Arc::clone(&self.exchange), config, self.config.patience);
        self.statistics.push(worker.statistics());
        let core = self.cores[number];
        let (sender, pinned) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name(format!("broadloom-{number}")).spawn(move || {
            let result = core.map_or(Ok(()), pin_to);
            let is_ready = result.is_ok();
            // The one who starts threads waits for this.
            if sender.send(result).is_ok() && is_ready {
                worker.run();
            }
        });
        self.threads.push(thread.map_err(|source| WorkersError::Spawn { worker: number, source })?);
        match pinned.recv() {
            Ok(result) => Ok(result?),
            Err(_) => {
                let source = io::Error::other("the thread died");
                Err(WorkersError::Spawn { worker: number, source })
            }
        }
    }

    /// Says who gets the complete jobs that were submitted and not polled when the workers are
    /// dropped.
    pub fn on_drop(self, handler: impl FnMut(H) + Send + 'static) -> Self {
        *crate::sync::lock(&self.on_drop) = Some(Box::new(handler));
        self
    }

    /// Returns `true` if their threads are in this process, which they are not in a child that a
    /// fork made.
    pub fn are_here(&self) -> bool {
        self.origin.is_here()
    }

    /// The exchange, whose other side is in this process.
    #[track_caller]
    fn exchange(&self) -> &Exchange<H> {
        self.origin.assert_here();
        &self.exchange
    }

    /// Returns the number of workers.
    pub fn threads(&self) -> usize {
        self.config.threads
    }

    /// The core that a worker is pinned to; `None` if it is not.
    ///
    /// # Panics
    /// If there is no worker of that number.
    pub fn core(&self, worker: usize) -> Option<usize> {
        self.cores[worker]
    }

    /// A worker's counters, to be read at any time.
    ///
    /// # Panics
    /// If there is no worker of that number.
    pub fn statistics(&self, worker: usize) -> Statistics {
        self.statistics[worker].clone()
    }

    /// Jobs that they take, at most.
    pub fn capacity(&self) -> usize {
        self.exchange.capacity()
    }

    /// Jobs that they have: accepted, and not yet given back. Jobs of futures that wait for room
    /// are not accepted yet.
    pub fn in_flight(&self) -> usize {
        self.exchange().in_flight()
    }

    /// Takes jobs from the front of a burst, as many as there is room for, and says how many; the
    /// rest stays. Where futures wait for room, bursts and futures take turns: after a future got
    /// its room, the next burst is taken, even if it finds none.
    pub fn submit(&self, jobs: &mut Vec<H>) -> usize {
        let piece = jobs.len().div_ceil(self.threads()).max(PIECE);
        self.exchange().submit(jobs, piece)
    }

    /// Gives back complete jobs that were submitted, at most `max` of them, at the end of `jobs`,
    /// and says how many.
    pub fn poll(&self, jobs: &mut Vec<H>, max: usize) -> usize {
        self.exchange().poll(jobs, max)
    }

    /// Waits until complete jobs can be polled, until none are in flight that could be, or until
    /// the time is over; says how many can be polled.
    pub fn wait(&self, timeout: Duration) -> usize {
        self.exchange().wait(timeout)
    }

    /// A file descriptor that is readable exactly while complete jobs wait for
    /// [`poll`](Workers::poll). It costs a system call when the first is complete and one when the
    /// last is polled; without it there are none.
    ///
    /// # Errors
    /// The system has no more descriptors; [`io::ErrorKind::Unsupported`] elsewhere than on Linux.
    pub fn event(&self) -> io::Result<Event> {
        self.exchange().event()
    }

    /// Has a job processed, side by side with those that others submit, and resolves to it. Where
    /// there is no room it waits for some, first come first served.
    ///
    /// Work starts at once and does not wait for the future to be polled.
    ///
    /// ```
    /// # use broadloom_engine::{Job, Session, Workers};
    /// # async fn with(workers: &Workers<Job<'static>>, session: &Session, packet: Vec<u8>) {
    /// let job = workers.process(Job::new(session.clone(), packet)).await;
    /// assert!(job.succeeded());
    /// # }
    /// ```
    pub fn process(&self, job: H) -> Completion<H> {
        let (completion, reply) = completion();
        let envelope = Envelope { job, reply: Some(reply) };
        self.exchange().offer(std::iter::once(Item::Job(envelope)));
        completion
    }

    /// Has a burst of jobs processed, in contiguous shares of near-equal cost, and resolves to all
    /// of them in the order in which they were. Each share is worked on by itself, which costs less
    /// than as many single jobs; jobs of different bursts do not share lanes. As to the rest, see
    /// [`process`](Workers::process).
    pub fn process_burst(&self, mut jobs: Vec<H>) -> Burst<H> {
        let lens = shares(&mut jobs, self.threads(), self.config.capacity).map(|share| share.len());
        let lens: Vec<usize> = lens.collect();
        let (burst, mut replies) = burst(lens.len());
        let share = |(jobs, reply)| Item::Share(Share { jobs, reply });
        if lens.len() == 1 {
            self.exchange().offer(replies.next().map(|reply| share((jobs, reply))).into_iter());
        } else {
            let mut jobs = jobs.into_iter();
            let parts: Vec<Vec<H>> =
                lens.iter().map(|len| jobs.by_ref().take(*len).collect()).collect();
            self.exchange().offer(parts.into_iter().zip(replies).map(share));
        }
        burst
    }

    /// Processes jobs to their end, in shares, one or more for each worker, and gives them back in
    /// their order. The calling thread sleeps meanwhile.
    pub fn process_many(&self, jobs: Vec<H>) -> Vec<H> {
        block_on(self.process_burst(jobs))
    }

    /// Completes all that was accepted, ends the threads, and gives back every job that was
    /// submitted and not polled. Futures get theirs.
    ///
    /// # Panics
    /// If a worker has died, which no provider's panic brings about.
    pub fn shutdown(mut self) -> Vec<H> {
        self.origin.assert_here();
        if let Err(panic) = self.finish() {
            std::panic::resume_unwind(panic);
        }
        let mut jobs = Vec::new();
        self.exchange.poll(&mut jobs, usize::MAX);
        jobs
    }

    /// Has all that was accepted completed, and ends the threads.
    fn finish(&mut self) -> thread::Result<()> {
        self.exchange.close();
        let mut result = Ok(());
        for thread in self.threads.drain(..) {
            // The last owner may be a job that a worker drops: that worker ends when it is done
            // with it.
            if thread.thread().id() != thread::current().id() {
                result = result.and(thread.join());
            }
        }
        result
    }
}

impl<H: Handle<'static> + Send + 'static> Drop for Workers<H> {
    fn drop(&mut self) {
        if !self.are_here() {
            // What a handle would detach is no thread here, and a worker may have held a lock.
            mem::forget(mem::take(&mut self.threads));
            return;
        }
        // A worker that died has said so on its own.
        let _ = self.finish();
        let mut jobs = Vec::new();
        self.exchange.poll(&mut jobs, usize::MAX);
        if let Some(handler) = crate::sync::lock(&self.on_drop).as_mut() {
            jobs.into_iter().for_each(handler);
        }
    }
}
