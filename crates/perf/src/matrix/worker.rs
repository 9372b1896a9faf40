//! One thread's jobs, and how they go through the engine.

use broadloom_engine::{Data, Job, Order, Processor, QueueConfig, QueuePair, Session};

use super::case::Pace;
use super::material::{Made, Material};
use super::side::Side;
use crate::error::PerfError;
use crate::names::{Cache, Call};
use crate::sys::{cache, clock};

/// What a job carries: which it is, and when it was handed over.
#[derive(Debug, Clone, Copy)]
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
}

/// Looks away.
pub struct Nothing;

impl Watch for Nothing {
    #[inline(always)]
    fn hand_over(&mut self, _: &mut [Box<Job<'_, Stamp>>]) {}

    #[inline(always)]
    fn take_back(&mut self, _: &[Box<Job<'_, Stamp>>]) {}
}

/// Notes how long each job was away, in ticks of the counter.
#[derive(Default)]
pub struct Latencies(pub Vec<u64>);

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
        self.0.extend(jobs.iter().map(|job| now.saturating_sub(job.user_value().at)));
    }
}

/// One thread at work for one side at a time.
pub struct Worker<'a> {
    material: &'a Material,
    pace: Pace,
    cache: Cache,
    /// The jobs that are handed over together; between passes all of them, in order.
    bursts: Vec<Jobs<'a>>,
    done: Jobs<'a>,
    lanes: Vec<Lane<'a>>,
}

/// What a thread has open at one side.
struct Lane<'a> {
    session: &'a Session,
    queue: QueuePair<'a, Box<Job<'a, Stamp>>>,
    processor: Processor,
}

impl<'a> Worker<'a> {
    /// A worker for these sessions, one of each side, on these buffers.
    ///
    /// # Panics
    /// There is no session, or not a buffer for each of the material's.
    pub fn new(
        material: &'a Material,
        sessions: Vec<&'a Session>,
        buffers: Vec<&'a mut [u8]>,
        pace: Pace,
        cache: Cache,
    ) -> Worker<'a> {
        assert_eq!(buffers.len(), material.len(), "a place for each buffer");
        let count = buffers.len();
        let first = sessions[0];
        let jobs = buffers.into_iter().enumerate().map(|(index, bytes)| {
            Box::new(material.job(first, index, bytes).user(Stamp { index, at: 0 }))
        });
        let mut bursts: Vec<Jobs<'a>> = Vec::new();
        for (index, job) in jobs.enumerate() {
            if index % pace.burst() == 0 {
                bursts.push(Vec::with_capacity(pace.burst()));
            }
            bursts[index / pace.burst()].push(job);
        }
        let lane = |session| Lane {
            session,
            queue: QueuePair::new(QueueConfig {
                capacity: count,
                order: Order::Any,
                ..QueueConfig::default()
            }),
            processor: Processor::new(),
        };
        let lanes = sessions.into_iter().map(lane).collect();
        Worker { material, pace, cache, bursts, done: Vec::with_capacity(count), lanes }
    }

    /// Makes all jobs ready for a side, with their buffers where the case wants them.
    pub fn prepare(&mut self, side: usize) {
        let session = self.lanes[side].session;
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
        let Worker { pace, bursts, done, lanes, .. } = self;
        let Lane { queue, processor, .. } = &mut lanes[side];
        match *pace {
            Pace::Burst(_, Call::ProcessMany) | Pace::Sync => {
                for burst in bursts {
                    watch.hand_over(burst);
                    processor.process_many(burst);
                    watch.take_back(burst);
                }
            }
            Pace::Burst(_, Call::QueuePair) => {
                for burst in bursts {
                    watch.hand_over(burst);
                    queue.enqueue(burst);
                    take(queue, done, watch);
                }
                queue.flush();
                take(queue, done, watch);
            }
            Pace::Async(outstanding) => {
                for job in bursts {
                    watch.hand_over(job);
                    queue.enqueue(job);
                    // With as many in flight as may be, there is nothing to do but wait.
                    if queue.in_flight() == outstanding && take(queue, done, watch) == 0 {
                        queue.flush();
                        take(queue, done, watch);
                    }
                }
                queue.flush();
                take(queue, done, watch);
            }
        }
    }

    /// Puts all jobs back into their places after a pass, and looks whether they went well.
    ///
    /// # Errors
    /// The first job that did not.
    ///
    /// # Panics
    /// A job did not come back.
    pub fn gather(&mut self, side: &Side) -> Result<(), PerfError> {
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

    /// What the jobs made of their buffers, after [`gather`](Worker::gather).
    ///
    /// # Errors
    /// As of [`Material::made`].
    pub fn made(&self, side: &Side) -> Result<Vec<Made>, PerfError> {
        let jobs = self.bursts.iter().flatten();
        jobs.map(|job| self.material.made(job.user_value().index, job, side)).collect()
    }
}

/// Takes what is complete out of a queue pair, and says how many there were.
#[inline(always)]
fn take<'a>(
    queue: &mut QueuePair<'a, Box<Job<'a, Stamp>>>,
    done: &mut Jobs<'a>,
    watch: &mut impl Watch,
) -> usize {
    let before = done.len();
    let count = queue.dequeue(done, usize::MAX);
    watch.take_back(&done[before..]);
    count
}
