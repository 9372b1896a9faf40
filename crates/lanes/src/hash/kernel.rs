//! What advances the lanes: the kernels' contract, their generic bodies, and how one is chosen.

use super::{Compression, Hash, State};
use crate::vector::{Vector, Word, each};

/// Advances every lane by `blocks` blocks.
///
/// # Safety
/// The CPU has the kernel's instruction set. `states` and `data` are readable for as many pointers as the
/// kernel has lanes; each of the first is readable and writable for eight words, each of the second
/// readable for `blocks` blocks, at any alignment.
pub type WideRun<W> = unsafe fn(states: *const *mut W, data: *const *const u8, blocks: usize);

/// Ends an HMAC in every lane: `blocks` blocks of the inner hash, and the outer one, which starts from `outer`.
/// `states` become the outer digests.
///
/// # Safety
/// As for [`WideRun`]; the pointers at `outer` are readable for eight words each.
pub type WideHmac<W> =
    unsafe fn(states: *const *mut W, data: *const *const u8, blocks: usize, outer: *const *const W);

/// Advances one buffer's state by `blocks` blocks.
///
/// # Safety
/// The CPU has the kernel's instruction set. `state` is readable and writable for eight words, `data`
/// readable for `blocks` blocks.
pub type SingleRun<W> = unsafe fn(state: *mut W, data: *const u8, blocks: usize);

/// Advances two buffers' states by `blocks` blocks each, interleaved.
///
/// # Safety
/// As for [`SingleRun`], twice.
pub type DoubleRun<W> = unsafe fn(state: [*mut W; 2], data: [*const u8; 2], blocks: usize);

/// A kernel that fills a vector: many lanes, one instruction stream.
#[derive(Clone, Copy)]
pub struct HashKernel<W> {
    /// The instruction set.
    pub(crate) name: &'static str,
    /// Lanes it advances, at most [`MAX_LANES`](crate::vector::MAX_LANES).
    pub(crate) lanes: usize,
    /// Whole blocks.
    pub(crate) run: WideRun<W>,
    /// The last blocks of an HMAC and its outer hash.
    pub(crate) hmac: WideHmac<W>,
}

/// The kernel for few buffers: one, or two interleaved where that is faster than one after the other.
#[derive(Clone, Copy)]
pub struct SingleKernel<W> {
    /// The instruction set.
    pub(crate) name: &'static str,
    /// One buffer.
    pub(crate) one: SingleRun<W>,
    /// Two buffers.
    pub(crate) two: Option<DoubleRun<W>>,
}

/// The body of every [`WideRun`].
///
/// # Safety
/// The contract of [`WideRun`], and V's instruction set.
#[inline(always)]
pub(crate) unsafe fn run<V: Vector, C: Compression<Word = V::Word>>(
    states: *const *mut V::Word,
    data: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for V's instruction set, the states and the data.
    unsafe {
        let mut rows = V::gather(states.cast());
        for block in 0..blocks {
            C::compress(&mut rows, load::<V, C>(data, block));
        }
        V::scatter(&rows, states);
    }
}

/// The body of every [`WideHmac`]: the inner digest is already in the lanes' words, so the block of the outer
/// hash is never written out. It goes through the same code as those before it, which is long.
///
/// # Safety
/// The contract of [`WideHmac`], and V's instruction set.
#[inline(always)]
pub(crate) unsafe fn hmac<V: Vector, A: Hash<Word = V::Word>>(
    states: *const *mut V::Word,
    data: *const *const u8,
    blocks: usize,
    outer: *const *const V::Word,
) {
    // SAFETY: the caller vouches for V's instruction set, the states and the data.
    unsafe {
        let mut rows = V::gather(states.cast());
        for block in 0..=blocks {
            let words = if block < blocks {
                load::<V, A>(data, block)
            } else {
                let zero = V::splat(A::Word::default());
                let inner = core::mem::replace(&mut rows, V::gather(outer));
                pad_outer::<A, V>(inner, zero, |word| V::splat(word))
            };
            A::compress(&mut rows, words);
        }
        V::scatter(&rows, states);
    }
}

/// A block of every lane, `block` blocks into its data.
///
/// # Safety
/// V's instruction set; as many readable pointers as V has lanes, each readable for the block.
#[inline(always)]
unsafe fn load<V: Vector, C: Compression<Word = V::Word>>(
    data: *const *const u8,
    block: usize,
) -> [V; 16] {
    let offset = block * C::BLOCK_LEN;
    // SAFETY: the caller's.
    unsafe {
        if C::BIG_ENDIAN {
            V::load_block::<true>(data, offset)
        } else {
            V::load_block::<false>(data, offset)
        }
    }
}

/// What is in the one block of HMAC's outer hash beside the digest, in words.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn outer_padding<A: Hash>() -> [A::Word; 16] {
    let zero = A::Word::default();
    pad_outer::<A, A::Word>([zero; 8], zero, |word| word)
}

/// A digest in its first words, padded as the end of HMAC's outer message: one block of key and the
/// digest.
#[inline(always)]
fn pad_outer<A: Hash, V: Copy>(inner: [V; 8], zero: V, splat: impl Fn(A::Word) -> V) -> [V; 16] {
    let digest_words = A::DIGEST_LEN / A::Word::BYTES;
    let bits = 8 * (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
    let one = if A::BIG_ENDIAN { 1 << (8 * A::Word::BYTES - 1) } else { 0x80 };
    let (one, bits) = (splat(A::Word::truncate(one)), splat(A::Word::truncate(bits)));
    let length_at = if A::BIG_ENDIAN { 15 } else { 14 };
    each!(i in 16 => {
        if i < digest_words {
            inner[i % 8]
        } else if i == digest_words {
            one
        } else if i == length_at {
            bits
        } else {
            zero
        }
    })
}

impl<W: Word> SingleKernel<W> {
    /// Advances `state` over `data`, which is a whole number of blocks.
    pub(crate) fn absorb(&self, state: &mut State<W>, data: &[u8]) {
        let block = 16 * W::BYTES;
        assert!(data.len().is_multiple_of(block), "whole blocks only");
        // SAFETY: a SingleKernel is only made for a CPU that has its instructions; both slices are live.
        unsafe { (self.one)(state.as_mut_ptr(), data.as_ptr(), data.len() / block) }
    }
}
