//! What the queues of a program do while it runs.
//!
//! The engine counts, from [`start`] on: each processor, queue pair and worker writes counters of
//! its own, which any thread may read. This crate reads them all into a [`Snapshot`]. Whatever
//! shows the counters (a [`Snapshot`], the socket, the page) starts them.

#![forbid(unsafe_code)]

pub mod breakdown;
pub mod change;
mod collect;
mod histogram;
mod openmetrics;
#[cfg(feature = "page")]
pub mod page;
mod snapshot;
#[cfg(unix)]
mod socket;

pub use broadloom_engine::metrics::start;
pub use openmetrics::{OPENMETRICS_TYPE, PROMETHEUS_TYPE};
#[cfg(feature = "page")]
pub use page::serve;
pub use snapshot::{Bucket, Histogram, Key, Queue, QueueKind, Series, SizeClass, Snapshot};
#[cfg(unix)]
pub use socket::{Listening, Source, listen, listen_at, processes, read, socket_of};
