//! The numbers of a queue pair at one moment, and the reasons that they tell apart.

use broadloom_lanes::Occupancy;

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
