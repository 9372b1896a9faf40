//! What measurements leave behind, and the program's command line. `../memory.rs` is a program of
//! its own, because it looks at the memory of its whole process.

#[path = "../../../../crates/program/tests/support/mod.rs"]
mod support;

mod bare;
mod compress;
mod files;
mod matrix;
mod options;
mod peers;
mod program;
mod workloads;
