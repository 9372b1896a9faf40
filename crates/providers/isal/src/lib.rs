//! ISA-L's igzip as a provider for Broadloom: the fastest DEFLATE there is, where libisal is found
//! at run time.
//!
//! [`Isal`] is the provider. Nothing of ISA-L is needed to build; where there is no libisal,
//! [`Isal::load`] says why.
//!
//! ```no_run
//! use std::sync::Arc;
//! use broadloom_engine::{Compression, CompressionAlgorithm, Session, Transform};
//! use broadloom_isal::Isal;
//!
//! let isal = Arc::new(Isal::load(&[])?);
//! let transform = Transform::compress(CompressionAlgorithm::Deflate, Compression::default())?;
//! let session = Session::open(isal, &transform)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it has
//!
//! DEFLATE at the levels 0 to 3, windows of 2^8 to 2^15 bytes, both endings. Only level 0 has
//! static codes: above it igzip makes codes for each block. (Without static codes level 0 uses one
//! set of codes for everything, which igzip's authors chose.) CRC-32 and Adler-32 come with it, by
//! the library's vector code. A job has at most 4 GiB - 1 of data each way.
//!
//! The same input always gives the same bytes. By itself igzip lets the address of its stream
//! decide what a few chunks become; a compressor therefore chooses the place of its stream.
//!
//! Incompressible data are stored where the room would otherwise be too small.
//!
//! # How it is known that the library is the right one
//!
//! libisal 2.30 does not say its version. Its structures are assumed to have the layout of the
//! header of 2.30. [`Isal::load`] compresses and decompresses a sample at every level, and checks
//! that the library writes nothing beyond those structures. A library that fails counts as absent.
//!
//! A queue has one of each structure, made when first needed and reset for every job.

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod bare;
mod ffi;
mod places;
mod provider;
mod queue;
mod session;
#[cfg(test)]
mod tests;

pub use bare::Bare;
pub use ffi::LibraryError;
pub use provider::{Isal, LoadError, factory};
