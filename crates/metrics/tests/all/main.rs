//! The metrics, read as their users read them. One program, so that what it uses is linked once.

mod breakdown;
mod change;
mod common;
mod openmetrics;
mod page;
#[path = "../support/sample.rs"]
mod sample;
mod snapshot;
#[cfg(unix)]
mod socket;
