//! Rabin fingerprints: the search by tables, a byte at a time, and in lanes.

pub(crate) mod constants;
pub(crate) mod kernel;
pub(crate) mod tables;
pub(crate) mod words;

/// The degree of the polynomial.
pub(crate) const DEGREE: u32 = 53;

/// Bytes in the window.
pub(crate) const WINDOW: usize = 64;
