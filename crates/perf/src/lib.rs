//! How Broadloom is measured: workloads, peers, limits, tables and JSON.
pub mod contender;
pub mod error;
pub mod names;
pub mod peers;
pub mod sys;
pub mod workload;
pub mod workset;
