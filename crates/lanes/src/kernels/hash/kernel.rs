//! The contract of hash kernels, their generic bodies, and how a kernel is chosen.

use super::compression::{Compression, HashState};
use super::tail::Tail;
use crate::vector::{MAX_LANES, Pads, Vector, Word, each};

/// Advances every lane by `blocks` blocks.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `states` and `data` are readable for as many pointers as the kernel has lanes.
/// - Each pointer of `states` is readable and writable for eight words, and aligned for a word.
///   Lanes whose results are not used may share one.
/// - Each pointer of `data` is readable for `blocks` blocks, at any alignment.
pub type WideRun<W> = unsafe fn(states: *const *mut W, data: *const *const u8, blocks: usize);

/// Takes the message of every lane to the end that `shape` describes. The lanes are `first..first +
/// LANES` of `messages`, so that a kernel of few lanes can take a part of them.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `first + LANES` is at most [`MAX_LANES`].
///
/// In each of these lanes:
/// - `start` is readable and `state` is writable for eight words, and both are aligned for a word.
/// - `data` is readable for `shape.blocks` blocks, at any alignment.
/// - `tail` is readable for `shape.tail` blocks, or for `rest` bytes if the kernel pads, at any
///   alignment; `rest` is less than a block.
/// - `outer` is readable for eight words, and aligned for a word, if `shape.hmac` is set.
pub type WideFinish<W> = unsafe fn(messages: &Messages<W>, first: usize, shape: Shape);

/// The shape that messages must share to go through all stages side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whole blocks.
    pub(crate) blocks: usize,
    /// Blocks of the padded end.
    pub(crate) tail: usize,
    /// `true` if HMAC's outer hash follows.
    pub(crate) hmac: bool,
}

impl Shape {
    /// Returns the number of blocks in all.
    #[inline(always)]
    pub(crate) fn steps(self) -> usize {
        self.blocks + self.tail + usize::from(self.hmac)
    }
}

/// The messages of a [`WideFinish`], a lane each.
pub struct Messages<W> {
    /// The state that each starts from.
    pub(crate) start: [*const W; MAX_LANES],
    /// Its whole blocks.
    pub(crate) data: [*const u8; MAX_LANES],
    /// Its padded end; for a kernel that pads, the bytes behind the whole blocks.
    pub(crate) tail: [*const u8; MAX_LANES],
    /// For a kernel that pads: how many bytes these are, and the last two words of the padded end.
    pub(crate) rest: [u8; MAX_LANES],
    pub(crate) length: [[W; MAX_LANES]; 2],
    /// The state that its outer hash starts from.
    pub(crate) outer: [*const W; MAX_LANES],
    /// Where the state goes that it ends with.
    pub(crate) state: [*mut W; MAX_LANES],
}

impl<W: Word> Messages<W> {
    /// Makes a set with this state in every lane, and no data.
    pub(crate) fn new(state: *mut W) -> Self {
        Messages {
            start: [state; MAX_LANES],
            data: [core::ptr::null(); MAX_LANES],
            tail: [core::ptr::null(); MAX_LANES],
            rest: [0; MAX_LANES],
            length: [[W::default(); MAX_LANES]; 2],
            outer: [state; MAX_LANES],
            state: [state; MAX_LANES],
        }
    }

    /// Has the kernel pad a lane's message of `total` bytes, whose last `rest` bytes are at `tail`.
    #[inline(always)]
    pub(crate) fn pad<A: Compression<Word = W>>(
        &mut self,
        lane: usize,
        tail: *const u8,
        rest: u8,
        total: u64,
    ) {
        self.tail[lane] = tail;
        self.rest[lane] = rest;
        let [first, second] = Tail::length::<A>(total);
        self.length[0][lane] = first;
        self.length[1][lane] = second;
    }

    /// Lets lanes `count..to` read what the first lane reads.
    #[inline(always)]
    pub(crate) fn repeat(&mut self, count: usize, to: usize) {
        for lane in count..to {
            self.start[lane] = self.start[0];
            self.data[lane] = self.data[0];
            self.tail[lane] = self.tail[0];
            self.rest[lane] = self.rest[0];
            self.outer[lane] = self.outer[0];
        }
    }
}

/// Advances one buffer's state by `blocks` blocks.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `state` is readable and writable for eight words, and aligned for a word.
/// - `data` is readable for `blocks` blocks, at any alignment.
pub type SingleRun<W> = unsafe fn(state: *mut W, data: *const u8, blocks: usize);

/// Advances two buffers' states by `blocks` blocks each, interleaved.
///
/// # Safety
/// The conditions of [`SingleRun`] for both buffers; the two states do not overlap.
pub type DoubleRun<W> = unsafe fn(state: [*mut W; 2], data: [*const u8; 2], blocks: usize);

/// Takes one message from its start to its end: its whole blocks, the padded end, and the outer
/// hash of an HMAC. The arguments are the state to start from, the message and its length, the
/// length that the padding states, the state that the outer hash starts from (null if there is
/// none), and the place of the digest.
///
/// # Safety
/// - The CPU has the kernel's instruction set.
/// - `start` is readable for eight words, and so is `outer` unless it is null; both are aligned for
///   a word.
/// - `data` is readable for `len` bytes, and `to` is writable for a digest, at any alignment.
/// - `total - len` is a whole number of blocks, and `total` is not below `len`.
pub(crate) type LoneRun<W> = unsafe fn(
    start: *const W,
    data: *const u8,
    len: usize,
    total: u64,
    outer: *const W,
    to: *mut u8,
);

/// A kernel that fills a vector: many lanes, one instruction stream.
#[derive(Clone, Copy)]
pub struct HashKernel<W> {
    /// The instruction set.
    pub name: &'static str,
    /// Lanes it advances, at most [`MAX_LANES`](crate::vector::MAX_LANES).
    pub lanes: usize,
    /// Whole blocks.
    pub(crate) run: WideRun<W>,
    /// Messages to their end.
    pub(crate) finish: WideFinish<W>,
    /// `true` if `finish` pads messages itself, and needs no padded end in memory.
    pub(crate) pads: bool,
}

/// The kernel for few buffers: one, or two interleaved where that is faster than one after the
/// other.
#[derive(Clone, Copy)]
pub struct SingleKernel<W> {
    /// The instruction set.
    pub name: &'static str,
    /// One buffer.
    pub one: SingleRun<W>,
    /// Two buffers.
    pub two: Option<DoubleRun<W>>,
}

/// Is the body of every [`WideRun`].
///
/// # Safety
/// The conditions of [`WideRun`], for the lanes of `V`; the CPU has V's instruction set.
#[inline(always)]
pub(crate) unsafe fn run<V: Vector, C: Compression<Word = V::Word>>(
    states: *const *mut V::Word,
    data: *const *const u8,
    blocks: usize,
) {
    // SAFETY: by the contract of [`WideRun`] every pointer of `states` is readable and writable for
    // eight words, and every pointer of `data` for `blocks` blocks, which `block` counts; V's
    // instruction set is there.
    unsafe {
        let mut rows = V::gather(states.cast());
        for block in 0..blocks {
            C::compress(&mut rows, load::<V, C>(data, block));
        }
        V::scatter(&rows, states);
    }
}

/// The arguments of a [`WideRun`] or a [`WideFinish`], in the form that their common body takes.
#[derive(Clone, Copy)]
pub struct Task<W> {
    /// The state that each lane starts from.
    pub(super) start: *const *const W,
    /// Its whole blocks.
    pub(super) data: *const *const u8,
    /// Where the state goes that it ends with.
    pub(super) state: *const *mut W,
    /// All messages; null if whole blocks are all.
    pub(super) messages: *const Messages<W>,
    pub(super) first: usize,
    /// How far the lanes go.
    pub(super) shape: Shape,
    /// Bytes of a digest.
    pub(super) digest_len: usize,
}

impl<W> Task<W> {
    /// Makes the task of a [`WideRun`] from its arguments.
    #[inline(always)]
    pub(crate) fn run(states: *const *mut W, data: *const *const u8, blocks: usize) -> Self {
        Task {
            start: states.cast(),
            data,
            state: states,
            messages: core::ptr::null(),
            first: 0,
            shape: Shape { blocks, tail: 0, hmac: false },
            digest_len: 0,
        }
    }
}

/// Is the body of every [`WideRun`] and [`WideFinish`]. For HMAC's outer hash the inner digest is
/// already in the lanes' words, so that its block is never written out. All blocks go through the
/// same code, which is long; so do hashes that differ in no more than the length of the digest.
///
/// # Safety
/// `task` was made by [`Task::run`] from arguments that fulfil the contract of [`WideRun`], or by
/// [`Task::finish`] from arguments that fulfil the contract of [`WideFinish`], for the lanes of
/// `V`; the CPU has V's instruction set.
#[inline(always)]
pub(crate) unsafe fn advance<V: Vector, C: Compression<Word = V::Word>, P: Padding<V>>(
    task: &Task<V::Word>,
) {
    let Task { start, data, state, messages, first, shape, digest_len } = *task;
    // SAFETY: `start`, `state` and `data` are as the contract of [`WideRun`] or [`WideFinish`]
    // says, for as many blocks as `shape` has. `messages` is null only in a task of [`Task::run`],
    // whose shape has neither a tail nor an outer hash, so that `messages` is not read.
    unsafe {
        let mut rows = V::gather(start);
        for step in 0..shape.steps() {
            let words = if step < shape.blocks {
                load::<V, C>(data, step)
            } else if step < shape.blocks + shape.tail {
                P::load::<C>(&*messages, first, step - shape.blocks, shape.tail)
            } else {
                let zero = V::splat(C::Word::default());
                let outer = (&(*messages).outer)[first..].as_ptr();
                let inner = core::mem::replace(&mut rows, V::gather(outer));
                // Either way the length is a constant.
                if digest_len == const { shorter::<C>() } {
                    pad_outer::<C, V>(inner, shorter::<C>(), zero, |word| V::splat(word))
                } else {
                    pad_outer::<C, V>(inner, whole::<C>(), zero, |word| V::splat(word))
                }
            };
            C::compress(&mut rows, words);
        }
        V::scatter(&rows, state);
    }
}

/// Returns the bytes of a digest that is the whole state.
pub(super) const fn whole<C: Compression>() -> usize {
    C::STATE_WORDS * C::Word::BYTES
}

/// Returns the bytes of the digest of SHA-224 or SHA-384, which is a part of the state.
pub(super) const fn shorter<C: Compression>() -> usize {
    match (C::STATE_WORDS, C::Word::BYTES) {
        (8, 4) => 28,
        (8, 8) => 48,
        _ => whole::<C>(),
    }
}

/// The source of messages' padded ends for a kernel.
pub(crate) trait Padding<V: Vector> {
    /// Returns block number `block` of every lane's padded end, which has `tail` blocks.
    ///
    /// # Safety
    /// The conditions of [`WideFinish`], for the lanes of `V`; `block < tail`; the CPU has V's
    /// instruction set.
    unsafe fn load<C: Compression<Word = V::Word>>(
        messages: &Messages<V::Word>,
        first: usize,
        block: usize,
        tail: usize,
    ) -> [V; 16];
}

/// The padded ends were built in memory.
pub struct Built;

impl Built {
    pub(crate) const IN_REGISTERS: bool = false;
}

impl<V: Vector> Padding<V> for Built {
    #[inline(always)]
    unsafe fn load<C: Compression<Word = V::Word>>(
        messages: &Messages<V::Word>,
        first: usize,
        block: usize,
        _: usize,
    ) -> [V; 16] {
        // SAFETY: by the contract of [`WideFinish`] the pointers of `tail`, from lane `first` on,
        // are readable for all blocks of the padded end, of which `block` is one.
        unsafe { load::<V, C>(messages.tail[first..].as_ptr(), block) }
    }
}

/// The kernel pads what is left of the messages.
#[allow(dead_code, reason = "not every architecture has masked loads")]
pub struct InRegisters;

#[allow(dead_code, reason = "not every architecture has masked loads")]
impl InRegisters {
    pub(crate) const IN_REGISTERS: bool = true;
}

impl<V: Pads> Padding<V> for InRegisters {
    #[inline(always)]
    unsafe fn load<C: Compression<Word = V::Word>>(
        messages: &Messages<V::Word>,
        first: usize,
        block: usize,
        tail: usize,
    ) -> [V; 16] {
        // SAFETY: by the contract of [`WideFinish`] the arrays of `messages` hold `LANES` values
        // from lane `first` on, and each pointer of `tail` is readable for the lane's `rest` bytes.
        unsafe {
            let (lanes, lens) = (messages.tail[first..].as_ptr(), &messages.rest[first..]);
            let mut words = [V::splat(C::Word::default()); 16];
            if block > 0 {
                // Nothing but the length is left.
            } else if lens[..V::LANES].iter().all(|len| *len == 0) {
                words[0] = V::splat(end_mark::<C>());
            } else if C::BIG_ENDIAN {
                words = V::load_padded::<true>(lanes, lens.as_ptr());
            } else {
                words = V::load_padded::<false>(lanes, lens.as_ptr());
            }
            if block + 1 == tail {
                words[14] = V::load(messages.length[0][first..].as_ptr());
                words[15] = V::load(messages.length[1][first..].as_ptr());
            }
            words
        }
    }
}

/// Reads block number `block` of every lane's data.
///
/// # Safety
/// - The CPU has V's instruction set.
/// - `data` is readable for `V::LANES` pointers.
/// - Each of these pointers is readable for `block + 1` blocks, at any alignment.
#[inline(always)]
unsafe fn load<V: Vector, C: Compression<Word = V::Word>>(
    data: *const *const u8,
    block: usize,
) -> [V; 16] {
    let offset = block * C::BLOCK_LEN;
    // SAFETY: by this function's contract each of the `V::LANES` pointers is readable for a block,
    // which is sixteen words, from `offset`.
    unsafe {
        if C::BIG_ENDIAN {
            V::load_block::<true>(data, offset)
        } else {
            V::load_block::<false>(data, offset)
        }
    }
}

/// Returns the word that begins with the byte that ends a message.
#[inline(always)]
fn end_mark<C: Compression>() -> C::Word {
    C::Word::truncate(if C::BIG_ENDIAN { 1 << (8 * C::Word::BYTES - 1) } else { 0x80 })
}

/// Returns a digest in its first words, padded as the end of HMAC's outer message: one block of key
/// and the digest.
#[inline(always)]
pub(crate) fn pad_outer<C: Compression, V: Copy>(
    inner: [V; 8],
    digest_len: usize,
    zero: V,
    splat: impl Fn(C::Word) -> V,
) -> [V; 16] {
    let digest_words = digest_len / C::Word::BYTES;
    let bits = 8 * (C::BLOCK_LEN + digest_len) as u64;
    let (one, bits) = (splat(end_mark::<C>()), splat(C::Word::truncate(bits)));
    let length_at = if C::BIG_ENDIAN { 15 } else { 14 };
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
    pub fn absorb(&self, state: &mut HashState<W>, data: &[u8]) {
        let block = 16 * W::BYTES;
        assert!(data.len().is_multiple_of(block), "whole blocks only");
        // SAFETY: a `SingleKernel` is only made for a CPU that has its instructions; `state` has
        // eight words, and `data` is a slice of `data.len() / block` blocks.
        unsafe { (self.one)(state.as_mut_ptr(), data.as_ptr(), data.len() / block) }
    }
}
