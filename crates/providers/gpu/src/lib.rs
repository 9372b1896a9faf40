//! GPUs and other OpenCL devices, found at run time, as a provider for Broadloom.
//!
//! [`Gpu`] has kernels for SHA-1, SHA-2, SHA-3, SHAKE, HMAC, KMAC, AES-CTR, AES-GCM, AES-GMAC,
//! ChaCha20, ChaCha20-Poly1305, RSA, Ed25519 and SLH-DSA. The README says how jobs travel, which
//! faults are answered how, and what leaks.
//!
//! # Options
//!
//! Names and values, as [`Gpu::load`] takes them. Times are numbers with a unit: `100ns`, `50us`,
//! `2ms`, `1s`.
//!
//! - `device` (`gpu`): the first GPU (`gpu`) or CPU (`cpu`), the first of all devices (`any`), of
//!   which GPUs come first; or an index, or a part of a name.
//! - `streams` (3): command queues of each thread, whose copies and kernels overlap; 1 to 16.
//! - `batch` (`4M`): bytes of a batch, of input and as many of output. Intermediate results of
//!   SLH-DSA have 16 times as many on the device.
//! - `residency` (`host`): where data of jobs come from. With bytes, such as `1G`, so many may stay
//!   in the device's memory: see [`Gpu::keep`].
//! - `patience` (`50us`): how long a job waits for others, unless somebody waits for it. With `0ns`
//!   each doorbell sends a batch.
//! - `timeout` (`30s`): how long a batch may take, before the device counts as hung.
//! - `faults` (`none`): rates, of all batches, of faults on request: `hang=0.1`, `loss=0.001`,
//!   `out-of-memory=0.1`, joined by `+`.
//! - `seed` (0): the faults are drawn from it.

#![deny(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod aes_key;
mod batch;
#[allow(unsafe_code, reason = "it calls foreign functions")]
mod cl;
mod device;
mod ed25519;
mod faults;
mod kernels;
mod limits;
mod lower;
mod options;
mod provider;
mod queue;
mod residency;
mod rsa;
mod session;
mod signal;
mod slh_dsa;
mod statistics;

pub use limits::Limits;
pub use options::OptionError;
pub use provider::{Gpu, LoadError, factory};
pub use residency::{ResidencyError, Resident};
pub use statistics::Statistics;
