//! One thread's jobs, and how they go through the engine; and a library's calls beside them.

use std::convert::Infallible;
use std::slice;

use broadloom_engine::{
    Data, Driver, Feed, Job, Next, Order, Processor, QueueConfig, QueuePair, Session,
};

use super::case::Pace;
use super::material::{Made, Material};
use super::side::Side;
use crate::error::PerfError;
use crate::measure::peers::Bare;
use crate::measure::sys::{cache, clock};
use crate::names::{Cache, Call};

/// What a job carries: which it is, and when it was handed over.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stamp {
    index: usize,
    at: u64,
}

/// What jobs are kept in: a queue pair moves no more than a pointer.
type Jobs<'a> = Vec<Box<Job<'a, Stamp>>>;

/// What looks on while jobs are handed over and come back.
pub trait Watch {
    /// These are about to be handed over.
    fn hand_over(&mut self, jobs: &mut [Box<Job<'_, Stamp>>]);

    /// These have just come back.
    fn take_back(&mut self, jobs: &[Box<Job<'_, Stamp>>]);

    /// Buffers are about to be handed to a library.
    fn begin(&mut self);

    /// So many buffers have just come back from a library.
    fn end(&mut self, buffers: usize);
}

/// Looks away.
pub struct Nothing;

impl Watch for Nothing {
    #[inline(always)]
    fn hand_over(&mut self, _: &mut [Box<Job<'_, Stamp>>]) {}

    #[inline(always)]
    fn take_back(&mut self, _: &[Box<Job<'_, Stamp>>]) {}

    #[inline(always)]
    fn begin(&mut self) {}

    #[inline(always)]
    fn end(&mut self, _: usize) {}
}

/// Notes how long each job was away, in ticks of the counter.
#[derive(Default)]
pub struct Latencies {
    /// Of each job.
    pub ticks: Vec<u64>,
    /// When a library was handed buffers.
    begun: u64,
}

impl Latencies {
    /// Room for so many jobs.
    pub fn with_capacity(jobs: usize) -> Latencies {
        Latencies { ticks: Vec::with_capacity(jobs), begun: 0 }
    }
}

impl Watch for Latencies {
    #[inline(always)]
    fn hand_over(&mut self, jobs: &mut [Box<Job<'_, Stamp>>]) {
        let now = clock::start();
        for job in jobs {
            job.user_value_mut().at = now;
        }
    }

    #[inline(always)]
    fn take_back(&mut self, jobs: &[Box<Job<'_, Stamp>>]) {
        let now = clock::stop();
        self.ticks.extend(jobs.iter().map(|job| now.saturating_sub(job.user_value().at)));
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.begun = clock::start();
    }

    #[inline(always)]
    fn end(&mut self, buffers: usize) {
        let away = clock::stop().saturating_sub(self.begun);
        self.ticks.extend(std::iter::repeat_n(away, buffers));
    }
}

/// One thread at work for one side at a time.
pub struct Worker<'a> {
    material: &'a Material,
    pace: Pace,
    cache: Cache,
    /// The jobs that are handed over together; between passes all of them, in order. There are none
    /// where no side is a provider.
    bursts: Vec<Jobs<'a>>,
    done: Jobs<'a>,
    lanes: Vec<Lane<'a>>,
}

/// What a thread has open at one side.
pub enum Lane<'a> {
    /// At a provider.
    Engine(Box<Open<'a>>),
    /// At a library.
    Bare(Box<dyn Bare + 'a>, Result<(), PerfError>),
}

/// What a thread has open at a provider.
pub struct Open<'a> {
    session: &'a Session,
    driver: Driver<'a, Box<Job<'a, Stamp>>>,
    queue_pair: QueuePair<'a, Box<Job<'a, Stamp>>>,
    processor: Processor,
}

/// A pass through a queue pair.
struct Bursts<'p, 'a, W> {
    bursts: slice::IterMut<'p, Jobs<'a>>,
    /// What a burst is to the driver.
    next: Next,
    done: &'p mut Jobs<'a>,
    watch: &'p mut W,
}

impl<'a, W: Watch> Feed<'a, Box<Job<'a, Stamp>>> for Bursts<'_, 'a, W> {
    type Error = Infallible;

    #[inline(always)]
    fn next(
        &mut self,
        _: &mut QueuePair<'a, Box<Job<'a, Stamp>>>,
        jobs: &mut Jobs<'a>,
        _room: usize,
    ) -> Result<Next, Infallible> {
        let Some(burst) = self.bursts.next() else { return Ok(Next::End) };
        self.watch.hand_over(burst);
        jobs.append(burst);
        Ok(self.next)
    }

    #[inline(always)]
    fn done(&mut self, complete: &mut Jobs<'a>, _again: &mut Jobs<'a>) -> Result<(), Infallible> {
        self.watch.take_back(complete);
        self.done.append(complete);
        Ok(())
    }
}

impl<'a> Lane<'a> {
    /// A session, for so many jobs at a time.
    pub fn engine(session: &'a Session, capacity: usize) -> Lane<'a> {
        let config = QueueConfig { capacity, order: Order::Any, ..QueueConfig::default() };
        let queue_pair = QueuePair::new(config);
        let (driver, processor) = (Driver::new(config), Processor::new());
        Lane::Engine(Box::new(Open { session, driver, queue_pair, processor }))
    }

    /// A library at work.
    pub fn bare(bare: Box<dyn Bare + 'a>) -> Lane<'a> {
        Lane::Bare(bare, Ok(()))
    }

    fn session(&self) -> Option<&'a Session> {
        match self {
            Lane::Engine(open) => Some(open.session),
            Lane::Bare(..) => None,
        }
    }
}

impl<'a> Worker<'a> {
    /// A worker with these lanes, one of each side, on these buffers.
    ///
    /// # Panics
    /// There is not a buffer for each of the material's.
    pub fn new(
        material: &'a Material,
        lanes: Vec<Lane<'a>>,
        buffers: Vec<&'a mut [u8]>,
        pace: Pace,
        cache: Cache,
    ) -> Worker<'a> {
        assert_eq!(buffers.len(), material.len(), "a place for each buffer");
        let count = buffers.len();
        let mut bursts: Vec<Jobs<'a>> = Vec::new();
        if let Some(first) = lanes.iter().find_map(Lane::session) {
            for (index, bytes) in buffers.into_iter().enumerate() {
                if index % pace.burst() == 0 {
                    bursts.push(Vec::with_capacity(pace.burst()));
                }
                let job = material.job(first, index, bytes).user(Stamp { index, at: 0 });
                bursts[index / pace.burst()].push(Box::new(job));
            }
        }
        Worker { material, pace, cache, bursts, done: Vec::with_capacity(count), lanes }
    }

    /// Makes all jobs ready for a side, with their buffers where the case wants them.
    pub fn prepare(&mut self, side: usize) {
        let session = match &mut self.lanes[side] {
            Lane::Engine(open) => open.session,
            Lane::Bare(bare, _) => {
                bare.restore();
                if self.cache == Cache::Cold {
                    let buffers = bare.buffers();
                    (0..buffers.len()).for_each(|index| cache::evict(buffers.source(index)));
                }
                return;
            }
        };
        for job in self.bursts.iter_mut().flatten() {
            let index = job.user_value().index;
            self.material.restore(session, index, job);
            if self.cache == Cache::Cold {
                cache::evict(match job.data() {
                    Data::Read(bytes) => bytes.as_slice(),
                    data => data.output().unwrap_or_default(),
                });
            }
        }
    }

    /// Has a side do all jobs: what is measured.
    pub fn pass(&mut self, side: usize, watch: &mut impl Watch) {
        let Worker { pace, bursts, done, lanes, material, .. } = self;
        let Open { driver, queue_pair, processor, .. } = match &mut lanes[side] {
            Lane::Engine(open) => &mut **open,
            Lane::Bare(bare, failure) => {
                return library(&mut **bare, failure, material.len(), *pace, watch);
            }
        };
        let next = match *pace {
            Pace::Burst(_, Call::ProcessMany) | Pace::Sync => {
                for burst in bursts {
                    watch.hand_over(burst);
                    processor.process_many(burst);
                    watch.take_back(burst);
                }
                return;
            }
            Pace::Burst(_, Call::Stream) => {
                return bursts.iter_mut().for_each(|burst| stream(queue_pair, burst, done, watch));
            }
            Pace::Burst(_, Call::QueuePair) => Next::Jobs,
            // Up to as many as may be outstanding, which is what the queue pair holds.
            Pace::Async(_) => Next::More,
        };
        let mut pass = Bursts { bursts: bursts.iter_mut(), next, done, watch };
        driver.run(&mut pass).unwrap_or_else(|never| match never {});
    }

    /// Puts all jobs back into their places after a pass, and looks whether they went well.
    ///
    /// # Errors
    /// The first job that did not, or what a library reported.
    ///
    /// # Panics
    /// A job did not come back.
    pub fn gather(&mut self, index: usize, side: &Side) -> Result<(), PerfError> {
        if let Lane::Bare(_, failure) = &mut self.lanes[index] {
            return std::mem::replace(failure, Ok(()));
        }
        let burst = self.pace.burst();
        for job in self.done.drain(..) {
            self.bursts[job.user_value().index / burst].push(job);
        }
        let mut expected = 0;
        for jobs in &mut self.bursts {
            jobs.sort_unstable_by_key(|job| job.user_value().index);
            for job in jobs {
                let index = job.user_value().index;
                assert_eq!(index, expected, "every job comes back once");
                expected += 1;
                if !job.succeeded() {
                    self.material.made(index, job, side)?;
                }
            }
        }
        assert_eq!(expected, self.material.len(), "every job comes back");
        Ok(())
    }

    /// Returns what the jobs made of their buffers, after [`gather`](Worker::gather).
    ///
    /// # Errors
    /// As of [`Material::made`].
    pub fn made(&self, index: usize, side: &Side) -> Result<Vec<Made>, PerfError> {
        if let Lane::Bare(bare, _) = &self.lanes[index] {
            let buffers = bare.buffers();
            let made = |index| self.material.made_by(index, buffers, side);
            return (0..buffers.len()).map(made).collect();
        }
        let jobs = self.bursts.iter().flatten();
        jobs.map(|job| self.material.made(job.user_value().index, job, side)).collect()
    }
}

/// Hands jobs to a queue pair one by one, takes back what is complete after each, and flushes.
#[inline(always)]
fn stream<'a>(
    queue_pair: &mut QueuePair<'a, Box<Job<'a, Stamp>>>,
    jobs: &mut Jobs<'a>,
    done: &mut Jobs<'a>,
    watch: &mut impl Watch,
) {
    let mut one = Vec::with_capacity(1);
    let mut take_back = |queue_pair: &mut QueuePair<'a, _>, watch: &mut _| {
        let before = done.len();
        queue_pair.dequeue(done, usize::MAX);
        Watch::take_back(watch, &done[before..]);
    };
    for job in jobs.drain(..) {
        one.push(job);
        watch.hand_over(&mut one);
        queue_pair.enqueue(&mut one);
        take_back(queue_pair, watch);
    }
    queue_pair.flush();
    while queue_pair.in_flight() > 0 {
        take_back(queue_pair, watch);
    }
}

/// Has a library do all buffers, in bursts. After its first failure nothing more is done.
#[inline(always)]
fn library(
    bare: &mut dyn Bare,
    failure: &mut Result<(), PerfError>,
    count: usize,
    pace: Pace,
    watch: &mut impl Watch,
) {
    let burst = pace.burst();
    for begin in (0..count).step_by(burst) {
        let end = count.min(begin + burst);
        watch.begin();
        let done = match pace.is_stream() {
            true => (begin..end)
                .try_for_each(|index| bare.submit(index..index + 1))
                .and_then(|()| bare.flush()),
            false => bare.burst(begin..end),
        };
        watch.end(end - begin);
        if done.is_err() {
            *failure = done;
            return;
        }
    }
}
