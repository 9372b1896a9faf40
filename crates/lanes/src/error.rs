//! Typed errors: each names the value, and what would be right.

use core::fmt;

/// A length that is no whole number of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// The length, in bytes.
    pub length: usize,
    /// The block length that it must be a multiple of, in bytes.
    pub block: usize,
}

impl LengthError {
    /// Refuses a length that is no multiple of `block`.
    pub(crate) fn check(length: usize, block: usize) -> Result<(), LengthError> {
        if length.is_multiple_of(block) { Ok(()) } else { Err(LengthError { length, block }) }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LengthError { length, block } = self;
        write!(f, "{length} bytes are no multiple of the block length, {block} bytes")
    }
}

impl core::error::Error for LengthError {}
