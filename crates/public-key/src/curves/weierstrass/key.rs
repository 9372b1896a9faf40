//! Keys, which are checked when they are made.

use alloc::boxed::Box;
use core::fmt;
use core::marker::PhantomData;

use broadloom_lanes::public;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::kernels::curves::scalar;
use crate::kernels::curves::weierstrass::curve::{Curve, Rows};
use crate::kernels::curves::weierstrass::error::CurveKeyError;
use crate::kernels::curves::weierstrass::points::Point;

/// A private key on a curve, or a nonce: a scalar. Wiped when dropped.
#[derive(Clone)]
pub struct PrivateKey<C: Curve<K>, const K: usize> {
    scalar: [u64; K],
    curve: PhantomData<C>,
}

impl<C: Curve<K>, const K: usize> PrivateKey<C, K> {
    /// Returns the key of these bytes, the highest first.
    ///
    /// # Errors
    /// [`CurveKeyError::Scalar`].
    pub fn new(bytes: &C::Scalar) -> Result<Self, CurveKeyError> {
        let key = PrivateKey { scalar: scalar::from_be_bytes(bytes.as_ref()), curve: PhantomData };
        if public(C::ORDER.has(&key.scalar)) { Ok(key) } else { Err(CurveKeyError::Scalar) }
    }

    pub(super) fn scalar(&self) -> &[u64; K] {
        &self.scalar
    }
}

impl<C: Curve<K>, const K: usize> Drop for PrivateKey<C, K> {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl<C: Curve<K>, const K: usize> ZeroizeOnDrop for PrivateKey<C, K> {}

impl<C: Curve<K>, const K: usize> fmt::Debug for PrivateKey<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}PrivateKey", C::NAME)
    }
}

/// A public key on a curve: a point.
#[derive(Clone)]
pub struct PublicKey<C: Curve<K>, const K: usize> {
    bytes: C::Coordinates,
    point: Point<C, K>,
    rows: Option<Box<Rows<K>>>,
}

impl<C: Curve<K>, const K: usize> PublicKey<C, K> {
    /// Returns the key of the coordinates of a point, the highest bytes first: x and then y.
    ///
    /// # Errors
    /// [`CurveKeyError::Coordinate`] or [`CurveKeyError::OffCurve`].
    pub fn new(bytes: &C::Coordinates) -> Result<Self, CurveKeyError> {
        let mut key = PublicKey { bytes: *bytes, point: Point::NEUTRAL, rows: None };
        let [x, y] = key.coordinates();
        key.point = Point::new(x, y)?;
        Ok(key)
    }

    /// Computes multiples of the point that make each verification cheaper. They take as long as
    /// about nine verifications in full lanes save by them, and 4 KiB for numbers of 256 bits,
    /// 6 KiB for those of 384, or 9 KiB for those of 521.
    pub fn prepare(&mut self) {
        self.rows = Some(Box::new(self.point.rows()));
    }

    /// Returns the coordinates, the highest bytes first: x and then y.
    pub fn bytes(&self) -> &C::Coordinates {
        &self.bytes
    }

    /// Returns the coordinates x and y.
    pub(super) fn coordinates(&self) -> [[u64; K]; 2] {
        let (x, y) = self.bytes.as_ref().split_at(C::BYTES);
        [x, y].map(scalar::from_be_bytes)
    }

    pub(super) fn point(&self) -> &Point<C, K> {
        &self.point
    }

    /// Returns the multiples, if the key was prepared.
    pub(super) fn rows(&self) -> Option<&Rows<K>> {
        self.rows.as_deref()
    }
}

impl<C: Curve<K>, const K: usize> fmt::Debug for PublicKey<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}PublicKey({:02x?})", C::NAME, self.bytes.as_ref())
    }
}
