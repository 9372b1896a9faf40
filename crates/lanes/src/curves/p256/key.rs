//! Keys, which are checked when they are made.

use alloc::boxed::Box;
use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::super::scalar::{self, Number};
use super::points::{ORDER, Point, Rows};
use crate::outcome::public;

/// The rule that a key on P-256 breaks.
///
/// ```
/// use broadloom_lanes::{P256KeyError, P256PrivateKey, P256PublicKey};
///
/// assert_eq!(P256PrivateKey::new(&[0; 32]).unwrap_err(), P256KeyError::Scalar);
/// assert_eq!(P256PublicKey::new(&[1; 64]).unwrap_err(), P256KeyError::OffCurve);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum P256KeyError {
    /// A private key that is zero, or not below the order of the base point.
    Scalar,
    /// A coordinate that is not below the prime.
    Coordinate,
    /// A point that is not on the curve.
    OffCurve,
}

impl fmt::Display for P256KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            P256KeyError::Scalar => {
                "the private key is zero, or not below the order of the base point"
            }
            P256KeyError::Coordinate => "a coordinate is not below the prime of P-256",
            P256KeyError::OffCurve => "the point is not on P-256",
        })
    }
}

impl core::error::Error for P256KeyError {}

/// A private key on P-256, or a nonce: a scalar. Wiped when dropped.
#[derive(Clone)]
pub struct P256PrivateKey {
    scalar: Number,
}

impl P256PrivateKey {
    /// The key of these bytes, the highest first.
    ///
    /// # Errors
    /// [`P256KeyError::Scalar`].
    pub fn new(bytes: &[u8; 32]) -> Result<Self, P256KeyError> {
        let key = P256PrivateKey { scalar: scalar::from_be_bytes(bytes) };
        if public(ORDER.has(&key.scalar)) { Ok(key) } else { Err(P256KeyError::Scalar) }
    }

    pub(super) fn scalar(&self) -> &Number {
        &self.scalar
    }
}

impl Drop for P256PrivateKey {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl ZeroizeOnDrop for P256PrivateKey {}

impl fmt::Debug for P256PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P256PrivateKey")
    }
}

/// A public key on P-256: a point.
#[derive(Clone)]
pub struct P256PublicKey {
    bytes: [u8; 64],
    point: Point,
    rows: Option<Box<Rows>>,
}

impl P256PublicKey {
    /// The key of the coordinates of a point, the highest bytes first: x and then y.
    ///
    /// # Errors
    /// [`P256KeyError::Coordinate`] or [`P256KeyError::OffCurve`].
    pub fn new(bytes: &[u8; 64]) -> Result<Self, P256KeyError> {
        let mut key = P256PublicKey { bytes: *bytes, point: Point::NEUTRAL, rows: None };
        let [x, y] = key.coordinates();
        key.point = Point::new(x, y)?;
        Ok(key)
    }

    /// Computes multiples of the point that make each verification cheaper. They take as long as
    /// about nine verifications in full lanes save by them, and 4 KiB.
    pub fn prepare(&mut self) {
        self.rows = Some(Box::new(self.point.rows()));
    }

    /// The coordinates, the highest bytes first: x and then y.
    pub fn bytes(&self) -> &[u8; 64] {
        &self.bytes
    }

    /// The coordinates x and y.
    pub(super) fn coordinates(&self) -> [Number; 2] {
        let (halves, _) = self.bytes.as_chunks::<32>();
        [&halves[0], &halves[1]].map(scalar::from_be_bytes)
    }

    pub(super) fn point(&self) -> &Point {
        &self.point
    }

    /// The multiples, if the key was prepared.
    pub(in super::super) fn rows(&self) -> Option<&Rows> {
        self.rows.as_deref()
    }
}

impl fmt::Debug for P256PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P256PublicKey({:02x?})", self.bytes)
    }
}
