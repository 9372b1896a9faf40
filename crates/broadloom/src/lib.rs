//! Many independent buffers, hashed, authenticated, encrypted, signed or compressed side by side.
//!
//! # Guide
//!
//! 1. [`registry`] lists the providers that this build has. Nothing is loaded yet.
//! 2. A [`Transform`] says what to do: an algorithm, a direction, the keys.
//! 3. [`Registry::open`] opens a [`Session`]: the transform at a provider, with its keys expanded.
//!    All threads share a session.
//! 4. A [`Job`] is one buffer's work for a session.
//! 5. A [`Processor`] processes many jobs within a call. A [`QueuePair`] takes jobs in bursts and
//!    gives them back as they complete. [`Workers`] process jobs on threads of their own.
//! 6. Each job says how it went: [`Job::status`], [`Job::tag`], [`Job::output`].
//! 7. A message to hash or to authenticate may come in pieces: a [`Stream`], which
//!    [`Session::begin`] begins.
//!
//! ```
//! use broadloom::{HashAlgorithm, Job, MacAlgorithm, Processor, Transform};
//!
//! let registry = broadloom::registry();
//! let transform = Transform::mac(MacAlgorithm::Hmac(HashAlgorithm::Sha256), b"key").generate()?;
//! let session = registry.open(&transform)?;
//!
//! let packets = [b"one".as_slice(), b"two", b"three"];
//! let mut jobs = packets.map(|packet| Job::new(&session, packet));
//! Processor::new().process_many(&mut jobs);
//! assert!(jobs.iter().all(|job| job.tag().is_some_and(|tag| tag.len() == 32)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! Each provider is a feature: `native`, `libdeflate` and `zlib` are the default; `openssl`,
//! `isal`, `lz4` and `gpu` can be added, or all with `all-providers`. Other crates export more
//! [factories](provider::Factory), which [`Registry::add_factory`] takes: `broadloom-emulated` has
//! a model of an accelerator, and `broadloom-ipsec-mb` has intel-ipsec-mb, to measure against.
//! `compression` and `encryption` add the modules of those names. `zstd` adds zstd files to those
//! of `compression`. `rayon` adds [a processor on a pool](workers).
//!
//! RC4 is broken (RFC 7465). The providers `native` and `openssl` have it only where they are
//! configured for it: `registry.configure(&"native:legacy=yes".parse()?)`. The same holds for DES
//! at the provider `openssl`.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

/// The guide to the library, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod guide {}

mod providers;

#[doc(inline)]
pub use broadloom_engine::{
    AeadAlgorithm, AesSize, Algorithm, CipherAlgorithm, Compression, CompressionAlgorithm, Data,
    Direction, HashAlgorithm, Job, JobError, MacAlgorithm, Piece, Processor, QueuePair, Registry,
    Session, Stream, Transform, Workers,
};
pub use providers::{registry, registry_on};

/// Everything about algorithms: sizes, lengths, orders, ways to compress.
pub mod algorithm {
    #[doc(inline)]
    pub use broadloom_engine::{
        AeadAlgorithm, AesSize, Algorithm, ChainOrder, Checksum, CipherAlgorithm, Compression,
        CompressionAlgorithm, Direction, Ending, Family, HashAlgorithm, Huffman, Lengths,
        MAX_NONCE, MAX_TAG, MacAlgorithm, XtsSize,
    };
}

/// How transforms are built, and how sessions are held and fall back.
pub mod session {
    #[doc(inline)]
    pub use broadloom_engine::{Builder, Fallback, Held, Session, Transform, kind};
}

/// Keys of RSA, of elliptic curves, of SLH-DSA, of ML-KEM and of its hybrids, and how messages are
/// hashed and padded for them. Keys are read from PEM and DER.
pub mod public_key {
    #[doc(inline)]
    pub use broadloom_engine::{
        Curve, EcPrivateKey, EcPublicKey, HybridKem, HybridPrivateKey, Kem, KeyError,
        MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, MlKemPrivateKey, MlKemPublicKey, MlKemSet,
        Padding, PrivateKey, PublicKey, PublicKeyAlgorithm, RsaNumbers, RsaPrivateKey,
        RsaPublicKey, RsaSize, Scheme, Secret, SlhDsaPrivateKey, SlhDsaPublicKey, SlhDsaSet,
    };
    #[cfg(feature = "native")]
    #[doc(inline)]
    pub use broadloom_native::{RandomError, generate_slh_dsa, generate_slh_dsa_from_seeds};
}

/// The bytes of a job: in place, from one place to another, in pieces; owned or borrowed.
pub mod data {
    #[doc(inline)]
    pub use broadloom_engine::{Buffer, Bytes, Data, Scattered};
}

/// Everything that can go wrong.
pub mod error {
    #[doc(inline)]
    pub use broadloom_engine::provider::{FactoryError, ProviderError};
    #[doc(inline)]
    pub use broadloom_engine::{
        AffinityError, DeviceFault, Extra, JobError, NameError, OpenError, SpecError, StreamError,
        TransformError, WorkersError,
    };
}

/// Queue pairs and processors: configuration, drivers, events, statistics, types that have a job.
pub mod queue {
    #[doc(inline)]
    pub use broadloom_engine::{
        Cause, Contents, Doorbell, Driver, Event, Feed, Handle, Next, Order, Outcome, PlainJob,
        Processor, QueueConfig, QueuePair, Snapshot, Statistics,
    };
}

/// Threads that process jobs: configuration, placement on cores, futures, a processor on a pool,
/// and long texts that are split over its threads.
pub mod workers {
    #[doc(inline)]
    pub use broadloom_engine::{
        Burst, Completion, Placement, Workers, WorkersConfig, allowed_cores, pin_to,
    };
    #[cfg(feature = "rayon")]
    #[doc(inline)]
    pub use broadloom_rayon::{PoolProcessor, SplitBlake3, SplitGcm, SplitXts};
}

/// What a provider of one's own implements, and how a provider is named with its options.
pub mod provider {
    #[doc(inline)]
    pub use broadloom_engine::provider::*;
    #[doc(inline)]
    pub use broadloom_engine::{Absent, ProviderSpec};
}

/// Compression of inputs of any size, in parallel, into the formats of other tools, and back.
#[cfg(feature = "compression")]
#[doc(inline)]
pub use broadloom_compression as compression;
/// Encryption of inputs of any size, in parallel, into the formats of other tools, and back.
#[cfg(feature = "encryption")]
#[doc(inline)]
pub use broadloom_encryption as encryption;
/// A GPU, by its own interface beside the engine's.
#[cfg(feature = "gpu")]
#[doc(inline)]
pub use broadloom_gpu as gpu;
/// The vectors, kernels and managers below the engine, for users who need only a manager.
pub mod lanes {
    #[doc(inline)]
    pub use broadloom_lanes::*;
    #[doc(inline)]
    pub use broadloom_public_key::*;

    /// Returns the kernels of each algorithm on this CPU: of hashes and ciphers, and then of public
    /// keys.
    ///
    /// ```
    /// use broadloom::lanes::{Cpu, kernels};
    ///
    /// let kernels = kernels(&Cpu::detect());
    /// let has = |name| kernels.iter().any(|info| info.algorithm == name);
    /// assert!(has("sha256") && has("ml-kem"));
    /// ```
    pub fn kernels(cpu: &Cpu) -> Vec<KernelInfo> {
        [broadloom_lanes::kernels(cpu), broadloom_public_key::kernels(cpu)].concat()
    }
}
/// What all queues of a program have done, for Prometheus, for a Unix socket and for people.
#[cfg(feature = "metrics")]
#[doc(inline)]
pub use broadloom_metrics as metrics;
/// The counters of [`metrics`] as instruments of OpenTelemetry.
#[cfg(feature = "metrics-opentelemetry")]
#[doc(inline)]
pub use broadloom_opentelemetry as opentelemetry;
