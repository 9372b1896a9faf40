//! What measurements leave behind, and the program's command line. `../memory.rs` is a program of
//! its own, because it looks at the memory of its whole process.

#[path = "../../../../crates/program/tests/support/mod.rs"]
mod support;

mod bare;
mod charts;
mod compress;
mod files;
mod grid;
mod matrix;
mod metrics;
mod options;
mod packets;
mod peers;
mod program;
#[cfg(target_os = "linux")]
mod transmit;
mod workloads;
