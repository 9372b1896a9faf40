//! zlib as a provider for Broadloom: libz where it is found at run time, else the crate `zlib-rs`.
//!
//! [`Zlib`] is the provider. Nothing of zlib is needed to build.
//!
//! ```
//! use std::sync::Arc;
//! use broadloom_engine::{Compression, CompressionAlgorithm, Job, Processor, Session, Transform};
//! use broadloom_zlib::Zlib;
//!
//! let zlib = Arc::new(Zlib::load(&[])?);
//! let transform = Transform::compress(CompressionAlgorithm::Deflate, Compression::default())?;
//! let session = Session::open(zlib, &transform)?;
//! let mut job = Job::new(&session, &b"a cloth, a cloth, a cloth"[..]);
//! Processor::new().process_many(std::slice::from_mut(&mut job));
//! assert!(job.output().expect("it was compressed").len() < 25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it has
//!
//! DEFLATE at the levels 0 to 9, dynamic or static codes, windows of 2^9 to 2^15 bytes (zlib has
//! none of 2^8 for DEFLATE without its own header), both endings. Checksums are left to the engine.
//!
//! The output is that of zlib's `deflate` with the same parameters and memory level 8: the strategy
//! `Z_FIXED` for static codes, and the flush `Z_FULL_FLUSH` for streams without an end.
//! Decompression takes every window.
//!
//! # Streams
//!
//! A queue has a stream for each combination of level, window and codes that it has met, and one to
//! decompress: made when first needed, and reset for every job.
//!
//! # Options
//!
//! `library`, given to [`Zlib::load`]: `system` is libz and nothing else, `zlib-rs` the crate.
//! Without it libz is used where there is one. The two make different bytes of the same data; at
//! level 1 libz makes fewer.

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod bare;
mod codec;
mod ffi;
mod options;
mod provider;
mod queue;
mod session;
#[cfg(test)]
mod tests;

pub use bare::Bare;
pub use ffi::LibraryError;
pub use options::LoadError;
pub use provider::{Zlib, factory};
