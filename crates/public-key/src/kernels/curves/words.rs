//! What kernels compute with: a word of every lane, and products of limbs.

use broadloom_lanes::Vector;
use broadloom_lanes::inside::Plain;
use subtle::{ConditionallySelectable, ConstantTimeEq};

/// A word of 64 bits of every lane, and the lanes' products of limbs.
///
/// # Safety
/// An implementor uses no instruction outside the set that its documentation names, and marks every
/// method `#[inline(always)]`. A value is proof that the CPU has the instruction set.
pub(crate) unsafe trait Words: Copy + 'static {
    /// The number of lanes, at most [`MAX_LANES`](super::columns::MAX_LANES).
    const LANES: usize;

    /// `true` if [`part`](Words::part) leaves more than a limb in the lower part.
    const LOOSE: bool;

    /// A sum of products.
    type Sum: Copy;

    /// Loads a word for each lane.
    ///
    /// # Safety
    /// - The CPU has the instruction set.
    /// - `from` is readable for `LANES` words, and aligned for a word.
    unsafe fn load(from: *const u64) -> Self;

    /// Writes the word of each lane.
    ///
    /// # Safety
    /// `to` is writable for `LANES` words, and aligned for a word.
    unsafe fn store(self, to: *mut u64);

    /// Returns the same word in all lanes.
    fn splat(self, word: u64) -> Self;

    /// Adds, modulo 2^64.
    fn add(self, other: Self) -> Self;

    /// Subtracts, modulo 2^64.
    fn sub(self, other: Self) -> Self;

    fn and(self, other: Self) -> Self;

    fn or(self, other: Self) -> Self;

    fn xor(self, other: Self) -> Self;

    fn shift_left(self, by: u32) -> Self;

    fn shift_right(self, by: u32) -> Self;

    /// Returns all ones in each lane whose words are equal, and zero in the others.
    fn equal(self, other: Self) -> Self;

    /// Returns `one` in lanes where `self` is all ones, and `other` where it is zero.
    fn select(self, one: Self, other: Self) -> Self;

    /// Multiplies factors below 2^32 whose product is below 2^52.
    fn small_product(self, other: Self) -> Self;

    /// Returns the sum that is this word.
    fn sum(self) -> Self::Sum;

    /// Adds the product of two limbs to a sum.
    fn plus_product(sum: Self::Sum, x: Self, y: Self) -> Self::Sum;

    /// Adds a word to a sum.
    fn plus(sum: Self::Sum, word: Self) -> Self::Sum;

    /// Doubles a sum.
    fn twice(sum: Self::Sum) -> Self::Sum;

    /// Splits a sum into two words, of which the second one counts 2^bits times.
    fn part(sum: Self::Sum, bits: u32) -> (Self, Self);
}

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl Words for Plain<u64> {
    const LANES: usize = 1;
    const LOOSE: bool = false;
    type Sum = u128;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: `from` is readable for one word (`LANES` is 1), by the contract of `Words::load`.
        unsafe { Vector::load(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: `to` is writable for one word (`LANES` is 1), by the contract of `Words::store`.
        unsafe { Vector::store(self, to) }
    }
    #[inline(always)]
    fn splat(self, word: u64) -> Self {
        Plain::of(word)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Vector::add(self, other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_sub(other.word()))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Vector::and(self, other)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Vector::or(self, other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Vector::xor(self, other)
    }
    #[inline(always)]
    fn shift_left(self, by: u32) -> Self {
        Plain::of(self.word() << by)
    }
    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        Plain::of(self.word() >> by)
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        let equal = self.word().ct_eq(&other.word());
        Plain::of(u64::conditional_select(&0, &u64::MAX, equal))
    }
    #[inline(always)]
    fn select(self, one: Self, other: Self) -> Self {
        Plain::of(other.word() ^ self.word() & (one.word() ^ other.word()))
    }
    #[inline(always)]
    fn small_product(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_mul(other.word()))
    }
    #[inline(always)]
    fn sum(self) -> u128 {
        self.word().into()
    }
    #[inline(always)]
    fn plus_product(sum: u128, x: Self, y: Self) -> u128 {
        sum + u128::from(x.word()) * u128::from(y.word())
    }
    #[inline(always)]
    fn plus(sum: u128, word: Self) -> u128 {
        sum + u128::from(word.word())
    }
    #[inline(always)]
    fn twice(sum: u128) -> u128 {
        sum << 1
    }
    #[inline(always)]
    fn part(sum: u128, bits: u32) -> (Self, Self) {
        (Plain::of(sum as u64 & ((1 << bits) - 1)), Plain::of((sum >> bits) as u64))
    }
}
