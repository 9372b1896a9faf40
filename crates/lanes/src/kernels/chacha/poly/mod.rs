//! Poly1305 (RFC 8439, 2.5) for messages of whole blocks, as in ChaCha20-Poly1305.
//!
//! Where there are vectors, long texts and groups of texts go through `wide`, several blocks at
//! once. `limbs` is one way to keep numbers in vectors; `arch` has another, for AVX-512 IFMA.

#[allow(dead_code, reason = "not every architecture has vectors that multiply")]
pub(crate) mod limbs;
#[allow(dead_code, reason = "not every architecture has vectors that multiply")]
pub(crate) mod wide;

#[cfg(test)]
pub(crate) mod tests;

use zeroize::Zeroize;

use crate::kernels::aes::bytes::load_bytes;

/// Bytes of a block.
const BLOCK: usize = 16;

/// The key of one message.
#[derive(Clone, Copy)]
pub(crate) struct OneTimeKey {
    /// The factor of sums.
    r: [u64; 2],
    /// The addend at the end.
    s: u128,
}

impl OneTimeKey {
    pub const NONE: OneTimeKey = OneTimeKey { r: [0; 2], s: 0 };

    /// Takes the key from the first half of a block of keystream.
    #[inline(always)]
    pub fn of_stream(stream: &[u32; 16]) -> Self {
        let double = |i: usize| u64::from(stream[i]) | u64::from(stream[i + 1]) << 32;
        OneTimeKey {
            r: [double(0) & 0x0fff_fffc_0fff_ffff, double(2) & 0x0fff_fffc_0fff_fffc],
            s: u128::from(double(4)) | u128::from(double(6)) << 64,
        }
    }
}

impl Zeroize for OneTimeKey {
    fn zeroize(&mut self) {
        self.r.zeroize();
        self.s.zeroize();
    }
}

/// A number modulo 2^130 - 5, not fully reduced: 128 bits, and a few above them.
pub(crate) type Number = (u128, u64);

/// A tag in the making.
pub(crate) struct Poly<'a> {
    key: &'a OneTimeKey,
    sum: Number,
}

impl<'a> Poly<'a> {
    #[inline(always)]
    pub fn new(key: &'a OneTimeKey) -> Self {
        Poly { key, sum: (0, 0) }
    }

    /// Leaves a text to be absorbed.
    #[inline(always)]
    pub fn part(self, from: *const u8, len: usize) -> Part {
        Part { sum: self.sum, r: self.key.r, from, len }
    }

    /// Absorbs a text, and returns the authenticator.
    ///
    /// # Safety
    /// The conditions of [`absorb`](Poly::absorb).
    #[inline(always)]
    pub unsafe fn absorbed<W: Wide>(mut self, from: *const u8, len: usize) -> Self {
        // SAFETY: these are the conditions of this function's own contract.
        unsafe { self.absorb::<W>(from, len) };
        self
    }

    /// Absorbs a text, filled up with zeros.
    ///
    /// # Safety
    /// - `from` is readable for `len` bytes, at any alignment.
    /// - The CPU has W's instructions.
    #[inline(always)]
    pub unsafe fn absorb<W: Wide>(&mut self, from: *const u8, len: usize) {
        let mut at = 0;
        // SAFETY: `from` is readable for `len` bytes, by this function's contract; `at` bytes of
        // them are absorbed before each read, and W gets only the whole blocks.
        unsafe {
            if len / BLOCK >= W::WORTH {
                at = BLOCK * W::absorb(&mut self.sum, self.key.r, from, len / BLOCK);
            }
            while len - at >= BLOCK {
                self.block(u128::from_le(from.add(at).cast::<u128>().read_unaligned()));
                at += BLOCK;
            }
            if at < len {
                self.block(load_bytes(from.add(at), len - at));
            }
        }
    }

    /// Absorbs one block.
    #[inline(always)]
    pub fn block(&mut self, block: u128) {
        let (low, carry) = self.sum.0.overflowing_add(block);
        // The bit above the block is added, too.
        self.sum = times((low, self.sum.1 + 1 + u64::from(carry)), self.key.r);
    }

    /// Returns the tag.
    #[inline(always)]
    pub fn tag(self) -> [u8; 16] {
        let (low, high) = fold(self.sum);
        // This subtracts 2^130 - 5, unless the result is negative.
        let (less, carry) = low.overflowing_add(5);
        let over = u128::from((high + u64::from(carry)) >> 2).wrapping_neg();
        (low & !over | less & over).wrapping_add(self.key.s).to_le_bytes()
    }
}

/// A text, and the sum that it is absorbed into.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    sum: Number,
    #[allow(dead_code, reason = "only vectors read it")]
    r: [u64; 2],
    from: *const u8,
    len: usize,
}

impl Part {
    /// A part of no text.
    pub const NONE: Part = Part { sum: (0, 0), r: [0; 2], from: core::ptr::null(), len: 0 };

    /// Absorbs what is left of the text under the same key, and returns the authenticator.
    ///
    /// # Safety
    /// The conditions of [`absorb`](Poly::absorb), for what is left of the text.
    #[inline(always)]
    pub unsafe fn absorbed<'a, W: Wide>(&self, key: &'a OneTimeKey) -> Poly<'a> {
        // SAFETY: these are the conditions of this function's own contract.
        unsafe { Poly { key, sum: self.sum }.absorbed::<W>(self.from, self.len) }
    }

    /// Overwrites the sum and the key, in a way that the compiler may not leave out.
    #[inline(always)]
    pub fn wipe(&mut self) {
        // SAFETY: a reference is valid for writes and aligned.
        unsafe { core::ptr::write_volatile(self, Part::NONE) };
    }

    /// Returns the number of whole blocks.
    #[inline(always)]
    fn blocks(&self) -> usize {
        self.len / BLOCK
    }

    /// Notes that blocks were absorbed.
    #[allow(dead_code, reason = "not every architecture has vectors that multiply")]
    #[inline(always)]
    fn advance(&mut self, blocks: usize, sum: Number) {
        self.sum = sum;
        self.from = self.from.wrapping_add(BLOCK * blocks);
        self.len -= BLOCK * blocks;
    }
}

/// Absorbs whole blocks of texts side by side, as far as that pays. The texts may change places,
/// and `numbers`, one for each, go with them.
///
/// # Safety
/// - Each text is readable for its length.
/// - The CPU has W's instructions.
#[inline(always)]
pub(crate) unsafe fn absorb_each<W: Wide>(parts: &mut [Part], numbers: &mut [usize]) {
    // Texts of one length run side by side to their ends, the longest first.
    for i in 1..parts.len() {
        let mut place = i;
        while place > 0 && parts[place - 1].blocks() < parts[place].blocks() {
            parts.swap(place - 1, place);
            numbers.swap(place - 1, place);
            place -= 1;
        }
    }
    for parts in parts.chunks_mut(W::LANES) {
        if parts.len() > W::LANES / 2 && worth_a_lane(parts[W::LANES / 2].len) {
            // SAFETY: the texts are readable and the CPU has W's instructions, by this function's
            // contract; a chunk has at least one text and at most as many as W has lanes, the
            // longest first.
            unsafe { W::absorb_each(parts) };
        }
    }
}

/// Returns `true` if it pays to absorb a text of `len` bytes beside others.
#[inline(always)]
pub(crate) fn worth_a_lane(len: usize) -> bool {
    len >= 8 * BLOCK
}

/// Vectors that texts are absorbed with.
///
/// # Safety
/// The functions use only instructions that the implementor names.
pub(crate) unsafe trait Wide {
    /// Blocks of one text from which on vectors pay; at least [`LANES`](Wide::LANES).
    const WORTH: usize;

    /// Texts that are absorbed side by side.
    const LANES: usize;

    /// Absorbs some of `blocks` blocks, which are at least [`WORTH`](Wide::WORTH), and returns how
    /// many.
    ///
    /// # Safety
    /// - The CPU has the instructions.
    /// - `from` is readable for `blocks` blocks, at any alignment, and there are at least
    ///   [`WORTH`](Wide::WORTH) of them.
    unsafe fn absorb(sum: &mut Number, r: [u64; 2], from: *const u8, blocks: usize) -> usize;

    /// Absorbs whole blocks of up to [`LANES`](Wide::LANES) texts, at least one, as long as most
    /// lanes have some. The longest is the first, the shortest the last.
    ///
    /// # Safety
    /// - The CPU has the instructions.
    /// - Each text is readable for its length, and no text is longer than the one before it.
    unsafe fn absorb_each(parts: &mut [Part]);
}

/// No vectors.
pub(crate) struct NoVectors;

// SAFETY: the impl uses no instructions.
unsafe impl Wide for NoVectors {
    const WORTH: usize = usize::MAX;
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn absorb(_: &mut Number, _: [u64; 2], _: *const u8, _: usize) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn absorb_each(_: &mut [Part]) {}
}

/// Returns the product of a number and the first half of a key. The bits above 128 may stand for up
/// to 15 in the number, and stand for at most 4 in the result.
#[inline(always)]
fn times((low, h2): Number, [r0, r1]: [u64; 2]) -> Number {
    let (h0, h1) = (low as u64, (low >> 64) as u64);
    // 2^130 is 5, and r1 a multiple of 4: what would be r1 times 2^128 is this.
    let s1 = r1 + (r1 >> 2);
    let wide = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let low = wide(h0, r0) + wide(h1, s1);
    let middle = wide(h0, r1) + wide(h1, r0) + u128::from(h2 * s1) + (low >> 64);
    let high = h2 * r0 + (middle >> 64) as u64;
    fold((u128::from(low as u64) | middle << 64, high))
}

/// Adds the part above 130 bits below, five times.
#[inline(always)]
fn fold((low, high): Number) -> Number {
    let above = (high & !3) + (high >> 2);
    let (low, carry) = low.overflowing_add(above.into());
    (low, (high & 3) + u64::from(carry))
}
