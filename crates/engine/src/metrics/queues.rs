//! All queues of this process, and what they have done.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::counters::Counters;
use super::histogram::Histogram;
use super::row::{self, CLASSES, Row};
use super::series::Series;
use crate::patience::{lock_now, lock_soon};
use crate::statistics::Snapshot;
use broadloom_lanes::Occupancy;

/// What has counters of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum QueueKind {
    /// A [`Processor`](crate::Processor).
    Processor,
    /// A [`QueuePair`](crate::QueuePair).
    QueuePair,
    /// A thread of [`Workers`](crate::Workers).
    Worker,
    /// All queues that were dropped.
    Ended,
}

impl QueueKind {
    /// Returns the name: `queue-pair`.
    pub const fn name(self) -> &'static str {
        match self {
            QueueKind::Processor => "processor",
            QueueKind::QueuePair => "queue-pair",
            QueueKind::Worker => "worker",
            QueueKind::Ended => "ended",
        }
    }
}

/// What one queue has done until a moment.
///
/// Each counter is right, and they may be some jobs apart, since the queue works on meanwhile.
#[derive(Debug, Clone)]
pub struct QueueTotals {
    /// A name that no other queue of this process has: `queue-pair-3`.
    pub name: String,
    /// What the queue is.
    pub kind: QueueKind,
    /// The core on which it last ran; `None` if that is not known. It is looked up when a batch is
    /// timed.
    pub core: Option<u32>,
    /// Jobs that were accepted and have not been given back. A processor has none.
    pub waiting: u64,
    /// Jobs and batches, since counting began.
    pub statistics: Snapshot,
    /// Jobs in a batch.
    pub batch_size: Histogram,
    /// Nanoseconds that the first job of a batch waited until the batch was processed. Only some
    /// batches are timed.
    pub wait: Histogram,
    /// Nanoseconds that processing a batch took. Only some batches are timed.
    pub work: Histogram,
    /// Operations, in no order.
    pub series: Vec<SeriesTotals>,
}

/// What one queue has done for one series and one class of sizes.
#[derive(Debug, Clone)]
pub struct SeriesTotals {
    /// What tells these operations from others.
    pub series: Arc<Series>,
    /// The longest buffers of the class, in bytes: a power of two from 64 to 1 MiB, or
    /// [`u64::MAX`].
    pub longest: u64,
    /// Operations that are complete, whether they succeeded or failed. A piece of a stream is an
    /// operation.
    pub operations: u64,
    /// Bytes of their buffers.
    pub bytes: u64,
    /// Operations that failed, by the [name](crate::JobError::name) of their error.
    pub errors: BTreeMap<&'static str, u64>,
    /// Operations that the session did which their own [falls
    /// back](crate::Session::falling_back_to) to, by the name of the error that was the reason.
    pub fallbacks: BTreeMap<&'static str, u64>,
}

/// Counters while they are added up.
#[derive(Debug, Clone, Default)]
struct Sums {
    statistics: Snapshot,
    batch_size: Histogram,
    wait: Histogram,
    work: Histogram,
    /// By the number of the series and the class of sizes.
    series: BTreeMap<(u16, usize), SeriesTotals>,
}

impl Sums {
    fn add(&mut self, counters: &Counters) {
        self.statistics.add(counters.counted());
        self.batch_size.add(&counters.batch_size);
        self.wait.add(&counters.wait);
        self.work.add(&counters.work);
        counters.rows.iter().for_each(|row| self.add_row(row));
    }

    fn add_row(&mut self, row: &Row) {
        for class in 0..CLASSES {
            // Errors before operations: at no moment more operations seem to have failed than there
            // were.
            let errors: Vec<_> = row.errors(class).collect();
            let fallbacks: Vec<_> = row.fallbacks(class).collect();
            let (operations, bytes) = row.sizes[class].read();
            if operations == 0 {
                continue;
            }
            let sums = self.series.entry((row.series.number(), class));
            let sums = sums.or_insert_with(|| SeriesTotals {
                series: Arc::clone(&row.series),
                longest: row::longest(class),
                operations: 0,
                bytes: 0,
                errors: BTreeMap::new(),
                fallbacks: BTreeMap::new(),
            });
            sums.operations += operations;
            sums.bytes += bytes;
            for (error, count) in errors {
                *sums.errors.entry(error).or_default() += count;
            }
            for (reason, count) in fallbacks {
                *sums.fallbacks.entry(reason).or_default() += count;
            }
        }
    }

    fn into_totals(self, name: String, kind: QueueKind) -> QueueTotals {
        let Sums { statistics, batch_size, wait, work, series } = self;
        let series = series.into_values().collect();
        let (core, waiting) = (None, 0);
        QueueTotals { name, kind, core, waiting, statistics, batch_size, wait, work, series }
    }
}

/// A queue that is not dropped yet.
#[derive(Clone)]
struct Live {
    number: usize,
    kind: QueueKind,
    counters: Arc<Counters>,
}

impl Live {
    fn totals(&self) -> QueueTotals {
        let mut sums = Sums::default();
        sums.add(&self.counters);
        let name = format!("{}-{}", self.kind.name(), self.number);
        QueueTotals {
            core: self.counters.core(),
            waiting: self.counters.waiting(),
            ..sums.into_totals(name, self.kind)
        }
    }
}

/// The queues of this process.
struct Queues {
    /// A reader keeps the list as it is, and reads without the lock.
    live: Option<Arc<Vec<Live>>>,
    /// Of processors, queue pairs and workers: how many there were.
    numbers: [usize; 3],
    /// What the queues have done that were dropped. Whoever reads keeps it as it is.
    ended: Option<Arc<Sums>>,
}

static QUEUES: Mutex<Queues> = Mutex::new(Queues { live: None, numbers: [0; 3], ended: None });

/// When counting began.
static STARTED: OnceLock<Instant> = OnceLock::new();

/// `true` if jobs are counted.
static COUNTS: AtomicBool = AtomicBool::new(false);

/// Makes every queue count from now on. Counting takes one or two per cent of the time of the
/// shortest jobs, so no queue does it before someone wants to read. The
/// [`Statistics`](crate::Statistics) of a queue pair count from the queue pair's beginning, whether
/// this was called or not; [`QueueTotals::statistics`] begin where operations do.
pub fn start() {
    STARTED.get_or_init(Instant::now);
    COUNTS.store(true, Ordering::Relaxed);
}

/// Returns `true` if jobs are counted.
#[inline(always)]
pub(crate) fn counts() -> bool {
    COUNTS.load(Ordering::Relaxed)
}

/// Returns the time since this process began to count: since [`start`].
pub fn uptime() -> Duration {
    STARTED.get().map_or(Duration::ZERO, Instant::elapsed)
}

impl Queues {
    fn list(&mut self, kind: QueueKind, counters: &Arc<Counters>) {
        let next = match kind {
            QueueKind::Processor => &mut self.numbers[0],
            QueueKind::QueuePair => &mut self.numbers[1],
            QueueKind::Worker | QueueKind::Ended => &mut self.numbers[2],
        };
        let number = *next;
        *next += 1;
        let live = Live { number, kind, counters: Arc::clone(counters) };
        Arc::make_mut(self.live.get_or_insert_default()).push(live);
    }
}

/// Lists a queue. Returns `true` if it is listed now.
pub(super) fn list(kind: QueueKind, counters: &Arc<Counters>) -> bool {
    lock_soon(&QUEUES).map(|mut queues| queues.list(kind, counters)).is_some()
}

/// Lists a queue if nobody else is at the list just now. Returns `true` if it is listed now.
pub(super) fn list_now(kind: QueueKind, counters: &Arc<Counters>) -> bool {
    lock_now(&QUEUES).map(|mut queues| queues.list(kind, counters)).is_some()
}

/// Calls something while the list is locked.
#[cfg(test)]
pub(super) fn while_held(call: impl FnOnce()) {
    let _held = QUEUES.lock();
    call();
}

/// Adds what a queue has done to what all queues did that were dropped, and no longer lists it.
pub(super) fn retire(counters: &Arc<Counters>) {
    let Some(mut queues) = lock_soon(&QUEUES) else { return };
    let is_it = |live: &Live| Arc::ptr_eq(&live.counters, counters);
    // The last is the most likely one: many processors are dropped soon.
    if let Some(live) = &mut queues.live
        && let Some(place) = live.iter().rposition(is_it)
    {
        Arc::make_mut(live).swap_remove(place);
    }
    Arc::make_mut(queues.ended.get_or_insert_default()).add(counters);
}

/// Reads what every queue of this process has done: those that exist, in no order, and one that
/// stands for all that were dropped.
///
/// No queue waits for this. Every counter is at least what it was when it was last read, if those
/// of all queues are added up.
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{HashAlgorithm, Job, Processor, Transform, metrics};
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256).label("tenant-a")?)?;
/// metrics::start();
/// Processor::new().process_many(&mut [Job::new(&session, b"one"), Job::new(&session, b"two")]);
/// let queues = metrics::read();
/// let series = queues.iter().flat_map(|queue| &queue.series);
/// let hashed = series.filter(|totals| totals.series.label() == "tenant-a");
/// assert_eq!(hashed.map(|totals| totals.operations).sum::<u64>(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read() -> Vec<QueueTotals> {
    start();
    let Some(queues) = lock_soon(&QUEUES) else { return Vec::new() };
    let (live, ended) = (queues.live.clone(), queues.ended.clone());
    drop(queues);
    let ended = ended.map(|sums| {
        let kind = QueueKind::Ended;
        Sums::clone(&sums).into_totals(kind.name().to_owned(), kind)
    });
    let live = live.iter().flat_map(|live| live.iter());
    live.map(Live::totals).chain(ended).collect()
}

impl Snapshot {
    /// Returns what was added since an earlier one. The occupancy is what providers say.
    pub(super) fn since(self, before: &Snapshot) -> Snapshot {
        let Occupancy { used, offered } = before.occupancy;
        Snapshot {
            accepted: self.accepted - before.accepted,
            completed: self.completed - before.completed,
            failed: self.failed - before.failed,
            batches: self.batches - before.batches,
            flushes: self.flushes - before.flushes,
            deadlines: self.deadlines - before.deadlines,
            fallbacks: self.fallbacks - before.fallbacks,
            occupancy: Occupancy {
                used: self.occupancy.used.saturating_sub(used),
                offered: self.occupancy.offered.saturating_sub(offered),
            },
        }
    }

    fn add(&mut self, other: Snapshot) {
        self.accepted += other.accepted;
        self.completed += other.completed;
        self.failed += other.failed;
        self.batches += other.batches;
        self.flushes += other.flushes;
        self.deadlines += other.deadlines;
        self.fallbacks += other.fallbacks;
        let Occupancy { used, offered } = other.occupancy;
        self.occupancy.used += used;
        self.occupancy.offered += offered;
    }
}
