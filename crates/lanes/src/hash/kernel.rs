//! The contract of hash kernels, their generic bodies, and how a kernel is chosen.

use super::tail::Tail;
use super::{Compression, Hash, State};
use crate::vector::{MAX_LANES, Pads, Vector, Word, each};

/// Advances every lane by `blocks` blocks.
///
/// # Safety
/// The CPU has the kernel's instruction set. `states` and `data` are readable for as many pointers
/// as the kernel has lanes; each of the first is readable and writable for eight words, each of the
/// second readable for `blocks` blocks, at any alignment.
pub type WideRun<W> = unsafe fn(states: *const *mut W, data: *const *const u8, blocks: usize);

/// Takes a message to its end in every lane: `shape` says how far that is.
///
/// Lanes `first..first + LANES` of the messages are meant, which is how a kernel of few lanes takes
/// a part of them.
///
/// # Safety
/// The CPU has the kernel's instruction set, and the messages have so many lanes. Of each lane,
/// `start` is readable for eight words, and `state` is writable; `data` is readable for
/// `shape.blocks` blocks and `tail` for `shape.tail`, or for `rest` bytes where the kernel pads, at
/// any alignment; where there is an outer hash, `outer` is readable for eight words.
pub(crate) type WideFinish<W> = unsafe fn(messages: &Messages<W>, first: usize, shape: Shape);

/// The shape that messages must share to go through all stages side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whole blocks.
    pub(crate) blocks: usize,
    /// Blocks of the padded end.
    pub(crate) tail: usize,
    /// Whether HMAC's outer hash follows.
    pub(crate) hmac: bool,
}

impl Shape {
    /// Blocks in all.
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
    /// With this state in every lane, and no data.
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
    pub(crate) fn pad<A: Hash<Word = W>>(
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

    /// Makes lanes `count..to` read what the first does.
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
/// The CPU has the kernel's instruction set. `state` is readable and writable for eight words,
/// `data` readable for `blocks` blocks.
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
    /// Messages to their end.
    pub(crate) finish: WideFinish<W>,
    /// Whether `finish` pads messages itself, and needs no padded end in memory.
    pub(crate) pads: bool,
}

/// The kernel for few buffers: one, or two interleaved where that is faster than one after the
/// other.
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

/// What the common body of a [`WideRun`] and a [`WideFinish`] works on.
#[derive(Clone, Copy)]
pub(crate) struct Task<W> {
    /// The state that each lane starts from.
    start: *const *const W,
    /// Its whole blocks.
    data: *const *const u8,
    /// Where the state goes that it ends with.
    state: *const *mut W,
    /// All messages, and which lane of them is the first; null where whole blocks are all.
    messages: *const Messages<W>,
    first: usize,
    /// How far the lanes go.
    shape: Shape,
    /// Bytes of a digest.
    digest_len: usize,
}

impl<W> Task<W> {
    /// What a [`WideRun`] is given.
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

    /// What a [`WideFinish`] of `A` is given.
    #[inline(always)]
    pub(crate) fn finish<A: Hash<Word = W>>(
        messages: &Messages<W>,
        first: usize,
        shape: Shape,
    ) -> Self {
        const { assert!(A::DIGEST_LEN == whole::<A>() || A::DIGEST_LEN == shorter::<A>()) };
        Task {
            start: messages.start[first..].as_ptr(),
            data: messages.data[first..].as_ptr(),
            state: messages.state[first..].as_ptr(),
            messages,
            first,
            shape,
            digest_len: A::DIGEST_LEN,
        }
    }
}

/// The body of every [`WideRun`] and [`WideFinish`]. For HMAC's outer hash the inner digest is
/// already in the lanes' words, so that its block is never written out. All blocks go through the
/// same code, which is long; so do hashes that differ in no more than the length of the digest.
///
/// # Safety
/// The contract of [`WideRun`] or [`WideFinish`], and V's instruction set.
#[inline(always)]
pub(crate) unsafe fn advance<V: Vector, C: Compression<Word = V::Word>, P: Padding<V>>(
    task: &Task<V::Word>,
) {
    let Task { start, data, state, messages, first, shape, digest_len } = *task;
    // SAFETY: the caller vouches for V's instruction set, the states and the data, and for the
    // messages where more than whole blocks are asked for.
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

/// Bytes of a digest that is the whole state.
const fn whole<C: Compression>() -> usize {
    C::STATE_WORDS * C::Word::BYTES
}

/// Bytes of the digest of SHA-224 or SHA-384, which is a part of the state.
const fn shorter<C: Compression>() -> usize {
    match (C::STATE_WORDS, C::Word::BYTES) {
        (8, 4) => 28,
        (8, 8) => 48,
        _ => whole::<C>(),
    }
}

/// Where a kernel has the padded ends of messages from.
pub(crate) trait Padding<V: Vector> {
    /// A block of every lane's padded end, which has `tail` blocks.
    ///
    /// # Safety
    /// The contract of [`WideFinish`], and V's instruction set.
    unsafe fn load<C: Compression<Word = V::Word>>(
        messages: &Messages<V::Word>,
        first: usize,
        block: usize,
        tail: usize,
    ) -> [V; 16];
}

/// They were built in memory.
pub(crate) struct Built;

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
        // SAFETY: the caller's.
        unsafe { load::<V, C>(messages.tail[first..].as_ptr(), block) }
    }
}

/// The kernel pads what is left of the messages.
#[allow(dead_code, reason = "not every architecture has masked loads")]
pub(crate) struct InRegisters;

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
        // SAFETY: the caller's; `LANES` numbers and words from the first lane on.
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

/// The words of HMAC's outer block behind the digest.
#[allow(dead_code, reason = "only hash instructions need it")]
#[inline(always)]
pub(crate) fn outer_padding<A: Hash>() -> [A::Word; 16] {
    let zero = A::Word::default();
    pad_outer::<A, A::Word>([zero; 8], A::DIGEST_LEN, zero, |word| word)
}

/// The word that begins with the byte that ends a message.
#[inline(always)]
fn end_mark<C: Compression>() -> C::Word {
    C::Word::truncate(if C::BIG_ENDIAN { 1 << (8 * C::Word::BYTES - 1) } else { 0x80 })
}

/// A digest in its first words, padded as the end of HMAC's outer message: one block of key and the
/// digest.
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
    pub(crate) fn absorb(&self, state: &mut State<W>, data: &[u8]) {
        let block = 16 * W::BYTES;
        assert!(data.len().is_multiple_of(block), "whole blocks only");
        // SAFETY: a SingleKernel is only made for a CPU that has its instructions; both slices are
        // live.
        unsafe { (self.one)(state.as_mut_ptr(), data.as_ptr(), data.len() / block) }
    }
}
