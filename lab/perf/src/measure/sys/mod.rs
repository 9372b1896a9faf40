//! The machine underneath: its clock, its caches, its cores. One of the two places with `unsafe`.

pub mod affinity;
mod arch;
pub mod cache;
pub mod clock;
pub mod cpu_time;
pub mod machine;
pub mod memory;
