//! A loop around a queue pair: jobs from a feed, complete jobs back to it.

use std::mem;

use crate::job::Handle;
use crate::metrics::QueueKind;
use crate::processor::DEVICE_WAIT;
use crate::queue_pair::{Doorbell, QueueConfig, QueuePair, reserved};

/// What a [`Feed`] has for a [`Driver`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Jobs. The driver enqueues them and takes complete jobs.
    Jobs,
    /// Jobs, and more of them at once. The driver enqueues them and asks again while the queue pair
    /// has room.
    More,
    /// Nothing now. The driver flushes the lanes, or waits for a device.
    Later,
    /// Nothing any more. The driver completes what the queue pair holds and returns.
    End,
}

/// Where the jobs of a [`Driver`] come from, and where they go.
pub trait Feed<'a, H: Handle<'a>> {
    /// The error type.
    type Error;

    /// Puts jobs at the end of `jobs`: at least one and at most `room` of them, unless the answer
    /// is [`Next::Later`] or [`Next::End`]. `jobs` is empty before.
    ///
    /// A feed that waits for jobs to come waits here: without a bound only if the queue pair holds
    /// no job.
    ///
    /// # Errors
    /// An error ends the driver's loop. The queue pair keeps its jobs.
    fn next(
        &mut self,
        pair: &mut QueuePair<'a, H>,
        jobs: &mut Vec<H>,
        room: usize,
    ) -> Result<Next, Self::Error>;

    /// Takes all complete jobs. The driver enqueues the jobs that are put into `again`, at most as
    /// many as there were in `complete`.
    ///
    /// # Errors
    /// An error ends the driver's loop. The queue pair keeps its jobs.
    fn done(&mut self, complete: &mut Vec<H>, again: &mut Vec<H>) -> Result<(), Self::Error>;

    /// Waits for a device while nothing else is to be done. The driver looks for responses
    /// afterwards.
    fn wait(&mut self, pair: &mut QueuePair<'a, H>) {
        pair.wait(DEVICE_WAIT);
    }
}

/// Keeps a queue pair filled from a [`Feed`]: the loop of a thread that owns a queue pair.
///
/// The driver gives complete jobs back as soon as they are there. Only if the feed has nothing to
/// add, or the queue pair is full, does the driver flush the lanes or wait for a device.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use std::convert::Infallible;
///
/// use broadloom_engine::{
///     Driver, Feed, HashAlgorithm, Job, Next, QueueConfig, QueuePair, Session, Transform,
/// };
///
/// /// Packets in, tags out.
/// struct Packets<'a> {
///     session: &'a Session,
///     packets: std::slice::Iter<'a, Vec<u8>>,
///     tags: Vec<Vec<u8>>,
/// }
///
/// impl<'a> Feed<'a, Job<'a>> for Packets<'a> {
///     type Error = Infallible;
///
///     fn next(
///         &mut self,
///         _: &mut QueuePair<'a, Job<'a>>,
///         jobs: &mut Vec<Job<'a>>,
///         room: usize,
///     ) -> Result<Next, Infallible> {
///         let packets = self.packets.by_ref().take(room.min(32));
///         jobs.extend(packets.map(|packet| Job::new(self.session, packet.as_slice())));
///         Ok(if jobs.is_empty() { Next::End } else { Next::Jobs })
///     }
///
///     fn done(
///         &mut self,
///         complete: &mut Vec<Job<'a>>,
///         _again: &mut Vec<Job<'a>>,
///     ) -> Result<(), Infallible> {
///         self.tags.extend(complete.drain(..).filter_map(|job| Some(job.tag()?.to_vec())));
///         Ok(())
///     }
/// }
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
/// let packets = vec![vec![7; 100]; 80];
/// let mut feed = Packets { session: &session, packets: packets.iter(), tags: Vec::new() };
/// Driver::new(QueueConfig::default()).run(&mut feed)?;
/// assert_eq!(feed.tags.len(), 80);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Driver<'a, H: Handle<'a>> {
    pair: QueuePair<'a, H>,
    /// Jobs that are to be enqueued.
    jobs: Vec<H>,
    /// Jobs that are to be given back.
    complete: Vec<H>,
}

impl<'a, H: Handle<'a>> Driver<'a, H> {
    /// A driver of a queue pair of its own.
    ///
    /// # Panics
    /// If the capacity is 0.
    pub fn new(config: QueueConfig) -> Self {
        Driver::of(QueueKind::QueuePair, config)
    }

    /// The same as a part of something that counts.
    pub(crate) fn of(kind: QueueKind, config: QueueConfig) -> Self {
        Driver {
            pair: QueuePair::of(kind, config),
            jobs: Vec::with_capacity(reserved(config.capacity)),
            complete: Vec::with_capacity(reserved(config.capacity)),
        }
    }

    /// The queue pair.
    pub fn queue_pair(&mut self) -> &mut QueuePair<'a, H> {
        &mut self.pair
    }

    /// Takes jobs from the feed through the queue pair, until the feed ends and every job went back
    /// to the feed.
    ///
    /// # Errors
    /// The first error of the feed.
    pub fn run<F: Feed<'a, H>>(&mut self, feed: &mut F) -> Result<(), F::Error> {
        let Driver { pair, jobs, complete } = self;
        let deferred = pair.config().doorbell == Doorbell::Deferred;
        let mut ended = false;
        // Whether lanes may hold jobs: a device is then not waited for.
        let mut fresh = true;
        loop {
            if !complete.is_empty() {
                feed.done(complete, jobs)?;
            }
            let mut added = !jobs.is_empty();
            if added {
                pair.enqueue(jobs);
            }
            while !ended && !pair.is_full() {
                let room = pair.capacity() - pair.in_flight();
                let next = feed.next(pair, jobs, room)?;
                match next {
                    Next::Jobs | Next::More => {
                        pair.enqueue(jobs);
                        added = true;
                    }
                    Next::Later => {}
                    Next::End => ended = true,
                }
                if next != Next::More {
                    break;
                }
            }
            if added && deferred {
                pair.ring();
            }
            fresh |= added;
            pair.dequeue(complete, usize::MAX);
            if !complete.is_empty() || (added && !pair.is_full()) {
                continue;
            }
            if pair.in_flight() == 0 {
                match ended {
                    true => return Ok(()),
                    false => continue,
                }
            }
            if mem::take(&mut fresh) {
                pair.flush_lanes();
            }
            if pair.awaits_device() {
                feed.wait(pair);
            }
            pair.dequeue(complete, usize::MAX);
        }
    }

    /// Goes on after a provider has panicked within [`run`](Driver::run): the next call gives back
    /// all jobs, those that were not complete failed by `fail`.
    pub(crate) fn recover(&mut self, fail: impl Fn(&mut H)) {
        // Not accepted, since a provider opened no queue for them.
        self.jobs.iter_mut().for_each(&fail);
        self.complete.append(&mut self.jobs);
        self.pair.recover(fail);
        self.pair.dequeue(&mut self.complete, usize::MAX);
    }
}
