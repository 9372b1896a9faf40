//! Registers with a pair of words for each lane, as instructions for carry-less products take them.

use broadloom_lanes::inside::field;

/// The most lanes that registers have.
pub(crate) const MAX_LANES: usize = 4;

/// A pair of words for each lane, in memory: the lower word of a pair first.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Memory(pub [[u64; 2]; MAX_LANES]);

impl Memory {
    pub const ZERO: Self = Memory([[0; 2]; MAX_LANES]);
}

/// A pair of words for each lane.
///
/// # Safety
/// An implementor uses no other instructions than those of its instruction set, which the kernels
/// that are compiled for it enable. A value is proof that the CPU has them.
pub(crate) unsafe trait Pairs: Copy + 'static {
    /// The number of lanes, at most [`MAX_LANES`].
    const LANES: usize;

    /// Loads a pair for each lane.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn load(from: &Memory) -> Self;

    fn store(self, to: &mut Memory);

    /// Returns the same pair in all lanes.
    fn splat(self, pair: [u64; 2]) -> Self;

    fn xor(self, other: Self) -> Self;

    fn and(self, other: Self) -> Self;

    /// Returns the carry-less products of the lower words.
    fn low_products(self, other: Self) -> Self;

    /// Returns the carry-less products of the upper words.
    fn high_products(self, other: Self) -> Self;

    /// Returns the carry-less squares of the lower words.
    #[inline(always)]
    fn low_squares(self) -> Self {
        self.low_products(self)
    }

    /// Returns the words of each pair exchanged.
    fn swapped(self) -> Self;

    /// Returns the two words in the middle of four in each lane, which are `self` and then `next`.
    fn middle(self, next: Self) -> Self;

    /// Returns each word shifted to the left.
    fn shift_left<const BY: i32>(self) -> Self;

    /// Returns each word shifted to the right.
    fn shift_right<const BY: i32>(self) -> Self;

    /// Returns all ones in lanes where a bit of the lower word is set, or of the upper one; zeros
    /// in the others. The place of the bit is public.
    fn mask(self, upper: bool, bit: u32) -> Self;
}

/// One lane on integers.
#[derive(Clone, Copy)]
pub(crate) struct Integers([u64; 2]);

impl Integers {
    #[inline(always)]
    fn of(number: u128) -> Self {
        Integers([number as u64, (number >> 64) as u64])
    }
}

// SAFETY: only baseline instructions are used.
unsafe impl Pairs for Integers {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: &Memory) -> Self {
        Integers(from.0[0])
    }
    #[inline(always)]
    fn store(self, to: &mut Memory) {
        to.0[0] = self.0;
    }
    #[inline(always)]
    fn splat(self, pair: [u64; 2]) -> Self {
        Integers(pair)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Integers([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Integers([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
    #[inline(always)]
    fn low_products(self, other: Self) -> Self {
        Integers::of(field::product(self.0[0], other.0[0]))
    }
    #[inline(always)]
    fn high_products(self, other: Self) -> Self {
        Integers::of(field::product(self.0[1], other.0[1]))
    }
    #[inline(always)]
    fn low_squares(self) -> Self {
        Integers::of(field::spread(self.0[0]))
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        Integers([self.0[1], self.0[0]])
    }
    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        Integers([self.0[1], next.0[0]])
    }
    #[inline(always)]
    fn shift_left<const BY: i32>(self) -> Self {
        Integers(self.0.map(|word| word << BY))
    }
    #[inline(always)]
    fn shift_right<const BY: i32>(self) -> Self {
        Integers(self.0.map(|word| word >> BY))
    }
    #[inline(always)]
    fn mask(self, upper: bool, bit: u32) -> Self {
        let bit = self.0[usize::from(upper)] >> bit & 1;
        Integers([bit.wrapping_neg(); 2])
    }
}
