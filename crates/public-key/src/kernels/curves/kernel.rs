//! The kernels of an instruction set.

use super::columns::{Columns, MAX_LANES};
use super::edwards::Affine;
use crate::kernels::curves::weierstrass::curve::Rows;
use crate::kernels::curves::weierstrass::multiply::Coordinates;
use crate::widths::Widths;

/// A kernel of one instruction set.
///
/// # Safety
/// The CPU has the instruction set. The functions have no other condition.
pub(crate) struct CurveKernel {
    /// The instruction set.
    pub name: &'static str,
    /// Jobs that it advances at once, at most [`MAX_LANES`].
    pub lanes: usize,
    /// X25519 (RFC 7748, 5): replaces points by products with the clamped scalars.
    pub x25519: unsafe fn(scalars: &Columns<4>, points: &mut Columns<4>),
    /// Replaces numbers by their products with the base point of Ed25519, as the standard writes
    /// points (RFC 8032, 5.1.2). Numbers are given by their signed digits.
    pub ed25519_base: unsafe fn(numbers: &mut Columns<4>),
    /// Replaces numbers by the sums of their products with the base point, and of those of `own`
    /// with points whose multiples are in tables, as `ed25519_base` does. The digits of `base` have
    /// eight bits, those of `own` four. Its time depends on all of them.
    pub ed25519_both:
        unsafe fn(base: &mut Columns<4>, own: &Columns<4>, tables: &[&[Affine]; MAX_LANES]),
    /// Products on P-256.
    pub p256: PointKernel<4, 5>,
    /// Products on P-384.
    pub p384: PointKernel<6, 7>,
    /// Products on P-521.
    pub p521: PointKernel<9, 10>,
    /// Products on secp256k1.
    pub secp256k1: PointKernel<4, 5>,
}

/// Products of points of one curve, whose coordinates have `K` words, with numbers, which are given
/// by their [digits](crate::kernels::curves::weierstrass::multiply::digits) in `D` words.
///
/// # Safety
/// The conditions of [`CurveKernel`].
pub(crate) struct PointKernel<const K: usize, const D: usize> {
    /// Multiplies the base point by numbers from 1 to the order. Products have the coordinates X,
    /// Y and Z.
    pub base: unsafe fn(numbers: &Columns<D>, products: &mut Coordinates<K>),
    /// Multiplies points, which have the coordinates x and y, as `base` does.
    pub point: unsafe fn(numbers: &Columns<D>, points: &mut Coordinates<K>),
    /// Adds the products of the base point with `base` to those of the points whose multiples are
    /// in tables with `own`. Where Z is zero, the lane gave up, or the sum is neutral. Its time
    /// depends on all of them.
    pub both: unsafe fn(
        base: &Columns<D>,
        own: &Columns<D>,
        tables: &[&Rows<K>; MAX_LANES],
        products: &mut Coordinates<K>,
    ),
    /// The same for points that have the coordinates x and y, which it replaces. No number of `own`
    /// is zero.
    pub both_anew: unsafe fn(base: &Columns<D>, own: &Columns<D>, points: &mut Coordinates<K>),
}

/// The kernels of curves on one CPU.
pub(crate) type CurveKernels = Widths<CurveKernel>;
