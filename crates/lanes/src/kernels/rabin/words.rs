//! Registers with a word of eight bytes for each stripe.

use super::constants::ByteMap;

/// The most lanes that registers have.
pub(crate) const MAX_LANES: usize = 8;

/// A word of 64 bits for each lane: eight bytes of a stripe, the first one in the highest bits.
///
/// # Safety
/// An implementor uses no other instructions than those of its instruction set, which kernels that
/// are compiled for it enable. A value is proof that the CPU has them.
pub(crate) unsafe trait RabinWords: Copy + 'static {
    /// A linear map of bytes.
    type Map: Copy;
    /// How many lanes there are, at most [`MAX_LANES`].
    const LANES: usize;

    /// Returns the same word in all lanes.
    ///
    /// # Safety
    /// The CPU must have the instruction set.
    unsafe fn splat(word: u64) -> Self;

    /// Returns what [`mapped`](RabinWords::mapped) takes.
    ///
    /// # Safety
    /// The CPU must have the instruction set.
    unsafe fn map(map: &ByteMap) -> Self::Map;

    /// Returns eight words of each stripe, which begin at `first` and are `stride` bytes apart;
    /// word `i` of lane `l` is in element `i`.
    ///
    /// # Safety
    /// The CPU must have the instruction set. For each lane, 64 bytes must be readable at
    /// `first + lane * stride`.
    unsafe fn load(first: *const u8, stride: usize) -> [Self; 8];

    /// Writes the words of all lanes.
    fn store(self, to: &mut [u64; MAX_LANES]);

    fn xor(self, other: Self) -> Self;

    /// Returns `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    fn and(self, other: Self) -> Self;

    fn or(self, other: Self) -> Self;

    /// Returns each word shifted to the left.
    fn shift_left<const BY: i32>(self) -> Self;

    /// Returns each word shifted to the right.
    fn shift_right<const BY: i32>(self) -> Self;

    /// Returns the carry-less products: the lower words and the upper words.
    fn product(self, other: Self) -> [Self; 2];

    /// Returns the lower words of carry-less products.
    #[inline(always)]
    fn product_low(self, other: Self) -> Self {
        let [low, _] = self.product(other);
        low
    }

    /// Returns the upper words of carry-less products.
    #[inline(always)]
    fn product_high(self, other: Self) -> Self {
        let [_, high] = self.product(other);
        high
    }

    /// Returns the image of each byte under a linear map.
    fn mapped(self, map: Self::Map) -> Self;

    /// Returns the lesser one of each two bytes.
    fn min_bytes(self, other: Self) -> Self;

    /// Returns `true` if a byte is zero.
    fn has_zero_byte(self) -> bool;
}
