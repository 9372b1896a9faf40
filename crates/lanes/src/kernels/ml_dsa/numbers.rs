//! The view that ML-DSA has of an instruction set: numbers of 32 bits, with products.

use crate::vector::Vector;

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 16;

/// A number of 32 bits of every lane, in one register, in two's complement. Arithmetic is modulo
/// 2^32.
///
/// # Safety
///
/// The contract of [`Vector`].
pub(crate) unsafe trait Numbers: Vector<Word = u32> {
    /// Subtracts lane by lane.
    fn sub(self, other: Self) -> Self;
    /// The lower halves of the products.
    fn low(self, other: Self) -> Self;
    /// The upper halves of the products of signed numbers.
    fn high(self, other: Self) -> Self;
    /// As [`high`](Numbers::high), of a vector that has the same number in every lane.
    fn high_same(self, same: Self) -> Self;
    /// The smaller of two unsigned numbers.
    fn min_unsigned(self, other: Self) -> Self;
    /// Shifts each lane left by `count` bits, up to 31.
    fn left(self, count: u32) -> Self;
    /// Shifts each lane right by `count` bits, up to 31, zeros coming in.
    fn right(self, count: u32) -> Self;
    /// Shifts each lane right by `count` bits, up to 31, its sign coming in.
    fn right_signed(self, count: u32) -> Self;
}
