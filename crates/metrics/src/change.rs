//! What happened between two snapshots of one program. All rates, shares and percentiles that are
//! shown come from here.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fmt;

use crate::breakdown::Filter;
use crate::{Histogram, Queue, QueueKind, Series, Snapshot};

/// The name of the queue that stands for all queues that have ended.
const ENDED: &str = "ended";

/// What was added to the counters of a program between two snapshots.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Seconds between both snapshots.
    pub seconds: f64,
    /// The series of the later snapshot. Their counters hold what was added.
    pub series: Vec<Series>,
    /// The queues of the later snapshot. Their counters and histograms hold what was added;
    /// `core`, `waiting` and `session_bytes` are those of the later snapshot.
    pub queues: Vec<Queue>,
}

/// Sums over the series of a [`Change`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Completed operations, failed ones included.
    pub operations: u64,
    /// Bytes of their buffers.
    pub bytes: u64,
    /// Failed operations.
    pub errors: u64,
    /// Operations that another session did.
    pub fallbacks: u64,
}

/// Sums over the queues of a [`Change`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flow {
    /// The number of queues that exist.
    pub queues: usize,
    /// Jobs that were accepted and have not been given back.
    pub waiting: u64,
    /// Batches.
    pub batches: u64,
    /// Steps of lanes that did work.
    pub lanes_used: u64,
    /// Steps of lanes that there were.
    pub lanes_offered: u64,
    /// Bytes that sessions take in memory.
    pub session_bytes: u64,
    /// Jobs in a batch.
    pub batch_size: Histogram,
    /// Seconds that the first job of a batch waited.
    pub wait_seconds: Histogram,
    /// Seconds that processing a batch took.
    pub work_seconds: Histogram,
}

/// Two snapshots are not an earlier and a later one of the same run of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrelated {
    /// They come from different processes: the first and the second.
    Process(u32, u32),
    /// The program has begun to count anew since the first one.
    Restarted,
}

impl fmt::Display for Unrelated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unrelated::Process(before, after) => {
                write!(f, "process {after} answers in place of process {before}")
            }
            Unrelated::Restarted => write!(f, "the program has started anew"),
        }
    }
}

impl Error for Unrelated {}

impl Change {
    /// Returns what was added between two snapshots of a program.
    ///
    /// When a queue ends, its counters move to the queue that stands for all ended ones. What such
    /// a queue had counted before the first snapshot is not counted again.
    ///
    /// # Errors
    /// If the snapshots are not an earlier and a later one of the same run.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Result<Change, Unrelated> {
        if before.pid != after.pid {
            return Err(Unrelated::Process(before.pid, after.pid));
        }
        if after.uptime < before.uptime {
            return Err(Unrelated::Restarted);
        }
        let seconds = after.uptime - before.uptime;
        Ok(Change { seconds, series: series(before, after), queues: queues(before, after) })
    }

    /// Returns what was added since the program began to count.
    #[must_use]
    pub fn since_start(snapshot: &Snapshot) -> Change {
        let (series, queues) = (snapshot.series.clone(), snapshot.queues.clone());
        Change { seconds: snapshot.uptime, series, queues }
    }

    /// Removes the series and the queues to which nothing was added. All sums stay as they are, but
    /// for [`Flow::queues`] and [`Flow::session_bytes`].
    pub fn retain_active(&mut self) {
        self.series.retain(|series| series.operations > 0 || !series.fallbacks.is_empty());
        self.queues.retain(|queue| {
            queue.lanes_offered > 0 || !queue.batches.is_empty() || queue.waiting > 0
        });
    }

    /// Returns how many of a number happened in a second. Returns 0 if no time has passed.
    #[must_use]
    pub fn per_second(&self, number: u64) -> f64 {
        if self.seconds > 0.0 { number as f64 / self.seconds } else { 0.0 }
    }

    /// Returns the series that all filters let through.
    pub fn matching(&self, filters: &[Filter]) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| {
            let core = self.core(&series.key.queue);
            filters.iter().all(|filter| filter.admits(&series.key, core))
        })
    }

    /// Returns the sums over the series that all filters let through.
    #[must_use]
    pub fn work(&self, filters: &[Filter]) -> Work {
        let mut sums = Work::default();
        self.matching(filters).for_each(|series| sums.add(series));
        sums
    }

    /// Returns the sums over queues. With filters, the sums are over the queues that have a series
    /// which all filters let through: a queue counts batches as a whole.
    #[must_use]
    pub fn flow(&self, filters: &[Filter]) -> Flow {
        let concerned: Option<BTreeSet<&str>> = (!filters.is_empty())
            .then(|| self.matching(filters).map(|series| series.key.queue.as_str()).collect());
        let mut sums = Flow::default();
        let is_concerned = |queue: &&Queue| {
            concerned.as_ref().is_none_or(|concerned| concerned.contains(queue.name.as_str()))
        };
        self.queues.iter().filter(is_concerned).for_each(|queue| sums.add(queue));
        sums
    }

    /// Returns the core on which a queue last ran, if it is known.
    #[must_use]
    pub fn core(&self, queue: &str) -> Option<u32> {
        self.queues.iter().find(|known| known.name == queue)?.core
    }
}

impl Work {
    /// Adds what a series counted.
    pub fn add(&mut self, series: &Series) {
        self.operations += series.operations;
        self.bytes += series.bytes;
        self.errors += series.errors.values().sum::<u64>();
        self.fallbacks += series.fallbacks.values().sum::<u64>();
    }
}

impl Flow {
    /// Adds what a queue counted.
    pub fn add(&mut self, queue: &Queue) {
        self.queues += usize::from(queue.kind != QueueKind::Ended);
        self.waiting += queue.waiting;
        self.batches += queue.batches.values().sum::<u64>();
        self.lanes_used += queue.lanes_used;
        self.lanes_offered += queue.lanes_offered;
        self.session_bytes += queue.session_bytes;
        self.batch_size.merge(&queue.batch_size);
        self.wait_seconds.merge(&queue.wait_seconds);
        self.work_seconds.merge(&queue.work_seconds);
    }

    /// Returns the share of the steps of lanes that did work, from 0 to 1. Returns `None` if there
    /// were no steps.
    #[must_use]
    pub fn occupancy(&self) -> Option<f64> {
        (self.lanes_offered > 0).then(|| self.lanes_used as f64 / self.lanes_offered as f64)
    }
}

/// The series of `after`, less what `before` had counted.
fn series(before: &Snapshot, after: &Snapshot) -> Vec<Series> {
    let mut known: HashMap<_, _> =
        before.series.iter().map(|series| (series.key.clone(), series)).collect();
    let mut changes: Vec<Series> = after.series.clone();
    for series in &mut changes {
        if let Some(before) = known.remove(&series.key) {
            subtract(series, before);
        }
    }
    // What is left belongs to queues that have ended since.
    for (mut key, before) in known {
        key.queue = ENDED.to_owned();
        if let Some(series) = changes.iter_mut().find(|series| series.key == key) {
            subtract(series, before);
        }
    }
    changes
}

fn subtract(series: &mut Series, before: &Series) {
    series.operations = series.operations.saturating_sub(before.operations);
    series.bytes = series.bytes.saturating_sub(before.bytes);
    subtract_counts(&mut series.errors, &before.errors);
    subtract_counts(&mut series.fallbacks, &before.fallbacks);
}

/// The queues of `after`, less what `before` had counted.
fn queues(before: &Snapshot, after: &Snapshot) -> Vec<Queue> {
    let mut known: HashMap<_, _> =
        before.queues.iter().map(|queue| (queue.name.as_str(), queue)).collect();
    let mut changes: Vec<Queue> = after.queues.clone();
    for queue in &mut changes {
        if let Some(before) = known.remove(queue.name.as_str()) {
            subtract_queue(queue, before);
        }
    }
    if let Some(ended) = changes.iter_mut().find(|queue| queue.kind == QueueKind::Ended) {
        known.into_values().for_each(|before| subtract_queue(ended, before));
    }
    changes
}

fn subtract_queue(queue: &mut Queue, before: &Queue) {
    subtract_counts(&mut queue.batches, &before.batches);
    queue.lanes_used = queue.lanes_used.saturating_sub(before.lanes_used);
    queue.lanes_offered = queue.lanes_offered.saturating_sub(before.lanes_offered);
    queue.batch_size = queue.batch_size.since(&before.batch_size);
    queue.wait_seconds = queue.wait_seconds.since(&before.wait_seconds);
    queue.work_seconds = queue.work_seconds.since(&before.work_seconds);
}

/// Subtracts counts, and removes those that become 0.
fn subtract_counts(counts: &mut BTreeMap<String, u64>, before: &BTreeMap<String, u64>) {
    for (name, count) in counts.iter_mut() {
        *count = count.saturating_sub(before.get(name).copied().unwrap_or(0));
    }
    counts.retain(|_, count| *count > 0);
}
