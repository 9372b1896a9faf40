//! All counters of one queue.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::add;
use super::histogram::Buckets;
use super::row::Rows;
use crate::statistics::{Cause, Snapshot};
use broadloom_lanes::Occupancy;

/// The core of a queue that has not run yet.
const NO_CORE: u32 = u32::MAX;

/// Counters that the owner of a queue writes, with plain stores, and anyone reads. They stand on
/// lines of the cache that hold nothing else.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Counters {
    accepted: AtomicU64,
    completed: AtomicU64,
    failed: AtomicU64,
    batches: AtomicU64,
    flushes: AtomicU64,
    deadlines: AtomicU64,
    fallbacks: AtomicU64,
    used: AtomicU64,
    offered: AtomicU64,
    waiting: AtomicU64,
    core: AtomicU32,
    /// What there was when counting began.
    before: OnceLock<Snapshot>,
    pub(super) rows: Rows,
    pub(super) batch_size: Buckets,
    pub(super) wait: Buckets,
    pub(super) work: Buckets,
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            accepted: AtomicU64::default(),
            completed: AtomicU64::default(),
            failed: AtomicU64::default(),
            batches: AtomicU64::default(),
            flushes: AtomicU64::default(),
            deadlines: AtomicU64::default(),
            fallbacks: AtomicU64::default(),
            used: AtomicU64::default(),
            offered: AtomicU64::default(),
            waiting: AtomicU64::default(),
            core: AtomicU32::new(NO_CORE),
            before: OnceLock::new(),
            rows: Rows::default(),
            batch_size: Buckets::default(),
            wait: Buckets::default(),
            work: Buckets::default(),
        }
    }
}

impl Counters {
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        // Completed before accepted: at no moment more jobs seem completed than were accepted.
        let (failed, completed) = (read(&self.failed), read(&self.completed));
        Snapshot {
            accepted: read(&self.accepted),
            completed,
            failed,
            batches: read(&self.batches),
            flushes: read(&self.flushes),
            deadlines: read(&self.deadlines),
            fallbacks: read(&self.fallbacks),
            occupancy: Occupancy { used: read(&self.used), offered: read(&self.offered) },
        }
    }

    /// Notes what there is, from which on operations are counted, too.
    pub fn begin_counting(&self) {
        let now = self.snapshot();
        // Jobs that are held are among those that are counted when they are complete.
        self.before.get_or_init(|| Snapshot { accepted: now.completed, ..now });
    }

    /// Returns what there is beyond what there was when counting began: nothing, if it has not.
    pub fn counted(&self) -> Snapshot {
        self.before.get().map_or(Snapshot::default(), |before| self.snapshot().since(before))
    }

    /// Returns how many jobs were accepted and not given back.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns the core on which the owner last ran, if that is known.
    pub fn core(&self) -> Option<u32> {
        Some(self.core.load(Ordering::Relaxed)).filter(|core| *core != NO_CORE)
    }

    #[inline]
    pub fn accept(&self, jobs: usize) {
        add(&self.accepted, jobs as u64);
    }

    #[inline]
    pub fn hold(&self, jobs: usize) {
        self.waiting.store(jobs as u64, Ordering::Relaxed);
    }

    #[inline]
    pub fn complete(&self, completed: usize, failed: usize) {
        add(&self.completed, completed as u64);
        if failed > 0 {
            add(&self.failed, failed as u64);
        }
    }

    #[inline]
    pub fn fall_back(&self, jobs: usize) {
        if jobs > 0 {
            add(&self.fallbacks, jobs as u64);
        }
    }

    #[inline]
    pub fn ran(&self, cause: Cause) {
        let counter = match cause {
            Cause::Batch => &self.batches,
            Cause::Flush => &self.flushes,
            Cause::Deadline => &self.deadlines,
        };
        add(counter, 1);
    }

    #[inline]
    pub fn occupy(&self, occupancy: Occupancy) {
        self.used.store(occupancy.used, Ordering::Relaxed);
        self.offered.store(occupancy.offered, Ordering::Relaxed);
    }

    pub fn run_on(&self, core: Option<u32>) {
        self.core.store(core.unwrap_or(NO_CORE), Ordering::Relaxed);
    }
}
