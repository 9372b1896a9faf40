//! Why a key is refused.

use core::fmt;

/// The rule that a key on a binary curve breaks.
///
/// ```
/// use broadloom_public_key::{BinaryCurve, BinaryKeyError, BinaryPrivateKey};
///
/// let zero = BinaryPrivateKey::new(BinaryCurve::K283, &[0; 36]);
/// assert_eq!(zero.unwrap_err(), BinaryKeyError::Scalar);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryKeyError {
    /// A private key that is zero, or not below the order of the base point.
    Scalar,
    /// A coordinate of more than 283 bits.
    Coordinate,
    /// A point that is not on the curve.
    OffCurve,
    /// A point on the curve that is no multiple of the base point.
    Subgroup,
}

impl fmt::Display for BinaryKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryKeyError::Scalar => {
                "the private key is zero, or not below the order of the base point"
            }
            BinaryKeyError::Coordinate => "a coordinate has more than 283 bits",
            BinaryKeyError::OffCurve => "the point is not on the curve",
            BinaryKeyError::Subgroup => "the point is no multiple of the base point",
        })
    }
}

impl core::error::Error for BinaryKeyError {}
