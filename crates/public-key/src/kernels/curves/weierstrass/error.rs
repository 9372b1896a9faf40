//! What makes a scalar or a point invalid.

use core::fmt;

/// The rule that a key on P-256, P-384, P-521 or secp256k1 breaks.
///
/// ```
/// use broadloom_public_key::{CurveKeyError, P256PrivateKey, P384PublicKey};
///
/// assert_eq!(P256PrivateKey::new(&[0; 32]).unwrap_err(), CurveKeyError::Scalar);
/// assert_eq!(P384PublicKey::new(&[1; 96]).unwrap_err(), CurveKeyError::OffCurve);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveKeyError {
    /// A private key that is zero, or not below the order of the base point.
    Scalar,
    /// A coordinate that is not below the prime.
    Coordinate,
    /// A point that is not on the curve.
    OffCurve,
}

impl fmt::Display for CurveKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CurveKeyError::Scalar => {
                "the private key is zero, or not below the order of the base point"
            }
            CurveKeyError::Coordinate => "a coordinate is not below the prime of the curve",
            CurveKeyError::OffCurve => "the point is not on the curve",
        })
    }
}

impl core::error::Error for CurveKeyError {}
