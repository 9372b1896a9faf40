//! The experiments: a folder for each, with its command and its page.
//!
//! | command | folder | source |
//! |---|---|---|
//! | `broadloom-perf workloads` | [`workloads`] | 000 |
//! | `broadloom-perf matrix` | [`matrix`] | 002, and any algorithm on any number of cores |
//! | `broadloom-perf grid` | [`grid`] | every size, burst and call beside the best peer |
//! | `broadloom-perf compress` | [`compress`] | 003 |
//! | `broadloom-perf device` | [`device`] | 003, on a device that is there |
//! | `broadloom-perf pk` | [`pk`] | 001, 003 and 004, on public keys |
//! | `broadloom-perf packets` | [`packets`] | 003 and 004, on packets of network protocols |
//! | `broadloom-perf stalls` | [`stalls`] | 001 and 004, on ciphers that wait for memory |
//! | `broadloom-perf storage` | `storage` (a feature) | 001, on file servers |
//! | `broadloom-perf transmit` | `transmit` (Linux) | 001, on TCP's transmit path, and TLS |

pub mod compress;
pub mod device;
pub mod grid;
pub mod matrix;
mod options;
pub mod packets;
pub mod pk;
pub mod stalls;
#[cfg(feature = "storage")]
pub mod storage;
#[cfg(target_os = "linux")]
pub mod transmit;
pub mod workloads;

pub use options::MAX_BURST;

/// A measurement that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The number of measurements before it.
    pub done: usize,
    /// The number of all measurements.
    pub total: usize,
    /// What is measured.
    pub what: String,
}
