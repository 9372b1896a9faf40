//! Keys, which are checked when they are made.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::curve::BinaryCurve;
use super::element::{Words, from_bytes, words};
use super::error::BinaryKeyError;
use super::kernel::Kernel;
use super::points::Points;
use crate::arch::portable;
use crate::outcome::public;

/// Bytes of a scalar or of a coordinate.
pub(super) const LEN: usize = 36;

/// A private key, or a nonce: a scalar. Wiped when dropped.
#[derive(Clone)]
pub struct BinaryPrivateKey {
    curve: BinaryCurve,
    scalar: Words,
}

impl BinaryPrivateKey {
    /// The key where there is none.
    pub(super) const NONE: Self = BinaryPrivateKey { curve: BinaryCurve::K283, scalar: [0; 5] };

    /// The key of these bytes, the highest first.
    ///
    /// # Errors
    /// [`BinaryKeyError::Scalar`].
    pub fn new(curve: BinaryCurve, bytes: &[u8; LEN]) -> Result<Self, BinaryKeyError> {
        let mut scalar = words(bytes);
        let is_right = curve.parameters().order.has(&scalar);
        let key = BinaryPrivateKey { curve, scalar };
        scalar.zeroize();
        if public(is_right) { Ok(key) } else { Err(BinaryKeyError::Scalar) }
    }

    /// The curve.
    pub fn curve(&self) -> BinaryCurve {
        self.curve
    }

    pub(super) fn scalar(&self) -> &Words {
        &self.scalar
    }
}

impl Drop for BinaryPrivateKey {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl ZeroizeOnDrop for BinaryPrivateKey {}

impl fmt::Debug for BinaryPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key on {}", self.curve.name())
    }
}

/// A public key: a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryPublicKey {
    curve: BinaryCurve,
    x: Words,
    y: Words,
}

impl BinaryPublicKey {
    /// The key of the coordinates of a point, the highest coefficients first: x and then y.
    ///
    /// # Errors
    /// [`BinaryKeyError::Coordinate`], [`OffCurve`](BinaryKeyError::OffCurve) or
    /// [`Subgroup`](BinaryKeyError::Subgroup).
    pub fn new(curve: BinaryCurve, bytes: &[u8; 2 * LEN]) -> Result<Self, BinaryKeyError> {
        let (halves, _) = bytes.as_chunks::<LEN>();
        let [Some(x), Some(y)] = [from_bytes(&halves[0]), from_bytes(&halves[1])] else {
            return Err(BinaryKeyError::Coordinate);
        };
        let mut points = Points::ZERO;
        points.x.put(0, &x);
        points.y.put(0, &y);
        let kernel: &Kernel = &portable::BINARY;
        // SAFETY: every CPU has integers.
        let validity = unsafe { (kernel.valid)(curve.parameters(), &points) };
        if validity.on_curve == 0 {
            return Err(BinaryKeyError::OffCurve);
        }
        if validity.in_subgroup == 0 {
            return Err(BinaryKeyError::Subgroup);
        }
        Ok(BinaryPublicKey { curve, x, y })
    }

    /// The curve.
    pub fn curve(&self) -> BinaryCurve {
        self.curve
    }

    pub(super) fn point(&self) -> (&Words, &Words) {
        (&self.x, &self.y)
    }
}
