//! The jobs of a queue pair that are processed together.

use std::collections::VecDeque;
use std::time::Instant;

use super::remote::Remote;
use crate::metrics::Since;

/// Jobs that are processed together, in the order in which they came: first those that are
/// complete, then those that were seen, then those for which the doorbell was not rung yet. Where a
/// device works for some of them, those that were started come between.
pub(crate) struct Group<H> {
    pub class: (usize, u16),
    /// `true` if the provider had a queue for the class: then it need not be asked again.
    pub is_open: bool,
    pub jobs: VecDeque<H>,
    pub complete: usize,
    pub seen: usize,
    pub batch: usize,
    /// When the first of the jobs that wait has waited for long enough.
    pub expires: Option<Instant>,
    /// When the first of the jobs that wait came.
    pub since: Since,
    pub remote: Option<Remote>,
}

impl<H> Group<H> {
    /// Returns how many jobs were seen and are not complete.
    pub fn waiting(&self) -> usize {
        self.seen - self.complete
    }
}
