//! What is done with a buffer and the keys of one curve.

use super::key::{PrivateKey, PublicKey};
use crate::kernels::curves::weierstrass::curve::Curve;

/// An operation on one curve, and its keys.
#[derive(Clone, Copy)]
pub enum PointOperation<'a, C: Curve<K>, const K: usize> {
    /// With a key and a nonce.
    Sign(&'a PrivateKey<C, K>, &'a PrivateKey<C, K>),
    Verify(&'a PublicKey<C, K>),
    Agree(&'a PrivateKey<C, K>),
    Public(&'a PrivateKey<C, K>),
}

impl<C: Curve<K>, const K: usize> PointOperation<'_, C, K> {
    /// Kinds of operations.
    pub(in super::super) const KINDS: usize = 4;

    /// Returns the kind of the operation, below [`KINDS`](PointOperation::KINDS).
    pub(in super::super) fn kind(&self) -> usize {
        match self {
            PointOperation::Sign(..) => 0,
            PointOperation::Verify(_) => 1,
            PointOperation::Agree(_) => 2,
            PointOperation::Public(_) => 3,
        }
    }

    /// Returns the number of bytes that the operation takes and makes.
    pub(in super::super) fn length(&self) -> usize {
        match self {
            PointOperation::Verify(_) => 3 * C::BYTES,
            _ => 2 * C::BYTES,
        }
    }

    /// Returns about how many products in the field the operation takes.
    pub(in super::super) fn cost(&self) -> usize {
        C::DIGITS
            * match self {
                PointOperation::Sign(..) => 13,
                PointOperation::Verify(key) if key.rows().is_some() => 44,
                PointOperation::Verify(_) => 71,
                PointOperation::Agree(_) => 62,
                PointOperation::Public(_) => 12,
            }
    }
}
