//! The model of an accelerator, as a provider for Broadloom.
//!
//! [`Emulated`] behaves like a device behind rings: an instance for each thread, with a request
//! ring, a response ring and memory that the device reaches; a doorbell; several engines for each
//! service, each with a pipeline; responses that are polled, or that interrupt. It computes every
//! result for real, on threads of its own, with the providers that it is given as *backends*. Over
//! that lies a model of time: a response is seen no earlier than the modelled device would have had
//! it. Where this machine cannot compute as fast as the device would, [`Statistics`] say so.
//!
//! Compression has a limit of real devices: Huffman codes are made for the first 128 KiB of a
//! request, and what follows gets the fixed codes of Deflate. So larger requests compress worse.
//!
//! It is for writing, testing and tuning programs for such hardware where there is none.
//!
//! # Options
//!
//! Names and values, as [`Emulated::new`] takes them. Times are numbers with a unit: `100ns`,
//! `5.4ns`, `50us`, `1s`.
//!
//! - `preset` (`8955`): the device. `8955` has 6 compression, 12 symmetric and 30 public-key
//!   engines; `8955-remote` is the same device at another socket's memory; `doorbell-100ns` suits
//!   small requests; `instant` has no timing. A preset gives the defaults of all options that
//!   follow without a default.
//! - `engines`, `depth`, `request-time`, `byte-time`, `sharing`: engines; requests in the pipeline
//!   of each; the time for a request, and for each byte of its input; how much each other request
//!   in the pipeline slows a request down. With `compression-`, `symmetric-` or `public-key-`
//!   before the name, the option holds for one service. Times for public keys are those of an
//!   RSA-2048 private operation: every other operation takes the more or the less of it, by the
//!   products of words that it needs.
//! - `way-request-time`, `way-byte-time`: the time of the transfer (DMA).
//! - `distance`: `local`, or `remote` for another socket's memory, which adds `remote-request-time`
//!   and `remote-byte-time`.
//! - `doorbell`, `interrupt`: the time that the host spends on each.
//! - `ring` (512): descriptors in each ring, and slots; a power of two.
//! - `instances` (64): instances that can be open at a time.
//! - `silicon` (one less than the machine's cores, at most 8): threads that compute.
//! - `memory` (`copy`): with `copy`, data are copied to the device's memory and back; with
//!   `gather`, owned buffers are handed over, lists of buffers too.
//! - `responses` (`polling`): `polling` or `interrupt`.
//! - `poller` (`inline`): with `inline`, the submitting thread polls; with `thread`, a thread
//!   polls, with `poll-interval` between two polls.
//! - `wait` (`yield`): what happens between inline polls: `yield`, `spin`, or a time to sleep.
//! - `prepare` (`off`): bytes of results that are kept while [preparing](Emulated::set_preparing),
//!   such as `512M`; or `off`.
//! - `verify` (`off`): with `on`, compressed output is decompressed and compared.
//! - `integrity` (`on`): outputs travel with a checksum, which the driver compares.
//! - `faults` (`none`): rates, such as `full-ring:0.1`, `slow-engine:0.05`, `lost-response:0.01`,
//!   `corrupted-output:0.02`, `reset:0.001` or `removal:0.0001`, joined by commas. Where a colon or
//!   a comma has another meaning, write `=` and `+`.
//! - `seed` (0): the faults are drawn from it.
//! - `timeout` (`1s`): how long a driver waits for a lost response.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod arrivals;
mod clock;
mod cpu_time;
mod device;
mod doze;
mod factory;
mod faults;
mod instance;
mod interrupt;
mod options;
mod poller;
mod prepared;
mod provider;
mod queue;
mod raw;
mod ring;
mod session;
mod silicon;
mod slot;
mod statistics;
mod sync;
mod timing;
mod transfer;

pub use factory::factory;
pub use instance::Instance;
pub use options::OptionError;
pub use provider::Emulated;
pub use raw::{Request, Response};
pub use session::DeviceSession;
pub use statistics::{FaultCounts, Statistics};
