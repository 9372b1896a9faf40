//! The model of an accelerator, as a provider for Broadloom.
//!
//! [`Emulated`] behaves like a device behind rings: an instance for each thread, with a request ring, a
//! response ring and memory that the device reaches; a doorbell; several engines for each service, each
//! with a pipeline; responses that are polled, or that interrupt. It computes every result for real, on
//! threads of its own, with the providers that it is given as *backends*. Over that lies a model of time: a
//! response is seen no earlier than the modelled device would have had it. Where this machine cannot compute
//! as fast as the device would, [`Statistics`] say so.
//!
//! It is for writing, testing and tuning programs for such hardware where there is none.
//!
//! # Options
//!
//! Names and values, as [`Emulated::new`] takes them. Times are numbers with a unit: `100ns`, `5.4ns`,
//! `50us`, `1s`.
//!
//! | option | values | without it |
//! |---|---|---|
//! | `preset` | `8955`: 6 compression, 12 symmetric and 30 public-key engines; `8955-remote`: the same, at another socket's memory; `doorbell-100ns`: for small requests; `instant`: no timing | `8955` |
//! | `engines`, `depth`, `request-time`, `byte-time`, `sharing`, for one service with `compression-` or `symmetric-` before it | engines; requests in the pipeline of each; time for a request and for each byte of its input; by how much each other request in the pipeline slows it down | the preset's |
//! | `public-key-engines` | a number that is shown: there is no algorithm for them yet | the preset's |
//! | `way-request-time`, `way-byte-time` | time that data are on their way (DMA) | the preset's |
//! | `distance` | `local`, `remote`: another socket's memory, which adds `remote-request-time` and `remote-byte-time` | the preset's |
//! | `doorbell`, `interrupt` | time that the host spends on each | the preset's |
//! | `ring` | descriptors in each ring, and slots: a power of two | 512 |
//! | `instances` | how many can be open at a time | 64 |
//! | `silicon` | threads that compute | one less than the machine's cores, at most 8 |
//! | `memory` | `copy`: data are copied to memory that the device reaches, and back; `gather`: owned buffers are handed over as they are, lists of them too | `copy` |
//! | `responses` | `polling`, `interrupt` | `polling` |
//! | `poller` | `inline`: whoever submits polls; `thread`: a thread does, with `poll-interval` between | `inline` |
//! | `wait` | between inline polls: `yield`, `spin`, or a time to sleep | `yield` |
//! | `prepare` | results that are kept while [preparing](Emulated::set_preparing): bytes, such as `512M`; `off` | `off` |
//! | `verify` | `on`: what was compressed is decompressed and compared | `off` |
//! | `integrity` | `on`: outputs travel with a checksum, which the driver compares | `on` |
//! | `faults` | rates, such as `full-ring:0.1,slow-engine:0.05,lost-response:0.01,corrupted-output:0.02,reset:0.001,removal:0.0001`; where a colon or a comma has another meaning, `=` and `+` stand for them | `none` |
//! | `seed` | what the faults are drawn from | 0 |
//! | `timeout` | how long a driver waits for a response that was lost | `1s` |

#![forbid(unsafe_code)]

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
