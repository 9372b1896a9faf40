//! What an application programs against: one interface, several implementations, synchronous or
//! asynchronous, from one core to all.
//!
//! - A [`Transform`] says what is to be done, and with which key; a [`Session`] is a transform opened at
//!   a [`Provider`], its key expanded; a [`Registry`] finds the provider.
//! - A [`Job`] is one buffer's work for a session.
//! - A [`Processor`] processes many jobs within a call; a [`QueuePair`] takes them in bursts and gives
//!   them back as they complete.
//! - [`Workers`] do so on threads of their own, each with a queue pair, and tell of it to who polls, to an
//!   [`Event`] in epoll, or to a future. With the feature `rayon`, `PoolProcessor` processes many jobs
//!   within a call on a pool of the caller's.
//!
//! The crate knows no provider: `broadloom` brings them along.

#![forbid(unsafe_code)]

mod affinity;
mod algorithm;
mod checks;
mod checksum;
mod completion;
mod data;
mod device;
mod event;
mod exchange;
mod factory;
mod job;
mod job_error;
mod made;
mod operation;
mod parameters;
mod parts;
#[cfg(feature = "rayon")]
mod pool;
mod processor;
mod provider;
mod queue_pair;
mod registry;
mod remote;
mod serve;
mod session;
mod share;
mod statistics;
mod stored;
mod sync;
mod transform;
mod worker;
mod workers;

pub use affinity::{AffinityError, Placement, allowed_cores, pin_to};
pub use algorithm::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression,
    CompressionAlgorithm, Direction, Ending, Family, HashAlgorithm, Huffman, Lengths, MAX_NONCE,
    MacAlgorithm, NameError, XtsSize,
};
pub use completion::{Burst, Completion};
pub use data::{Buffer, Bytes, Data, Scattered, Text};
pub use device::DeviceQueue;
pub use event::Event;
pub use factory::{Factory, FactoryError, ProviderSpec, SpecError};
pub use job::{Handle, Job};
pub use job_error::{DeviceFault, JobError};
pub use made::Progress;
pub use operation::Operation;
pub use parameters::{Extra, MAX_TAG};
pub use parts::{CompressionParts, Last, Layout, Parts};
#[cfg(feature = "rayon")]
pub use pool::PoolProcessor;
pub use processor::{Outcome, Processor};
pub use provider::{AnyQueue, Occupancy, Provider, ProviderError, ProviderSession, Queue};
pub use queue_pair::{Doorbell, Order, QueueConfig, QueuePair};
pub use registry::{Absent, OpenError, Registry};
pub use serve::{Clock, serve};
pub use session::{Fallback, Held, Session};
pub use statistics::{Cause, Snapshot, Statistics};
pub use transform::{Builder, Transform, TransformError, kind};
pub use workers::{Workers, WorkersConfig, WorkersError};
