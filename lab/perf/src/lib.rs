//! How Broadloom is measured: workloads, peers, limits, tables, JSON and pages.
//!
//! Three rooms: [`mod@measure`] times buffers, [`experiments`] decide what is measured, and
//! [`report`] shows the rows. Experiments use the other two rooms, a report uses only what a
//! measurement says of its machine, and measuring uses neither. Names and errors are shared by all.
//!
//! A figure is made in five steps:
//!
//! 1. A [`workload`] draws lengths from a seed, and a [`workset`] gives every buffer its bytes, its
//!    key, its IV and its place in a cache line.
//! 2. Every provider becomes a [`contender`]: keys expanded, contexts made. The [`peers`] are
//!    libraries found at run time, and crates.
//! 3. All contenders do all buffers, and their results are compared.
//! 4. Contenders are timed in turn in one process on one core ([`pairing`]), between readings of
//!    the time-stamp counter.
//! 5. Operation counts ([`ops`]) over throughputs calibrated in the same run ([`calibrate`]) give
//!    the [`limit`] that stands beside every figure in the [`report`].
//!
//! [`run_workloads`] does all of it for the four workloads of Intel's *Processing Multiple Buffers
//! in Parallel to Increase Performance*. [`run_matrix`] measures the engine and its providers in
//! the same way: any algorithm, on any number of cores. [`run_compress`] reruns the figures of
//! Intel's *Programming Intel QuickAssist Technology Hardware Accelerators for Optimal
//! Performance*, and [`run_device`] some of them on a GPU. [`run_pk`] reruns what these and other
//! sources say of public keys, and [`run_stalls`] what two articles say of ciphers that wait for
//! memory. [`run_packets`] measures packets of network protocols, and
//! [`run_grid`] compares every size, burst and call with the best peer. With the feature `storage`,
//! `run_storage` reruns the workloads of a file server. On Linux, `run_transmit` measures what it
//! costs to transmit over TCP, with TLS and without.
//!
//! [`workload`]: measure::workload
//! [`workset`]: measure::workset
//! [`contender`]: measure::contender
//! [`peers`]: measure::peers
//! [`pairing`]: measure::pairing
//! [`ops`]: measure::ops
//! [`calibrate`]: measure::calibrate
//! [`limit`]: measure::limit

pub mod error;
pub mod experiments;
pub mod measure;
pub mod names;
pub mod registry;
pub mod report;

pub use error::PerfError;
pub use experiments::compress::{CompressOptions, run_compress};
pub use experiments::device::{DeviceOptions, run_device};
pub use experiments::grid::{GridOptions, run_grid};
pub use experiments::matrix::{MatrixOptions, run_matrix};
pub use experiments::packets::{PacketOptions, run_packets};
pub use experiments::pk::{PkOptions, run_pk};
pub use experiments::stalls::{StallOptions, run_stalls};
#[cfg(feature = "storage")]
pub use experiments::storage::{StorageOptions, run_storage};
#[cfg(target_os = "linux")]
pub use experiments::transmit::{TransmitOptions, run_transmit};
pub use experiments::workloads::{WorkloadOptions, run_workloads, watch_workloads};
