//! Decompression.

pub(crate) mod error;
pub(crate) mod members;
pub(crate) mod sink;
pub(crate) mod source;

pub use error::DecompressError;
pub use members::{Garbage, Trailing};
