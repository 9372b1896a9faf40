//! What a queue pair has done, for others to read.

mod snapshot;

use std::fmt;
use std::sync::Arc;

use crate::metrics::Counters;

pub use snapshot::{Cause, Snapshot};

/// The counters of a queue pair. Its owner alone writes them, with plain stores; anyone may read.
/// [`metrics::read`](crate::metrics::read) reads those of all queues, and more of them.
#[derive(Clone)]
pub struct Statistics(pub(crate) Arc<Counters>);

impl fmt::Debug for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Statistics").field(&self.snapshot()).finish()
    }
}

impl Statistics {
    /// The counters now.
    pub fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
}
