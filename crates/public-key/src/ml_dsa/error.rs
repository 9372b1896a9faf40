//! What does not fit a parameter set.

use core::fmt;

/// Bytes that do not fit a parameter set.
///
/// ```
/// use broadloom_public_key::{MlDsaPublicKey, MlDsaSet};
///
/// let error = MlDsaPublicKey::new(MlDsaSet::MlDsa44, &[0; 1313]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "a public key of 1313 bytes does not fit ml-dsa-44; valid: 1312"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MlDsaError {
    /// A key, a signature or a buffer of another length than the set has.
    Length {
        /// What it is.
        what: &'static str,
        /// The parameter set's name.
        set: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The length that would be right.
        valid: usize,
    },
    /// A private key with a number out of the range of secrets (FIPS 204, algorithm 25).
    Secret {
        /// The place of the first such number among those of both secret vectors.
        place: usize,
        /// The largest amount that a number may have.
        eta: u32,
    },
    /// A context string of more than 255 bytes.
    Context {
        /// Its length, in bytes.
        len: usize,
    },
    /// A digest of another length than its hash has.
    Digest {
        /// The hash's name.
        hash: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The length that would be right.
        valid: usize,
    },
}

impl fmt::Display for MlDsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MlDsaError::Length { what, set, len, valid } => {
                write!(f, "{what} of {len} bytes does not fit {set}; valid: {valid}")
            }
            MlDsaError::Secret { place, eta } => {
                write!(f, "secret number {place} of the private key is not in -{eta}..={eta}")
            }
            MlDsaError::Context { len } => {
                write!(f, "a context string of {len} bytes is too long; valid: up to 255")
            }
            MlDsaError::Digest { hash, len, valid } => {
                write!(f, "a digest of {len} bytes is none of {hash}; valid: {valid}")
            }
        }
    }
}

impl core::error::Error for MlDsaError {}
