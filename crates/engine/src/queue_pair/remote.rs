//! What a group of jobs knows of those that devices have.

use std::collections::VecDeque;

/// What a group knows of its jobs that devices have. Jobs are numbered as they come: a job's number
/// less `base` is its place in the ring.
#[derive(Default)]
pub(crate) struct Remote {
    pub base: u64,
    /// Jobs at the front that were checked: they are complete, or a device has them, or they are
    /// ready.
    pub begun: usize,
    /// Jobs that are ready for a device, and wait for room there: one at most that it never had,
    /// and those of which there is more to be done.
    pub ready: VecDeque<u64>,
}

impl Remote {
    /// Returns what is known of a group whose first jobs are complete.
    pub fn new(complete: usize) -> Self {
        Remote { begun: complete, ..Remote::default() }
    }

    /// Notes that so many jobs at the front are no longer there.
    pub fn give_back(&mut self, count: usize) {
        self.base += count as u64;
        self.begun -= count;
    }

    /// Notes that all jobs are complete, and that no response is expected any more.
    pub fn forget(&mut self, complete: usize) {
        self.begun = complete;
        self.ready.clear();
    }

    /// Returns the place in the ring of the job with this number.
    pub fn place(&self, number: u64) -> usize {
        (number - self.base) as usize
    }
}
