//! Reads the counters of this process into a snapshot.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::path::Path;
use std::process;
use std::time::SystemTime;

use broadloom_engine::metrics::{self, QueueTotals, SeriesTotals};

use crate::snapshot::{Bucket, Histogram, Key, Queue, QueueKind, Series, SizeClass, Snapshot};

/// Seconds of a nanosecond.
const NANOSECOND: f64 = 1e-9;

impl Snapshot {
    /// Reads the counters of this process. Jobs are counted from the first call on, or from
    /// [`start`](crate::start).
    ///
    /// No queue waits for this. A sum over all queues is never less than it was in an earlier
    /// snapshot.
    ///
    /// ```
    /// # let mut registry = broadloom_engine::Registry::new();
    /// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    /// use broadloom_engine::{HashAlgorithm, Job, Processor, Transform};
    /// use broadloom_metrics::Snapshot;
    ///
    /// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
    /// broadloom_metrics::start();
    /// Processor::new().process_many(&mut [Job::new(&session, b"one"), Job::new(&session, b"two")]);
    /// let snapshot = Snapshot::now();
    /// let hashed = snapshot.series.iter().filter(|series| series.key.algorithm == "sha256");
    /// assert_eq!(hashed.map(|series| series.operations).sum::<u64>(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn now() -> Snapshot {
        let queues = metrics::read();
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Snapshot {
            program: program(),
            pid: process::id(),
            time: since_epoch.unwrap_or_default().as_secs_f64(),
            uptime: metrics::uptime().as_secs_f64(),
            series: queues.iter().flat_map(series_of).collect(),
            queues: queues.iter().map(queue).collect(),
        }
    }

    /// Returns the snapshot as JSON, in one line without an end.
    ///
    /// # Errors
    /// A number of the snapshot has no form in JSON, which no snapshot of [`Snapshot::now`] has.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// Returns the name of this program: the last part of the path with which it was started.
fn program() -> String {
    let first = env::args_os().next().unwrap_or_default();
    let name = Path::new(&first).file_name().unwrap_or(&first);
    name.to_string_lossy().into_owned()
}

fn owned(counts: &BTreeMap<&'static str, u64>) -> BTreeMap<String, u64> {
    counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

fn series_of(queue: &QueueTotals) -> impl Iterator<Item = Series> {
    queue.series.iter().map(|totals| {
        let SeriesTotals { series, longest, operations, bytes, errors, fallbacks } = totals;
        Series {
            key: Key {
                algorithm: series.algorithm(),
                direction: series.direction().to_owned(),
                provider: series.provider().to_owned(),
                kernel: series.kernel().to_owned(),
                queue: queue.name.clone(),
                size: SizeClass(*longest),
                label: series.label().to_owned(),
            },
            operations: *operations,
            bytes: *bytes,
            errors: owned(errors),
            fallbacks: owned(fallbacks),
        }
    })
}

fn queue(queue: &QueueTotals) -> Queue {
    let statistics = &queue.statistics;
    let batches = [
        ("batch", statistics.batches),
        ("flush", statistics.flushes),
        ("deadline", statistics.deadlines),
    ];
    Queue {
        name: queue.name.clone(),
        kind: match queue.kind {
            metrics::QueueKind::Processor => QueueKind::Processor,
            metrics::QueueKind::QueuePair => QueueKind::QueuePair,
            metrics::QueueKind::Worker => QueueKind::Worker,
            _ => QueueKind::Ended,
        },
        core: queue.core,
        waiting: queue.waiting,
        batches: owned(&batches.into()),
        lanes_used: statistics.occupancy.used,
        lanes_offered: statistics.occupancy.offered,
        session_bytes: session_bytes(queue),
        batch_size: histogram(&queue.batch_size, 1.0),
        wait_seconds: histogram(&queue.wait, NANOSECOND),
        work_seconds: histogram(&queue.work, NANOSECOND),
    }
}

/// Returns the bytes of the open sessions of every series that a queue which still exists has met.
fn session_bytes(queue: &QueueTotals) -> u64 {
    if queue.kind == metrics::QueueKind::Ended {
        return 0;
    }
    let each = queue.series.iter().map(|totals| (&raw const *totals.series, &totals.series));
    let each: HashMap<_, _> = each.collect();
    each.values().map(|series| series.session_bytes()).sum()
}

/// Returns a histogram of values that are counted in some unit, in the unit of the snapshot.
fn histogram(counted: &metrics::Histogram, unit: f64) -> Histogram {
    let upper = |upper: u64| if upper == u64::MAX { f64::MAX } else { upper as f64 * unit };
    let buckets = counted.buckets().map(|(end, count)| Bucket { upper: upper(end), count });
    Histogram {
        count: counted.count(),
        sum: counted.sum() as f64 * unit,
        buckets: buckets.collect(),
    }
}
