//! What the queues of this process have done, for whoever wants to show it.
//!
//! Each [`Processor`](crate::Processor), [`QueuePair`](crate::QueuePair) and worker of
//! [`Workers`](crate::Workers) has counters of its own, which it alone writes, with plain stores.
//! [`read`] reads the counters of all of them. What a queue has done is not forgotten when it is
//! dropped. Jobs are counted from [`start`] on, or from the first call of [`read`].
//!
//! ```text
//!   Session -- number of its series
//!      |
//!      v
//!   Processor (Meter) -- writes --> Counters: rows by series and size, histograms
//!      |                                ^
//!      | lists itself, retires          | read()
//!      v                                |
//!   the list of all queues -------------+
//! ```

mod counters;
mod counting;
mod histogram;
mod meter;
mod queues;
mod row;
mod series;

use std::sync::atomic::{AtomicU64, Ordering};

pub use histogram::Histogram;
pub use queues::{QueueKind, QueueTotals, SeriesTotals, read, start, uptime};
pub use series::Series;

pub(crate) use counters::Counters;
pub(crate) use counting::{Counted, Since, Started};
pub(crate) use meter::Meter;

/// Adds to a counter that only this thread writes: no other write can come between.
#[inline]
fn add(counter: &AtomicU64, value: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(value), Ordering::Relaxed);
}
