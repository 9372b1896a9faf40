//! Why a key or an input is refused, and what may go wrong.

use core::fmt;

/// The rule that a key breaks.
///
/// ```
/// use broadloom_public_key::{RsaKeyError, RsaPublicKey};
///
/// let even = [0xfe; 256];
/// assert_eq!(RsaPublicKey::new(&even, &[1, 0, 1]).unwrap_err(), RsaKeyError::EvenModulus);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RsaKeyError {
    /// The modulus has another length than 1024, 2048, 3072 or 4096 bits.
    ModulusLength {
        /// Its length, in bits.
        bits: usize,
    },
    /// The modulus is even.
    EvenModulus,
    /// The public exponent is even, 1, or longer than 64 bits.
    PublicExponent,
    /// A prime is not half as long as the modulus.
    PrimeLength,
    /// A prime is even.
    EvenPrime,
    /// The primes are equal.
    EqualPrimes,
    /// The modulus is not the product of the primes.
    Product,
    /// A private exponent does not undo the public one: e·d is not 1 modulo a prime less one.
    PrivateExponent,
    /// The coefficient is not the inverse of the second prime modulo the first.
    Coefficient,
}

impl fmt::Display for RsaKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RsaKeyError::ModulusLength { bits } => {
                return write!(
                    f,
                    "a modulus of {bits} bits: use one of 1024, 2048, 3072 or 4096 bits"
                );
            }
            RsaKeyError::EvenModulus => "the modulus is even",
            RsaKeyError::PublicExponent => {
                "the public exponent is not an odd number from 3 up, of at most 64 bits"
            }
            RsaKeyError::PrimeLength => "a prime is not half as long as the modulus",
            RsaKeyError::EvenPrime => "a prime is even",
            RsaKeyError::EqualPrimes => "the primes are equal",
            RsaKeyError::Product => "the modulus is not the product of the primes",
            RsaKeyError::PrivateExponent => "a private exponent does not undo the public one",
            RsaKeyError::Coefficient => {
                "the coefficient is not the inverse of the second prime modulo the first"
            }
        })
    }
}

impl core::error::Error for RsaKeyError {}

/// An input that a key does not take.
///
/// ```
/// use broadloom_public_key::{RsaInputError, RsaJob, RsaPublicKey};
///
/// let key = RsaPublicKey::new(&[0xff; 256], &[3])?;
/// let error = RsaJob::public(&key, vec![0; 255], ()).err().expect("a byte is missing");
/// assert_eq!(error, RsaInputError::Length { given: 255, wanted: 256 });
/// # Ok::<(), broadloom_public_key::RsaKeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RsaInputError {
    /// It is not as long as the modulus.
    Length {
        /// Bytes of input.
        given: usize,
        /// Bytes of the modulus.
        wanted: usize,
    },
    /// The number is not below the modulus.
    TooLarge,
    /// The blind was made for a key of another length.
    Blind,
}

impl fmt::Display for RsaInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RsaInputError::Length { given, wanted } => {
                write!(f, "{given} bytes of input for a modulus of {wanted} bytes")
            }
            RsaInputError::TooLarge => f.write_str("the input is not below the modulus"),
            RsaInputError::Blind => f.write_str("the blind is that of a key of another length"),
        }
    }
}

impl core::error::Error for RsaInputError {}

/// The result of a private operation was wrong, and is wiped: the machine made a mistake, or a
/// number that was said to be prime is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsaError;

impl fmt::Display for RsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the result of the private operation was wrong")
    }
}

impl core::error::Error for RsaError {}
