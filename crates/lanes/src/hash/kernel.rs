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

/// The outer hash of HMAC for every lane: `states` hold the inner digests and become the outer ones,
/// starting from `outer`.
///
/// # Safety
/// As for [`WideRun`]; the pointers at `outer` are readable for eight words each.
pub type WideOuter<W> = unsafe fn(states: *const *mut W, outer: *const *const W);

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
    /// The outer hash of HMAC.
    pub(crate) outer: WideOuter<W>,
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
            let offset = block * C::BLOCK_LEN;
            let words = if C::BIG_ENDIAN {
                V::load_block::<true>(data, offset)
            } else {
                V::load_block::<false>(data, offset)
            };
            C::compress(&mut rows, words);
        }
        V::scatter(&rows, states);
    }
}

/// The body of every [`WideOuter`]: the digest is already in the lanes' words, so the block is never
/// written out.
///
/// # Safety
/// The contract of [`WideOuter`], and V's instruction set.
#[inline(always)]
pub(crate) unsafe fn outer<V: Vector, A: Hash<Word = V::Word>>(
    states: *const *mut V::Word,
    outer: *const *const V::Word,
) {
    // SAFETY: the caller vouches for V's instruction set and for the states.
    unsafe {
        let zero = V::splat(A::Word::default());
        let block = pad_outer::<A, V>(V::gather(states.cast()), zero, |word| V::splat(word));
        let mut rows = V::gather(outer);
        A::compress(&mut rows, block);
        V::scatter(&rows, states);
    }
}

/// The one block of HMAC's outer hash, in the order of bytes that a message has in memory.
#[inline(always)]
pub(crate) fn outer_block<A: Hash>(inner: &State<A::Word>) -> [A::Word; 16] {
    let zero = A::Word::default();
    let block = pad_outer::<A, A::Word>(*inner, zero, |word| word);
    each!(i in 16 => block[i].ordered(A::BIG_ENDIAN))
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
