//! Why bytes are no key.

use std::error::Error;
use std::fmt;

/// Why bytes are no key: the rule that they break.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// An RSA modulus of a length that is not supported.
    ModulusLength {
        /// Its length, in bits.
        bits: usize,
    },
    /// An RSA modulus that is even.
    EvenModulus,
    /// An RSA public exponent that is even, less than 3, or longer than 64 bits.
    PublicExponent,
    /// A prime of an RSA key that does not have half the bits of the modulus.
    PrimeLength,
    /// Two primes of an RSA key that are equal.
    EqualPrimes,
    /// RSA numbers that do not belong together: which of them.
    Inconsistent(&'static str),
    /// The private scalar of a curve is zero, or not less than the order of the base point.
    Scalar,
    /// A point is not on its curve, or is written in a way that is not supported.
    Point,
    /// A key of another length than its kind has.
    Length {
        /// What it is.
        what: &'static str,
        /// Its length, in bytes.
        len: usize,
        /// The length that would be right.
        valid: usize,
    },
    /// PEM or DER that cannot be read, or of a kind of key that is not supported: why.
    Encoding(String),
}

impl KeyError {
    /// Checks that there are as many bytes as a key, or a part of one, has.
    pub(super) fn check_len(
        what: &'static str,
        bytes: &[u8],
        valid: usize,
    ) -> Result<(), KeyError> {
        match bytes.len() {
            len if len == valid => Ok(()),
            len => Err(KeyError::Length { what, len, valid }),
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::ModulusLength { bits } => write!(
                f,
                "an RSA modulus of {bits} bits is not supported; valid: 1024, 2048, 3072, 4096"
            ),
            KeyError::EvenModulus => f.write_str("the RSA modulus is even; it must be odd"),
            KeyError::PublicExponent => {
                f.write_str("the RSA public exponent must be odd, at least 3 and at most 64 bits")
            }
            KeyError::PrimeLength => {
                f.write_str("each prime of an RSA key must have half the bits of the modulus")
            }
            KeyError::EqualPrimes => f.write_str("the two primes of the RSA key are equal"),
            KeyError::Inconsistent(what) => {
                write!(f, "the numbers of the RSA key do not belong together: {what}")
            }
            KeyError::Scalar => f.write_str(
                "the private scalar must be at least 1 and less than the order of the curve",
            ),
            KeyError::Point => f.write_str("the public key is no point of the curve"),
            KeyError::Length { what, len, valid } => {
                write!(f, "{what} of {len} bytes does not fit; valid: {valid}")
            }
            KeyError::Encoding(reason) => write!(f, "the key cannot be read: {reason}"),
        }
    }
}

impl Error for KeyError {}
