//! The view that ML-DSA has of an instruction set: numbers of 32 bits, with products.

use broadloom_lanes::Vector;

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 16;

/// A number of 32 bits of every lane, in one register, in two's complement. Arithmetic is modulo
/// 2^32.
///
/// # Safety
///
/// The contract of [`Vector`].
pub(crate) unsafe trait Numbers: Vector<Word = u32> {
    /// A sum of products for each lane, of 64 bits.
    type Sums: Copy;

    /// Returns sums of no products.
    ///
    /// # Safety
    /// The CPU has this vector's instruction set.
    unsafe fn no_sums() -> Self::Sums;
    /// Adds the products of signed numbers to sums.
    fn add_products(self, other: Self, sums: Self::Sums) -> Self::Sums;
    /// As [`add_products`](Numbers::add_products), with a vector that has the same number in every
    /// lane.
    fn add_products_same(self, same: Self, sums: Self::Sums) -> Self::Sums;
    /// Returns the lower and the upper halves of sums.
    fn halves(sums: Self::Sums) -> (Self, Self);
    /// Reads a number of eight bits for each lane, zeros coming in above.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `numbers` is readable for as many numbers as there are lanes.
    unsafe fn load_bytes(numbers: *const u8) -> Self;
    /// Reads a number of sixteen bits for each lane, zeros coming in above.
    ///
    /// # Safety
    /// - The CPU has this vector's instruction set.
    /// - `numbers` is readable for as many numbers as there are lanes.
    unsafe fn load_shorts(numbers: *const u16) -> Self;
    /// Subtracts lane by lane.
    fn sub(self, other: Self) -> Self;
    /// The lower halves of the products.
    fn low(self, other: Self) -> Self;
    /// The upper halves of the products of signed numbers, with a vector that has the same number
    /// in every lane.
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
