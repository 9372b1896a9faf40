//! What advances the lanes: the kernels' contract, their generic bodies, and how one is chosen.

use super::{Compression, Hash, State};
use crate::vector::{Vector, Word, each};

/// The most lanes a kernel has: MD5 on two interleaved 512-bit vectors.
pub(crate) const MAX_LANES: usize = 32;

/// Advances every lane by `blocks` blocks.
///
/// The state of `n` lanes is `STATE_WORDS` rows of `n` words: word `i` of lane `l` is at `i * n + l`.
///
/// # Safety
/// The CPU has the kernel's instruction set. `state` is readable and writable for `8 * lanes` words,
/// `data` readable for `lanes` pointers, and each of those for `blocks` blocks, at any alignment.
pub type WideRun<W> = unsafe fn(state: *mut W, data: *const *const u8, blocks: usize);

/// The outer hash of HMAC for every lane: `state` holds the inner states and becomes the outer ones,
/// starting from `outer`, both laid out as for [`WideRun`].
///
/// # Safety
/// As for [`WideRun`]; `outer` is readable for `8 * lanes` words.
pub type WideOuter<W> = unsafe fn(state: *mut W, outer: *const W);

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
    /// Lanes it advances, at most [`MAX_LANES`].
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
    state: *mut V::Word,
    data: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for V's instruction set, the state and the data.
    unsafe {
        let mut rows = load_rows::<V, C>(state);
        for block in 0..blocks {
            let offset = block * C::BLOCK_LEN;
            let words = if C::BIG_ENDIAN {
                V::load_block::<true>(data, offset)
            } else {
                V::load_block::<false>(data, offset)
            };
            C::compress(&mut rows, words);
        }
        store_rows::<V, C>(&rows, state);
    }
}

/// The body of every [`WideOuter`]: the digest is already in the lanes' words, so the block is never
/// written out. Its length is that of the outer pad's block and the digest.
///
/// # Safety
/// The contract of [`WideOuter`], and V's instruction set.
#[inline(always)]
pub(crate) unsafe fn outer<V: Vector, A: Hash<Word = V::Word>>(
    state: *mut V::Word,
    outer: *const V::Word,
) {
    // SAFETY: the caller vouches for V's instruction set and for the rows.
    unsafe {
        let zero = V::splat(A::Word::default());
        let block = pad_outer::<A, V>(load_rows::<V, A>(state), zero, |word| V::splat(word));
        let mut rows = load_rows::<V, A>(outer);
        A::compress(&mut rows, block);
        store_rows::<V, A>(&rows, state);
    }
}

/// # Safety
/// V's instruction set; `8 * V::LANES` readable words.
#[inline(always)]
unsafe fn load_rows<V: Vector, C: Compression>(state: *const V::Word) -> [V; 8] {
    // SAFETY: the caller vouches for both.
    unsafe {
        let mut rows = [V::load(state); 8];
        for (i, row) in rows.iter_mut().enumerate().take(C::STATE_WORDS) {
            *row = V::load(state.add(i * V::LANES));
        }
        rows
    }
}

/// # Safety
/// `8 * V::LANES` writable words.
#[inline(always)]
unsafe fn store_rows<V: Vector, C: Compression>(rows: &[V; 8], state: *mut V::Word) {
    for (i, row) in rows.iter().enumerate().take(C::STATE_WORDS) {
        // SAFETY: the caller vouches for the words.
        unsafe { row.store(state.add(i * V::LANES)) };
    }
}

/// The states of four lanes, out of their rows.
///
/// # Safety
/// `rows` is readable for 32 words.
#[inline(always)]
pub(crate) unsafe fn columns<W: Word>(rows: *const W) -> [State<W>; 4] {
    // SAFETY: the caller vouches for the words.
    unsafe { each!(lane in 4 => each!(i in 8 => *rows.add(i * 4 + lane))) }
}

/// The states of four lanes, into their rows.
///
/// # Safety
/// `rows` is writable for 32 words.
#[inline(always)]
pub(crate) unsafe fn put_columns<W: Word>(rows: *mut W, states: &[State<W>; 4]) {
    // SAFETY: the caller vouches for the words.
    unsafe { rows.cast::<[[W; 4]; 8]>().write(each!(i in 8 => each!(lane in 4 => states[lane][i]))) }
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
    let mut block = [zero; 16];
    block[..digest_words].copy_from_slice(&inner[..digest_words]);
    let one = if A::BIG_ENDIAN { 1 << (8 * A::Word::BYTES - 1) } else { 0x80 };
    block[digest_words] = splat(A::Word::truncate(one));
    block[if A::BIG_ENDIAN { 15 } else { 14 }] = splat(A::Word::truncate(bits));
    block
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
