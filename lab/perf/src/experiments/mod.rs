//! The experiments: a folder for each, with its command and its page.
//!
//! | command | folder | source |
//! |---|---|---|
//! | `broadloom-perf workloads` | [`workloads`] | 000 |
//! | `broadloom-perf matrix` | [`matrix`] | 002, and any algorithm on any number of cores |
//! | `broadloom-perf compress` | [`compress`] | 003 |
//! | `broadloom-perf device` | [`device`] | 003, on a device that is there |
//! | `broadloom-perf pk` | [`pk`] | 001, 003 and 004, on public keys |
//! | `broadloom-perf storage` | `storage` (a feature) | 001, on file servers |

pub mod compress;
pub mod device;
pub mod matrix;
mod options;
pub mod pk;
#[cfg(feature = "storage")]
pub mod storage;
pub mod workloads;

pub use options::MAX_BURST;
