//! All counters at one moment. As JSON, this is what the Unix socket, the page and `broadloom top`
//! exchange.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The counters of one program at one moment.
///
/// Counters only grow while the program runs. A reader computes rates from two snapshots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The name of the program.
    pub program: String,
    /// The number of its process.
    pub pid: u32,
    /// Seconds since 1970-01-01 00:00 UTC at which the counters were read.
    pub time: f64,
    /// Seconds since the program began to count.
    pub uptime: f64,
    /// What was processed, a row for each [`Key`] that has processed anything.
    pub series: Vec<Series>,
    /// The queues that exist, and one that stands for all queues that have ended.
    pub queues: Vec<Queue>,
}

/// What tells one series from another. Metrics are broken down by these values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The name of the algorithm, as the command line takes it: `aes-128-gcm`.
    pub algorithm: String,
    /// `encrypt`, `decrypt`, `generate`, `verify`, `sign` and so on.
    pub direction: String,
    /// The provider: `native`, `openssl`.
    pub provider: String,
    /// The instruction set or library whose kernel does the work: `avx512`. Empty if the provider
    /// does not say.
    pub kernel: String,
    /// The name of the queue, which is unique in the program: see [`Queue::name`].
    pub queue: String,
    /// The lengths of the buffers.
    pub size: SizeClass,
    /// What the application called the session. Empty if it has no name.
    pub label: String,
}

/// The length of a buffer, rounded up to a power of two between 64 bytes and 1 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SizeClass(
    /// The longest length of the class in bytes; `u64::MAX` for those above 1 MiB.
    pub u64,
);

/// What was processed for one [`Key`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// What tells this series from others.
    #[serde(flatten)]
    pub key: Key,
    /// Completed operations, failed ones included.
    pub operations: u64,
    /// Bytes of the buffers of these operations.
    pub bytes: u64,
    /// Failed operations by the kind of their error, in words of the form `tag-mismatch`.
    pub errors: BTreeMap<String, u64>,
    /// Operations that another session did in place of their own, by the reason.
    pub fallbacks: BTreeMap<String, u64>,
}

/// What has a name and counters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueKind {
    /// A processor: all work happens within a call.
    Processor,
    /// A queue pair.
    QueuePair,
    /// A thread of workers.
    Worker,
    /// All queues that have ended, so that totals never shrink.
    Ended,
}

/// The counters of one queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// A name that is unique in the program: `queue-pair-3`, `worker-0`, `processor-1`, `ended`.
    pub name: String,
    /// What the name stands for.
    pub kind: QueueKind,
    /// The core on which its thread last ran. `None` if it is not known.
    pub core: Option<u32>,
    /// Jobs that were accepted and have not been given back.
    pub waiting: u64,
    /// Batches by what ended them: `batch`, `flush`, `deadline`.
    pub batches: BTreeMap<String, u64>,
    /// Steps of lanes that did work.
    pub lanes_used: u64,
    /// Steps of lanes that there were. The occupancy is the quotient of both.
    pub lanes_offered: u64,
    /// Bytes that the sessions which this queue has met take in memory.
    pub session_bytes: u64,
    /// Jobs in a batch.
    pub batch_size: Histogram,
    /// Seconds that the first job of a batch waited until the batch was processed.
    pub wait_seconds: Histogram,
    /// Seconds that processing a batch took.
    pub work_seconds: Histogram,
}

/// How often values of each size were seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The number of values.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// Buckets that hold any value, smallest first. Values lie above the bucket before and at or
    /// below `upper`.
    pub buckets: Vec<Bucket>,
}

/// One bucket of a [`Histogram`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The largest value of the bucket.
    pub upper: f64,
    /// The number of values in this bucket alone.
    pub count: u64,
}
