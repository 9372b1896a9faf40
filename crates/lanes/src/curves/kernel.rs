//! What the kernels of an instruction set do.

use super::edwards::Affine;
use super::p256::multiply::Coordinates;
use super::p256::points::Rows;

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 8;

/// So many words of each lane: word 0 of every lane, then word 1.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Columns<const N: usize>(pub [[u64; MAX_LANES]; N]);

impl<const N: usize> Columns<N> {
    pub const ZERO: Self = Columns([[0; MAX_LANES]; N]);

    /// Puts words into a lane.
    pub fn put(&mut self, lane: usize, words: &[u64; N]) {
        self.0.iter_mut().zip(words).for_each(|(column, word)| column[lane] = *word);
    }

    /// The words of a lane.
    pub fn lane(&self, lane: usize) -> [u64; N] {
        self.0.map(|column| column[lane])
    }
}

impl<const N: usize> zeroize::Zeroize for Columns<N> {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(|column| column.zeroize());
    }
}

/// A kernel of one instruction set.
///
/// All functions are safe to call if the CPU has the instruction set.
pub(crate) struct Kernel {
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
    /// Multiplies the base point of P-256 by numbers from 1 to the order, which are given by their
    /// [digits](super::p256::multiply::digits). Products have the coordinates X and Z.
    pub p256_base: unsafe fn(numbers: &Columns<5>, products: &mut Coordinates),
    /// Multiplies points of P-256, which have the coordinates x and y, as `p256_base` does.
    pub p256_point: unsafe fn(numbers: &Columns<5>, points: &mut Coordinates),
    /// Adds the products of the base point of P-256 with `base` to those of the points whose
    /// multiples are in tables with `own`. Where Z is zero, the lane gave up, or the sum is
    /// neutral. Its time depends on all of them.
    pub p256_both: unsafe fn(
        base: &Columns<5>,
        own: &Columns<5>,
        tables: &[&Rows; MAX_LANES],
        products: &mut Coordinates,
    ),
    /// The same for points that have the coordinates x and y, which it replaces. No number of `own`
    /// is zero.
    pub p256_both_anew: unsafe fn(base: &Columns<5>, own: &Columns<5>, points: &mut Coordinates),
}
