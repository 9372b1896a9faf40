//! What an application programs against: one interface, several implementations, synchronous or
//! asynchronous, from one core to all.
//!
//! - A [`Transform`] names an algorithm, a direction and the keys. A [`Session`] is a transform
//!   opened at a provider, with its keys expanded. A [`Registry`] finds the provider.
//! - A [`Job`] is one buffer's work for a session.
//! - A [`Stream`] is a message that comes in pieces, to be hashed or authenticated.
//! - A [`Processor`] processes many jobs, or many streams' pieces, within a call. A [`QueuePair`]
//!   takes jobs in bursts, and gives them back as they complete.
//! - [`Workers`] process jobs on threads of their own, each with a queue pair. They report
//!   completion to callers that poll, to an [`Event`] in epoll, or to a future. [`shares`]
//!   says how a burst is divided among threads of one's own.
//! - What all queues have done so far is in [`metrics`].
//! - What a provider implements is in [`provider`].
//!
//! The crate knows no provider: `broadloom` brings them along.

#![forbid(unsafe_code)]

mod affinity;
mod algorithm;
mod checksum;
mod completion;
mod data;
mod driver;
mod event;
mod exchange;
mod extra;
mod job;
mod job_error;
mod keys;
mod made;
pub mod metrics;
mod opening;
mod operation;
mod origin;
mod parameters;
mod patience;
mod plain;
mod processor;
pub mod provider;
mod queue_pair;
mod registry;
mod scheme;
mod session;
mod share;
mod statistics;
mod stored;
mod stream;
mod sync;
mod transform;
mod wipe;
mod worker;
mod workers;

pub use affinity::{AffinityError, Placement, allowed_cores, pin_to};
pub use algorithm::{
    AeadAlgorithm, AesSize, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression,
    CompressionAlgorithm, Curve, Direction, Ending, Family, HashAlgorithm, Huffman, HybridKem, Kem,
    Lengths, MAX_NONCE, MAX_TAG, MacAlgorithm, MlDsaSet, MlKemSet, NameError, PublicKeyAlgorithm,
    RsaSize, SlhDsaSet, XtsSize,
};
pub use completion::{Burst, Completion};
pub use data::{Buffer, Bytes, Data, Scattered};
pub use driver::{Driver, Feed, Next};
pub use event::Event;
pub use extra::Extra;
pub use job::{Contents, Handle, Job};
pub use job_error::{DeviceFault, JobError};
pub use keys::{
    EcPrivateKey, EcPublicKey, HybridPrivateKey, KeyError, MlDsaPrivateKey, MlDsaPublicKey,
    MlKemPrivateKey, MlKemPublicKey, PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey,
    RsaPublicKey, Secret, SlhDsaPrivateKey, SlhDsaPublicKey,
};
pub use plain::PlainJob;
pub use processor::{Outcome, Processor};
pub use queue_pair::{Doorbell, Order, QueueConfig, QueuePair};
pub use registry::{Absent, OpenError, ProviderSpec, Registry, SpecError};
pub use scheme::{Padding, Scheme};
pub use session::{Fallback, Held, Session};
pub use share::shares;
pub use statistics::{Cause, Snapshot, Statistics};
pub use stream::{Piece, Stream, StreamError};
pub use transform::{Builder, Transform, TransformError, kind};
pub use workers::{Workers, WorkersConfig, WorkersError};
