//! LZ4's block format as a provider for Broadloom: compression that costs little more than a copy,
//! by the crate `lz4_flex` without its unsafe code.
//!
//! [`Lz4`] is the provider.
//!
//! ```
//! use std::sync::Arc;
//! use broadloom_engine::{Compression, CompressionAlgorithm, Session, Transform};
//! use broadloom_lz4::Lz4;
//!
//! let lz4 = Arc::new(Lz4::load(&[])?);
//! let transform = Transform::compress(CompressionAlgorithm::Lz4, Compression::default())?;
//! let session = Session::open(lz4, &transform)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it has
//!
//! One level, called 1. A block has no header, no checksum and no end mark. So a decompression
//! consumes all of its input, and a block that is cut between two sequences may look whole.
//! Incompressible data grow by a 255th and 16 bytes. A block that ends within a sequence is
//! [truncated](broadloom_engine::JobError::Truncated); a match that reaches before the beginning is
//! [malformed](broadloom_engine::JobError::Malformed). Blocks are made of at most 2,113,929,216
//! bytes, which is all that the format's own library reads.
//!
//! A queue has two tables of matches, one for data of less than 64 KiB, and clears one of them for
//! each job.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod codec;
mod provider;
mod queue;
mod session;
#[cfg(test)]
mod tests;

pub use provider::{LoadError, Lz4, factory};
