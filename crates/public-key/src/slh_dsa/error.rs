//! What does not fit a parameter set.

use core::fmt;

/// Bytes that do not fit a parameter set.
///
/// ```
/// use broadloom_public_key::{SlhDsaError, SlhDsaPrivateKey, SlhDsaSet};
///
/// let error = SlhDsaPrivateKey::new(SlhDsaSet::Sha2_128f, &[0; 63]).unwrap_err();
/// assert_eq!(error.to_string(), "a private key of 63 bytes does not fit the set; valid: 64");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlhDsaError {
    /// A key, a seed, randomness or a signature of another length than the set has.
    Length {
        /// What it is.
        what: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The length that would be right.
        valid: usize,
    },
    /// A digest of another length than its hash's.
    Digest {
        /// The name of the hash.
        hash: &'static str,
        /// The digest's length, in bytes.
        len: usize,
        /// The length that would be right.
        valid: usize,
    },
    /// A context string of more than 255 bytes.
    Context {
        /// Its length, in bytes.
        len: usize,
    },
}

impl SlhDsaError {
    pub(super) fn check(what: &'static str, len: usize, valid: usize) -> Result<(), Self> {
        if len == valid { Ok(()) } else { Err(SlhDsaError::Length { what, len, valid }) }
    }
}

impl fmt::Display for SlhDsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlhDsaError::Length { what, len, valid } => {
                write!(f, "{what} of {len} bytes does not fit the set; valid: {valid}")
            }
            SlhDsaError::Digest { hash, len, valid } => {
                write!(f, "a digest of {len} bytes is none of {hash}; valid: {valid}")
            }
            SlhDsaError::Context { len } => {
                write!(f, "a context string of {len} bytes is too long; valid: up to 255")
            }
        }
    }
}

impl core::error::Error for SlhDsaError {}
