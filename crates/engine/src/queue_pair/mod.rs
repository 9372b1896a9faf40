//! Queue pairs: jobs in, jobs out, on one thread.

mod devices;
mod group;
mod pace;
mod remote;

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::event::{Event, Level};
use crate::job::{Handle, Operated};
use crate::job_error::JobError;
use crate::metrics::{QueueKind, Since};
use crate::processor::{DEVICE_WAIT, Outcome, Processor, WINDOW};
use crate::session::Session;
use crate::statistics::{Cause, Statistics};
use group::Group;
use pace::Pace;
use remote::Remote;

/// The order in which a queue pair gives jobs back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Order {
    /// Any: jobs that share lanes wait for each other and not for the rest.
    #[default]
    Any,
    /// As they were enqueued.
    AsSubmitted,
}

/// When a queue pair sees jobs that were enqueued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Doorbell {
    /// With each [`enqueue`](QueuePair::enqueue).
    #[default]
    Immediate,
    /// When it is rung: [`ring`](QueuePair::ring).
    Deferred,
}

/// How a queue pair behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct QueueConfig {
    /// Jobs that it holds at most. Memory for them, up to 4096, is reserved for each class of
    /// sessions, and the rest as they come; [`usize::MAX`] is no limit.
    pub capacity: usize,
    /// The order in which they come back.
    pub order: Order,
    /// When it sees them.
    pub doorbell: Doorbell,
    /// Jobs that share lanes are processed when so many have come; `None` leaves it to the
    /// provider.
    pub batch: Option<usize>,
    /// How long a job waits for others, at most, before any call of [`enqueue`](QueuePair::enqueue)
    /// or [`dequeue`](QueuePair::dequeue) has it processed; `None`, or more than the clock can
    /// count: until the batch is full, the job's own deadline, or [`flush`](QueuePair::flush).
    /// Among calls that follow each other within nanoseconds, only every eighth reads the clock: if
    /// they come to a pause, up to seven more of them may be needed.
    pub max_wait: Option<Duration>,
}

impl Default for QueueConfig {
    fn default() -> Self {
        QueueConfig {
            capacity: 1024,
            order: Order::Any,
            doorbell: Doorbell::Immediate,
            batch: None,
            max_wait: Some(Duration::from_micros(100)),
        }
    }
}

/// Jobs for which memory is reserved where there is room for so many.
pub(crate) fn reserved(capacity: usize) -> usize {
    capacity.min(4096)
}

/// Some of the jobs of a ring, which are in one piece or in two.
fn pieces<H>(ring: &mut VecDeque<H>, range: Range<usize>) -> [&mut [H]; 2] {
    let (first, second) = ring.as_mut_slices();
    let (start, end) = (range.start.min(first.len()), range.end.min(first.len()));
    let (later_start, later_end) = (range.start - start, range.end - end);
    [&mut first[start..end], &mut second[later_start..later_end]]
}

/// Takes jobs in bursts and gives them back as they complete: a ring of requests and a ring of
/// responses, owned by one thread.
///
/// [`enqueue`](QueuePair::enqueue) takes a burst of jobs and [`dequeue`](QueuePair::dequeue) gives
/// complete ones back; jobs of different sessions, algorithms and providers mix. Jobs wait until
/// enough have come to fill the lanes, but never for long: a caller that has nothing else to do
/// flushes, and whoever keeps calling need not, since a wait has its bound
/// ([`QueueConfig::max_wait`], [`Job::by`](crate::Job::by)).
///
/// Every job that was accepted comes back exactly once: from `dequeue`, or from
/// [`close`](QueuePair::close), or, where the queue pair is dropped, to the handler given to
/// [`on_drop`](QueuePair::on_drop). That holds where a provider panics, too: the panic goes on to
/// the caller, and the jobs that it was working on are complete with the next flush, as failed with
/// [`JobError::Panicked`], their output wiped.
///
/// `H` is a job, or what owns or borrows one ([`Handle`]).
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{HashAlgorithm, Job, QueueConfig, QueuePair, Transform};
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha1))?;
/// let mut pair = QueuePair::new(QueueConfig::default());
/// let mut jobs: Vec<_> = (0..40u8).map(|n| Job::new(&session, vec![n; 100]).user(n)).collect();
/// let mut complete = Vec::new();
/// while !jobs.is_empty() {
///     pair.enqueue(&mut jobs);
///     pair.dequeue(&mut complete, usize::MAX);
/// }
/// pair.flush();
/// pair.dequeue(&mut complete, usize::MAX);
/// assert_eq!((complete.len(), pair.in_flight()), (40, 0));
/// assert!(complete.iter().all(Job::succeeded));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct QueuePair<'a, H: Handle<'a>> {
    config: QueueConfig,
    pub(crate) processor: Processor,
    pub(crate) groups: Vec<Group<H>>,
    /// Of a burst that is being taken: groups, and how many jobs in a row go there.
    runs: Vec<(usize, usize)>,
    in_flight: usize,
    /// `true` if a device works for any group.
    pub(crate) remote: bool,
    pace: Pace,
    /// The group from which complete jobs are given back first, next time.
    turn: usize,
    pub(crate) statistics: Statistics,
    pub(crate) level: Level,
    on_drop: Option<Box<dyn FnMut(H) + Send + 'a>>,
}

impl<'a, H: Handle<'a>> QueuePair<'a, H> {
    /// A queue pair.
    ///
    /// # Panics
    /// If the capacity is 0.
    pub fn new(config: QueueConfig) -> Self {
        QueuePair::of(QueueKind::QueuePair, config)
    }

    /// The same as a part of something that counts.
    pub(crate) fn of(kind: QueueKind, config: QueueConfig) -> Self {
        assert!(config.capacity > 0, "a queue pair holds at least one job, not 0");
        let mut processor = Processor::of(kind);
        let statistics = Statistics(Arc::clone(processor.meter.counters()));
        QueuePair {
            config,
            processor,
            groups: Vec::new(),
            runs: Vec::new(),
            in_flight: 0,
            remote: false,
            pace: Pace::default(),
            turn: 0,
            statistics,
            level: Level::default(),
            on_drop: None,
        }
    }

    /// Says who gets the jobs that are still held when the queue pair is dropped; those that were
    /// not processed have failed with [`JobError::Cancelled`].
    pub fn on_drop(mut self, handler: impl FnMut(H) + Send + 'a) -> Self {
        self.on_drop = Some(Box::new(handler));
        self
    }

    /// Jobs that it holds at most.
    pub fn capacity(&self) -> usize {
        self.config.capacity
    }

    /// Jobs that it holds: accepted, and not yet given back.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Returns `true` if it holds as many jobs as it may.
    pub fn is_full(&self) -> bool {
        self.in_flight == self.config.capacity
    }

    pub(crate) fn config(&self) -> &QueueConfig {
        &self.config
    }

    /// The counters, to be read from anywhere.
    pub fn statistics(&self) -> Statistics {
        self.statistics.clone()
    }

    /// A file descriptor that is readable exactly while complete jobs wait for
    /// [`dequeue`](QueuePair::dequeue).
    ///
    /// A queue pair works within its owner's calls: jobs that wait for others do not become
    /// complete by themselves. So [`flush`](QueuePair::flush) before sleeping on it.
    /// [`Workers`](crate::Workers) process jobs while their caller sleeps.
    ///
    /// # Errors
    /// The system has no more descriptors; [`io::ErrorKind::Unsupported`] elsewhere than on Linux.
    pub fn event(&mut self) -> io::Result<Event> {
        let ready = self.groups.iter().any(|group| group.complete > 0);
        self.level.event(ready)
    }

    /// Takes jobs from the front of a burst, as many as there is room for, and says how many; the
    /// rest stays. Unless the doorbell is deferred it is rung.
    pub fn enqueue(&mut self, jobs: &mut Vec<H>) -> usize {
        let accepted = jobs.len().min(self.config.capacity - self.in_flight);
        // A provider is asked for queues, and may panic, before any job leaves the burst.
        if let ([job], 1) = (&mut jobs[..], accepted) {
            let index = self.group_of(job.operation().session());
            self.groups[index].jobs.extend(jobs.pop());
            return self.accept(1);
        }
        self.find_runs(&mut jobs[..accepted]);
        if let ([(index, _)], true) = (&self.runs[..], accepted == jobs.len()) {
            // A ring takes one as a whole, and not job by job.
            let mut burst = VecDeque::from(mem::take(jobs));
            self.groups[*index].jobs.append(&mut burst);
            *jobs = burst.into();
        } else {
            let mut taken = jobs.drain(..accepted);
            for (index, count) in self.runs.drain(..) {
                self.groups[index].jobs.extend(taken.by_ref().take(count));
            }
        }
        self.accept(accepted)
    }

    /// Counts jobs that were put into their groups, and rings the doorbell unless it is deferred.
    #[inline]
    fn accept(&mut self, accepted: usize) -> usize {
        self.in_flight += accepted;
        self.statistics.0.accept(accepted);
        self.statistics.0.hold(self.in_flight);
        if self.config.doorbell == Doorbell::Immediate {
            self.ring();
        }
        accepted
    }

    /// Rings the doorbell: all jobs enqueued so far are seen. Those of which enough have come are
    /// processed.
    pub fn ring(&mut self) {
        let mut now = None;
        for index in 0..self.groups.len() {
            let group = &mut self.groups[index];
            let before = mem::replace(&mut group.seen, group.jobs.len());
            if group.remote.is_some() {
                self.start(index);
            } else if group.waiting() >= group.batch {
                if before == group.complete {
                    group.since = Since::Now;
                }
                self.run(index, Cause::Batch);
            } else if before < group.seen {
                self.start_waiting(index, before, &mut now);
            }
        }
        self.expire(now);
    }

    /// Gives back complete jobs, at most `max` of them, at the end of `jobs`, and says how many.
    pub fn dequeue(&mut self, jobs: &mut Vec<H>, max: usize) -> usize {
        self.expire(None);
        if self.remote {
            self.collect();
        }
        let mut given = 0;
        // Begins with another group each time, so that one that is never empty keeps no other
        // waiting.
        let turn = self.turn % self.groups.len().max(1);
        self.turn = turn + 1;
        let (later, first) = self.groups.split_at_mut(turn);
        for group in first.iter_mut().chain(later) {
            let count = group.complete.min(max - given);
            if count == 0 {
                continue;
            }
            if count == group.jobs.len() {
                // As a whole, and not job by job; the ring begins at its first places again, which
                // are in the nearest cache.
                let mut all = Vec::from(mem::take(&mut group.jobs));
                jobs.append(&mut all);
                group.jobs = all.into();
            } else {
                jobs.extend(group.jobs.drain(..count));
            }
            group.complete -= count;
            group.seen -= count;
            if let Some(remote) = &mut group.remote {
                remote.give_back(count);
            }
            given += count;
        }
        self.in_flight -= given;
        self.statistics.0.hold(self.in_flight);
        self.signal();
        given
    }

    /// Processes all jobs that it has seen, however few. With a deferred doorbell, it rings it
    /// first. What devices have is waited for.
    pub fn flush(&mut self) {
        self.flush_lanes();
        while self.remote
            && self.groups.iter().any(|group| group.remote.is_some() && group.waiting() > 0)
        {
            self.wait(DEVICE_WAIT);
            self.collect();
        }
    }

    /// Processes all jobs that wait for others, and starts those that wait for a device.
    pub(crate) fn flush_lanes(&mut self) {
        for index in 0..self.groups.len() {
            let group = &mut self.groups[index];
            group.seen = group.jobs.len();
            if group.remote.is_some() {
                self.start(index);
            } else if group.waiting() > 0 {
                self.run(index, Cause::Flush);
            }
        }
    }

    /// Processes jobs at once, beside those that it holds. When it returns they are complete, and
    /// [`count_lanes`](Processor::count_lanes) is still to be called.
    pub(crate) fn process_at_once<'b, J: Handle<'b>>(&mut self, jobs: &mut [J]) -> Outcome {
        // A device that is driven within a call has nothing else to do.
        if self.remote {
            self.flush();
        }
        self.processor.process(jobs)
    }

    /// Counts jobs that were to be processed at once, and that a provider panicked over.
    pub(crate) fn count_failed<'b, J: Handle<'b>>(&mut self, jobs: &mut [J]) {
        self.statistics.0.accept(jobs.len());
        self.statistics.0.complete(jobs.len(), jobs.len());
        jobs.iter_mut().for_each(|job| self.processor.meter.count_one(job.operation()));
    }

    /// Goes on after a provider has panicked: all jobs are complete, those that were not before by
    /// `fail`, and queues are opened anew.
    pub(crate) fn recover(&mut self, fail: impl Fn(&mut H)) {
        for group in &mut self.groups {
            let failed = group.jobs.len() - group.complete;
            for job in group.jobs.range_mut(group.complete..) {
                fail(job);
                self.processor.meter.count_one(job.operation());
            }
            group.complete = group.jobs.len();
            group.seen = group.complete;
            group.expires = None;
            group.since = Since::Unknown;
            group.is_open = false;
            if let Some(remote) = &mut group.remote {
                remote.forget(group.complete);
            }
            self.statistics.0.complete(failed, failed);
        }
        self.signal();
        self.processor.reset();
    }

    /// Has the event say whether complete jobs wait.
    fn signal(&mut self) {
        let groups = &self.groups;
        self.level.set(|| groups.iter().any(|group| group.complete > 0));
    }

    /// Processes what is left, and gives back every job.
    pub fn close(mut self) -> Vec<H> {
        self.flush();
        let mut jobs = Vec::new();
        self.dequeue(&mut jobs, usize::MAX);
        jobs
    }

    /// Finds the groups of a burst, by jobs in a row that have the same.
    fn find_runs(&mut self, jobs: &mut [H]) {
        self.runs.clear();
        let total = jobs.len();
        let mut jobs = jobs.iter_mut().map(|job| job.operation().session()).enumerate();
        let Some((_, mut last)) = jobs.next() else { return };
        let (mut group, mut start) = (self.group_of(last), 0);
        for (place, session) in jobs {
            if !ptr::eq(last, session) && last.class() != session.class() {
                let index = self.group_of(session);
                if index != group {
                    self.runs.push((group, place - start));
                    (group, start) = (index, place);
                }
            }
            last = session;
        }
        self.runs.push((group, total - start));
    }

    /// The group of a session's jobs.
    fn group_of(&mut self, session: &Session) -> usize {
        let class = session.class();
        let known = |group: &Group<H>| group.is_open && group.class == class;
        if let Some(index) = self.groups.iter().position(known) {
            return index;
        }
        let is_remote = self.processor.device(session).is_some();
        self.remote |= is_remote;
        let found = match self.config.order {
            Order::Any => self.groups.iter().position(|group| group.class == class),
            Order::AsSubmitted => (!self.groups.is_empty()).then_some(0),
        };
        let own = self.processor.batch(session);
        let batch =
            self.config.batch.or(own).map_or(1, |batch| batch.clamp(1, self.config.capacity));
        if let Some(index) = found {
            let group = &mut self.groups[index];
            group.class = class;
            group.is_open = own.is_some();
            group.batch = group.batch.max(batch);
            if is_remote && group.remote.is_none() {
                group.remote = Some(Remote::new(group.complete));
            }
            return index;
        }
        let jobs = VecDeque::with_capacity(reserved(self.config.capacity));
        let remote = is_remote.then(|| Remote::new(0));
        let is_open = own.is_some();
        self.groups.push(Group {
            class,
            is_open,
            jobs,
            complete: 0,
            seen: 0,
            batch,
            expires: None,
            since: Since::Unknown,
            remote,
        });
        self.groups.len() - 1
    }

    /// Notes when the jobs that wait have waited for long enough, of which those from `from` on are
    /// new; and the time, if it is asked for.
    fn start_waiting(&mut self, index: usize, from: usize, now: &mut Option<Instant>) {
        let group = &mut self.groups[index];
        let new = group.jobs.range_mut(from.max(group.complete)..group.seen);
        let own = new.filter_map(|job| job.operation().deadline).min();
        let bound = match (group.expires, self.config.max_wait) {
            (None, Some(wait)) => now.get_or_insert_with(Instant::now).checked_add(wait),
            (expires, _) => expires,
        };
        group.expires = [own, bound].into_iter().flatten().min();
        if own.is_some() {
            self.pace.look();
        }
        if from <= group.complete {
            // The clock is read for this alone only if the next batch is timed.
            let times = now.is_some() || self.processor.meter.times_next();
            group.since = match times {
                true => Since::Then(*now.get_or_insert_with(Instant::now)),
                false => Since::Unknown,
            };
        }
    }

    /// Processes the groups of which a job has waited for long enough; `now` is the time, where it
    /// is known.
    fn expire(&mut self, now: Option<Instant>) {
        let Some(expires) = self.groups.iter().filter_map(|group| group.expires).min() else {
            return;
        };
        if now.is_none() && self.pace.skips() {
            return;
        }
        let now = now.unwrap_or_else(Instant::now);
        self.pace.read(now, expires);
        for index in 0..self.groups.len() {
            let group = &mut self.groups[index];
            if group.remote.is_some() {
                group.expires = None;
            } else if group.expires.is_some_and(|expires| expires <= now) {
                self.run(index, Cause::Deadline);
            }
        }
    }

    /// Starts the jobs of a group that came when their provider had no queue: now it has a device,
    /// which may be at work for others.
    #[cold]
    fn start_late(&mut self, index: usize) {
        let group = &mut self.groups[index];
        group.remote = Some(Remote::new(group.complete));
        self.start(index);
    }

    /// Processes the jobs of a group that were seen.
    fn run(&mut self, index: usize, cause: Cause) {
        let group = &mut self.groups[index];
        if self.remote && self.processor.has_device(group.class.0) {
            return self.start_late(index);
        }
        let (from, to) = (group.complete, group.seen);
        let started = self.processor.begin_batch();
        // Each window is complete on its own: no job is processed twice where the next one panics.
        while group.complete < to {
            let until = to.min(group.complete + WINDOW);
            let jobs = pieces(&mut group.jobs, group.complete..until);
            let provider = group.class.0;
            let failed = match self.config.order {
                Order::Any => self.processor.run::<_, true>(provider, jobs),
                Order::AsSubmitted => self.processor.run::<_, false>(provider, jobs),
            };
            self.statistics.0.complete(until - group.complete, failed);
            group.complete = until;
            self.level.set(|| true);
        }
        group.expires = None;
        let since = mem::replace(&mut group.since, Since::Unknown);
        self.processor.meter.end(cause, to - from, started, since);
        self.statistics.0.fall_back(self.processor.take_fallbacks());
        self.processor.count_lanes();
    }
}

impl<'a, H: Handle<'a>> Drop for QueuePair<'a, H> {
    fn drop(&mut self) {
        self.abandon();
        for group in &mut self.groups {
            let cancelled = group.jobs.len() - group.complete;
            self.statistics.0.complete(cancelled, cancelled);
            let Some(handler) = &mut self.on_drop else { continue };
            for (place, mut job) in group.jobs.drain(..).enumerate() {
                if place >= group.complete && job.operation().status().is_none() {
                    job.operation().refuse(JobError::Cancelled);
                }
                handler(job);
            }
        }
    }
}
