//! What a queue pair has done, for others to read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::provider::queue::Occupancy;

/// Why lanes were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// As many jobs had come as are worth waiting for.
    Batch,
    /// The caller asked for it.
    Flush,
    /// A job had waited for as long as it may.
    Deadline,
}

/// The counters of a queue pair. Its owner alone writes them, with plain stores; anyone may read.
#[derive(Debug, Clone, Default)]
pub struct Statistics(Arc<Counters>);

/// On lines of the cache that hold nothing else.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counters {
    accepted: AtomicU64,
    completed: AtomicU64,
    failed: AtomicU64,
    batches: AtomicU64,
    flushes: AtomicU64,
    deadlines: AtomicU64,
    fallbacks: AtomicU64,
    used: AtomicU64,
    offered: AtomicU64,
}

/// The counters at one moment, more or less: each is right, and they may be some jobs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[must_use]
pub struct Snapshot {
    /// Jobs accepted.
    pub accepted: u64,
    /// Jobs completed, whether they succeeded or failed.
    pub completed: u64,
    /// Of these, those that failed.
    pub failed: u64,
    /// Times that lanes were run because enough jobs had come.
    pub batches: u64,
    /// Times that lanes were run because the caller asked for it.
    pub flushes: u64,
    /// Times that lanes were run because a job had waited for as long as it may.
    pub deadlines: u64,
    /// Jobs that a session did which their own [falls back to](crate::Session::falling_back_to).
    pub fallbacks: u64,
    /// How full the lanes were, where the providers have any.
    pub occupancy: Occupancy,
}

impl Statistics {
    /// The counters now.
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &*self.0;
        // Completed before accepted: at no moment more jobs seem completed than were accepted.
        let (failed, completed) = (read(&counters.failed), read(&counters.completed));
        Snapshot {
            accepted: read(&counters.accepted),
            completed,
            failed,
            batches: read(&counters.batches),
            flushes: read(&counters.flushes),
            deadlines: read(&counters.deadlines),
            fallbacks: read(&counters.fallbacks),
            occupancy: Occupancy { used: read(&counters.used), offered: read(&counters.offered) },
        }
    }

    pub(crate) fn accept(&self, jobs: usize) {
        add(&self.0.accepted, jobs);
    }

    pub(crate) fn complete(&self, completed: usize, failed: usize) {
        add(&self.0.completed, completed);
        add(&self.0.failed, failed);
    }

    pub(crate) fn fall_back(&self, jobs: usize) {
        if jobs > 0 {
            add(&self.0.fallbacks, jobs);
        }
    }

    pub(crate) fn ran(&self, cause: Cause, occupancy: Occupancy) {
        let counters = &*self.0;
        add(
            match cause {
                Cause::Batch => &counters.batches,
                Cause::Flush => &counters.flushes,
                Cause::Deadline => &counters.deadlines,
            },
            1,
        );
        counters.used.store(occupancy.used, Ordering::Relaxed);
        counters.offered.store(occupancy.offered, Ordering::Relaxed);
    }
}

/// Adds to a counter that only this thread writes: no other write can come between.
fn add(counter: &AtomicU64, value: usize) {
    counter.store(counter.load(Ordering::Relaxed) + value as u64, Ordering::Relaxed);
}
