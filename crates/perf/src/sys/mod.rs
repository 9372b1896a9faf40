//! The machine underneath: its clock, its caches, its cores. One of the two places with `unsafe`.

pub mod affinity;
pub mod cache;
pub mod clock;
pub mod cpu_time;
pub mod machine;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("broadloom-perf reads the clock and evicts caches on x86-64 and AArch64 only");
