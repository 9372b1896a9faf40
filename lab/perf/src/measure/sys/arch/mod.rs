//! Instructions: those that read the counter, and those that evict cache lines.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::{fence, flush_line, start};
#[cfg(target_arch = "x86_64")]
pub use x86_64::{fence, flush_line, start};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("broadloom-perf reads the clock and evicts caches on x86-64 and AArch64 only");
