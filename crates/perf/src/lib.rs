//! How Broadloom is measured: workloads, peers, limits, tables, JSON and pages.
//!
//! A figure here is made in five steps:
//!
//! 1. A [`workload`] draws lengths from a seed, and a [`workset`] gives every buffer its bytes, its
//!    key, its IV and its place in a cache line.
//! 2. Every provider becomes a [`contender`]: keys expanded, contexts made. The [`peers`] are
//!    libraries found at run time.
//! 3. All of them do all buffers, and their results are compared.
//! 4. They are timed in turn in one process on one core ([`mod@measure`]), between readings of the
//!    time-stamp counter.
//! 5. Operation counts ([`ops`]) over throughputs calibrated in the same run ([`calibrate`]) give
//!    the [`limit`] that stands beside every figure in the [`report`].
//!
//! [`run_workloads`] does all of it for the four workloads of Intel's *Processing Multiple Buffers
//! in Parallel to Increase Performance*. [`run_matrix`] measures the engine and its providers in the
//! same way: any algorithm, on any number of cores. [`run_compress`] reruns the figures of Intel's *Programming
//! Intel QuickAssist Technology Hardware Accelerators for Optimal Performance*.

pub mod calibrate;
pub mod case;
pub mod compress;
pub mod contender;
pub mod direct;
pub mod error;
pub mod limit;
pub mod matrix;
pub mod measure;
pub mod names;
pub mod native;
pub mod ops;
pub mod peers;
pub mod report;
pub mod sizes;
pub mod stages;
pub mod sys;
pub mod workload;
pub mod workloads;
pub mod workset;

pub use compress::{CompressOptions, run_compress};
pub use error::PerfError;
pub use matrix::{MatrixOptions, run_matrix};
pub use workloads::{WorkloadOptions, run_workloads};
