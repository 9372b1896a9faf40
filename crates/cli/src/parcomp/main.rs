//! `parcomp`: the parallel compression benchmark of Intel's *Programming Intel QuickAssist Technology
//! Hardware Accelerators for Optimal Performance*, with its command line.

mod args;
mod clock;
mod mask;
mod report;
fn main() {}
