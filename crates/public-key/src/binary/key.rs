//! Keys, which are checked when they are made.

use core::fmt;

use broadloom_lanes::public;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::BinaryKeyError;
use crate::arch::portable;
use crate::kernels::binary::curve::BinaryCurve;
use crate::kernels::binary::element::{ElementWords, from_bytes, words};
use crate::kernels::binary::kernel::BinaryKernel;
use crate::kernels::binary::points::Points;

/// Bytes of a scalar or of a coordinate.
pub(super) const LEN: usize = 36;

/// A private key, or a nonce: a scalar. Wiped when dropped.
#[derive(Clone)]
pub struct BinaryPrivateKey {
    curve: BinaryCurve,
    scalar: ElementWords,
}

impl BinaryPrivateKey {
    /// Returns the key of these bytes, the highest first.
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

    /// Returns the curve.
    pub fn curve(&self) -> BinaryCurve {
        self.curve
    }

    pub(super) fn scalar(&self) -> &ElementWords {
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
    x: ElementWords,
    y: ElementWords,
}

impl BinaryPublicKey {
    /// Returns the key of the coordinates of a point, the highest coefficients first: x and then y.
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
        let kernel: &BinaryKernel = &portable::BINARY;
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

    /// Returns the curve.
    pub fn curve(&self) -> BinaryCurve {
        self.curve
    }

    pub(super) fn point(&self) -> (&ElementWords, &ElementWords) {
        (&self.x, &self.y)
    }
}
