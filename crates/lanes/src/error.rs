//! Typed errors. Each names the value that was wrong, and the valid values.

use core::fmt;

/// A length that is no whole number of blocks.
///
/// ```
/// use broadloom_lanes::{AesKey, CbcJob};
///
/// let error = CbcJob::encrypt(&AesKey::new(&[7; 16]).expect("16 bytes"), [1; 16], vec![0; 17], ())
///     .err()
///     .expect("17 bytes are no whole blocks");
/// assert_eq!(error.to_string(), "17 bytes are no multiple of the block length, 16 bytes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// The length, in bytes.
    pub length: usize,
    /// The block length that it must be a multiple of, in bytes.
    pub block: usize,
}

impl LengthError {
    /// Refuses a length that is no multiple of `block`.
    #[inline(always)]
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
