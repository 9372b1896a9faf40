//! Content-defined chunks, cut where restic cuts, searched in lanes.
//!
//! A [`Chunker`] cuts bytes in memory, of a reader, or in pieces. It is made from the
//! [`Polynomial`] of a repository and the [`Sizes`] of chunks.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod chunker;
mod pieces;
mod polynomial;
mod reader;
mod sizes;
mod slices;

pub use chunker::Chunker;
pub use pieces::Pieces;
pub use polynomial::{Polynomial, PolynomialError};
pub use reader::ReadChunks;
pub use sizes::{Sizes, SizesError};
pub use slices::Slices;
