//! What the programs `broadloom`, `broadloom-perf` and `parcomp` share: messages, numbers, sizes,
//! manual pages, and files that appear whole or not at all. It is no interface for others.

pub mod access;
mod at_start;
pub mod columns;
pub mod command_line;
pub mod completions;
pub mod cpu;
pub mod descriptors;
pub mod identity;
pub mod left_out;
pub mod man;
pub mod message;
#[cfg(feature = "metrics")]
pub mod metrics;
pub mod number;
pub mod output;
pub mod patient;
pub mod progress;
pub mod quote;
pub mod signals;
pub mod size;
pub mod stale;
pub mod streams;
pub mod target;
