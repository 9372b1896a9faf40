//! libdeflate as a provider for Broadloom: whole buffers at the best ratio, and the fastest
//! decoder.
//!
//! [`Libdeflate`] is the provider. The library is built in; a C compiler is enough for that.
//!
//! ```
//! use std::sync::Arc;
//! use broadloom_engine::{Compression, CompressionAlgorithm, Session, Transform};
//! use broadloom_libdeflate::Libdeflate;
//!
//! let libdeflate = Arc::new(Libdeflate::load(&[])?);
//! let how = Compression { level: 12, ..Compression::default() };
//! let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
//! let session = Session::open(libdeflate, &transform)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it has
//!
//! DEFLATE at the levels 0 to 12, with the window of 2^15 bytes, and both endings: the library
//! chooses each block's kind itself. It always ends with a final block; for
//! [`Ending::Open`](broadloom_engine::Ending) this crate finds that block, clears its mark, and
//! adds an empty stored block. CRC-32 and Adler-32 come with it, by the library's vector code.
//!
//! Compressed data that end too early are [malformed](broadloom_engine::JobError::Malformed) to it:
//! it does not say which.
//!
//! A queue has a compressor for each level that it has met, and one decompressor: made when first
//! needed, and used for every job.

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod bare;
mod ffi;
mod provider;
mod queue;
mod reopen;
mod session;
#[cfg(test)]
mod tests;

pub use bare::Bare;
pub use provider::{Libdeflate, LoadError, factory};
