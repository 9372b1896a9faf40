//! What does not fit a parameter set.

use core::fmt;

/// Bytes that do not fit a parameter set.
///
/// ```
/// use broadloom_public_key::{MlKemPublicKey, MlKemSet};
///
/// let error = MlKemPublicKey::new(MlKemSet::MlKem512, &[0; 801]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "an encapsulation key of 801 bytes does not fit ml-kem-512; valid: 800"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MlKemError {
    /// A key or a buffer of another length than the set has.
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
    /// An encapsulation key with a number that is not below 3329 (FIPS 203, section 7.2).
    Modulus {
        /// The place of the first such number in the key.
        place: usize,
        /// The number.
        number: u16,
    },
    /// A decapsulation key whose digest is not that of its encapsulation key (FIPS 203, section
    /// 7.3).
    Digest,
}

impl fmt::Display for MlKemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MlKemError::Length { what, set, len, valid } => {
                write!(f, "{what} of {len} bytes does not fit {set}; valid: {valid}")
            }
            MlKemError::Modulus { place, number } => {
                write!(f, "number {place} of the encapsulation key is {number}; valid: up to 3328")
            }
            MlKemError::Digest => f.write_str(
                "the digest in the decapsulation key is not that of its encapsulation key",
            ),
        }
    }
}

impl core::error::Error for MlKemError {}
