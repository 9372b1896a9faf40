//! What an application programs against: one interface, several implementations, synchronous or
//! asynchronous, from one core to all.
//!
//! - A [`Transform`] says what is to be done, and with which key; a [`Session`] is a transform opened at
//!   a [`Provider`], its key expanded; a [`Registry`] finds the provider.
//! - A [`Job`] is one buffer's work for a session.
//! - A [`Processor`] processes many jobs within a call; a [`QueuePair`] takes them in bursts and gives
//!   them back as they complete.
//!
//! The crate knows no provider: `broadloom` brings them along.

mod algorithm;
mod data;
mod job;
mod operation;
mod processor;
mod provider;
mod queue_pair;
mod registry;
mod serve;
mod session;
mod statistics;
mod transform;

pub use algorithm::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, CipherAlgorithm, Direction, HashAlgorithm, MAX_NONCE,
    MacAlgorithm, NameError,
};
pub use data::{Buffer, Bytes, Data, Scattered, Text};
pub use job::{Handle, Job};
pub use operation::{JobError, MAX_TAG, Operation, Parts};
pub use processor::{Outcome, Processor};
pub use provider::{Occupancy, Provider, ProviderError, ProviderSession, Queue};
pub use queue_pair::{Doorbell, Order, QueueConfig, QueuePair};
pub use registry::{Absent, OpenError, Registry};
pub use serve::{Clock, serve};
pub use session::{Fallback, Held, Session};
pub use statistics::{Cause, Snapshot, Statistics};
pub use transform::{Builder, Transform, TransformError, kind};
