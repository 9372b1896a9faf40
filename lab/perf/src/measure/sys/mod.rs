//! The machine underneath: its clock, its caches, its cores. One of the two places with `unsafe`.

pub mod affinity;
mod arch;
pub mod cache;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod core_times;
pub mod cpu_time;
#[cfg(target_os = "linux")]
pub mod kernel_tls;
pub mod machine;
pub mod memory;
#[cfg(target_os = "linux")]
pub mod profile;
