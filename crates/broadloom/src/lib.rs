//! Many independent buffers, hashed, authenticated and encrypted side by side.
//!
//! This crate brings the engine and its providers together: it re-exports what an application programs
//! against, and knows every provider.
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
//! With the feature `rayon` there is `PoolProcessor` beside [`Processor`], which uses a pool of threads; with
//! `legacy` the provider `native` has RC4, too, and `openssl` has RC4 and DES alone.
//!
//! Who wants only a manager, without sessions and providers, uses [`lanes`] alone.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod providers;

/// The guide to the library, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod guide {}

/// Compression of inputs of any size, in parallel, into the formats of other tools, and back.
#[cfg(feature = "compression")]
pub use broadloom_compression as compression;
/// The accelerator's own interface, beside the engine's.
#[cfg(feature = "emulated")]
pub use broadloom_emulated as emulated;
pub use broadloom_engine::*;
/// The vectors, kernels and managers below the engine.
pub use broadloom_lanes as lanes;
pub use providers::{registry, registry_on};
