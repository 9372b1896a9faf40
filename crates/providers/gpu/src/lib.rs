//! GPUs and other OpenCL devices, found at run time, as a provider for Broadloom.

#![deny(unsafe_code)]

mod aes_key;
mod batch;
#[allow(unsafe_code, reason = "it calls foreign functions")]
mod cl;
mod device;
mod faults;
mod kernels;
mod limits;
mod options;
mod provider;
mod queue;
mod session;
mod signal;
mod statistics;

pub use limits::Limits;
pub use options::OptionError;
pub use provider::{Gpu, LoadError, factory};
pub use statistics::Statistics;
