//! SHA-1 and SHA-2 on two vectors of 512 bits at once: 32 buffers of 32-bit words, or 16 buffers of
//! 64-bit words.
//!
//! On AMD Zen 5 every vector instruction takes two cycles, and four can start in one. A round of
//! SHA-2 is a chain of four or five such instructions, a round of SHA-1 of two. So the chain of one
//! vector leaves half of the pipes idle, and a second vector fills them: each instruction stands
//! beside the same instruction for the other vector.
//!
//! The states of two vectors fill sixteen registers. The sixteen words of a block do not fit beside
//! them, and are in memory: for each word 128 bytes, half of them for each vector, 2 KiB in all.
//! There are two such blocks of words, `words` and `next`:
//!
//! ```text
//! absorb(states, data, blocks):
//!     words = block 0 of every buffer, in lanes
//!     for each later block:
//!         block_and_take: the rounds of `words`, while the later block is put into `next`
//!         swap words and next
//!     block: the rounds of `words`
//!
//! the rounds of a block of SHA-256 (48 and 16; of SHA-512, 64 and 16):
//!     for t in 0..48:   round with words[t % 16], and beside it
//!                       words[t % 16] += sigma0(words[t + 1]) + words[t + 9] + sigma1(words[t + 14])
//!     for t in 48..64:  round with words[t % 16], and beside it, in steps:
//!                       load 16 bytes of four buffers, reverse their bytes,
//!                       transpose four registers, and store four words of `next`
//! ```
//!
//! Each word makes way for the word sixteen rounds on, so the last sixteen rounds make no words.
//! Their idle pipes bring the next block into lanes: 32 buffers of 64 bytes are 128 loads of 16
//! bytes, eight in each of the sixteen rounds.
//!
//! In the compiler's order, and with its choice of registers, most registers would spill. So the
//! rounds are assembly, whose text macros put together: `text.rs` has the parts that SHA-1 and
//! SHA-2 share.

#[macro_use]
mod text;

mod sha1;
mod sha2;

use core::mem::MaybeUninit;

use crate::arch::compile::align_frame;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::compression::Compression;
use crate::kernels::hash::kernel::{self, InRegisters, Padding};
use crate::kernels::hash::kernel::{HashKernel, Messages, Shape};
use crate::vector::{Pads, Pair, Vector, Word, each};

/// Returns the kernel of a hash, for many buffers.
pub(in crate::arch) const fn kernel<A: Hash<Core: Rounds>>() -> HashKernel<A::Word> {
    HashKernel {
        name: "avx512",
        lanes: 2 * <A::Core as Rounds>::V::LANES,
        run: run::<A::Core>,
        finish: finish::<A>,
        pads: InRegisters::IN_REGISTERS,
    }
}

/// The rounds of a hash on two vectors.
///
/// # Safety
/// The methods read no more memory than their contracts say, and write only `words` and `next`.
pub(in crate::arch) unsafe trait Rounds: Compression {
    /// One of the two vectors.
    type V: Pads<Word = Self::Word>;

    /// Advances the states by the block whose words these are. The words are changed. It is not
    /// inlined, so that there is one copy of this code, for the ends of messages and the last of
    /// whole blocks.
    ///
    /// # Safety
    /// - The CPU has AVX-512 F, BW, DQ and VL, BMI1 and BMI2.
    /// - `words` has been written, and is writable.
    unsafe fn block(rows: &mut [Pair<Self::V>; 8], words: *mut Words);

    /// Does the same, and puts the next block's words to `next`: the bytes of all lanes from
    /// `offset` on.
    ///
    /// # Safety
    /// - The conditions of [`block`](Self::block).
    /// - `data` is readable for as many pointers as there are lanes, and each of these for a block
    ///   from `offset` on.
    /// - `next` is writable, and is not `words`.
    unsafe fn block_and_take(
        rows: &mut [Pair<Self::V>; 8],
        words: *mut Words,
        data: *const *const u8,
        offset: usize,
        next: *mut Words,
    );
}

/// The words of a block, each in a lane for each buffer.
#[repr(C, align(64))]
pub(in crate::arch) struct Words([[u8; 128]; 16]);

impl Words {
    /// Returns the place of a word of one of the two vectors.
    ///
    /// # Safety
    /// `words` is writable, `i` is less than 16, and `half` is less than 2.
    #[inline(always)]
    unsafe fn place<W: Word>(words: *mut Words, i: usize, half: usize) -> *mut W {
        // SAFETY: `i` and `half` are in range, by this function's contract, and a vector has 64
        // bytes, so the place lies within the words.
        unsafe { words.cast::<u8>().add(128 * i + 64 * half).cast() }
    }
}

/// The order of bytes in a register, for `vpshufb`.
#[repr(C, align(64))]
struct WordOrder([u8; 64]);

impl WordOrder {
    /// Returns the order that reverses words of `bytes` bytes.
    const fn reversed(bytes: usize) -> Self {
        let mut order = [0; 64];
        let mut i = 0;
        while i < 64 {
            order[i] = ((i % 16) ^ (bytes - 1)) as u8;
            i += 1;
        }
        WordOrder(order)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn run<C: Rounds>(states: *const *mut C::Word, data: *const *const u8, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `WideRun` for the lanes of two vectors, and this
    // function enables the instructions.
    unsafe {
        let mut rows = Pair::<C::V>::gather(states.cast());
        absorb::<C>(&mut rows, data, blocks);
        Pair::scatter(&rows, states);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn finish<A: Hash<Core: Rounds>>(messages: &Messages<A::Word>, first: usize, shape: Shape) {
    align_frame!();
    let mut words = MaybeUninit::uninit();
    let words: *mut Words = words.as_mut_ptr();
    // SAFETY: the arguments fulfil the contract of `WideFinish` for the lanes of two vectors, where
    // the second vector's lanes follow those of the first, and this function enables the
    // instructions; `put` writes both halves of `words` before `block` reads them.
    unsafe {
        let mut rows = Pair::<Of<A>>::gather(messages.start[first..].as_ptr());
        absorb::<A::Core>(&mut rows, messages.data[first..].as_ptr(), shape.blocks);
        for step in 0..shape.tail + usize::from(shape.hmac) {
            if step < shape.tail {
                for half in 0..2 {
                    let first = first + half * <Of<A>>::LANES;
                    let block: [Of<A>; 16] =
                        InRegisters::load::<A>(messages, first, step, shape.tail);
                    put(words, block, half);
                }
            } else {
                let outer = Pair::<Of<A>>::gather(messages.outer[first..].as_ptr());
                let inner = core::mem::replace(&mut rows, outer);
                for half in 0..2 {
                    let inner = each!(i in 8 => inner[i].half(half));
                    let zero = <Of<A>>::splat(A::Word::default());
                    let block = kernel::pad_outer::<A, Of<A>>(inner, A::DIGEST_LEN, zero, |word| {
                        <Of<A>>::splat(word)
                    });
                    put(words, block, half);
                }
            }
            A::Core::block(&mut rows, words);
        }
        Pair::scatter(&rows, messages.state[first..].as_ptr());
    }
}

/// One of the two vectors of a hash.
type Of<A> = <<A as Hash>::Core as Rounds>::V;

/// Advances the states by `blocks` blocks. It is not inlined, so that there is one copy of this
/// code.
///
/// # Safety
/// - The CPU has AVX-512 F, BW, DQ and VL, BMI1 and BMI2.
/// - `data` is readable for as many pointers as two vectors have lanes, and each of these for
///   `blocks` blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn absorb<C: Rounds>(rows: &mut [Pair<C::V>; 8], data: *const *const u8, blocks: usize) {
    if blocks == 0 {
        return;
    }
    align_frame!();
    let (mut one, mut other) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let (mut words, mut next): (*mut Words, *mut Words) = (one.as_mut_ptr(), other.as_mut_ptr());
    // SAFETY: `data` has `blocks` blocks in every lane, by this function's contract. The words of a
    // block are written by `put`, or by `block_and_take` while the block before it is compressed.
    unsafe {
        for half in 0..2 {
            put(words, C::V::load_block::<true>(data.add(half * C::V::LANES), 0), half);
        }
        for block in 1..blocks {
            let offset = block * C::BLOCK_LEN;
            C::block_and_take(rows, words, data, offset, next);
            core::mem::swap(&mut words, &mut next);
        }
        C::block(rows, words);
    }
}

/// Stores the words of one of the two vectors.
///
/// # Safety
/// - The CPU has AVX-512 F.
/// - `words` is writable, and `half` is less than 2.
#[inline(always)]
unsafe fn put<V: Vector>(words: *mut Words, block: [V; 16], half: usize) {
    // SAFETY: `words` is writable and `half` less than 2, by this function's contract, and there is
    // a place for each of the sixteen words.
    unsafe {
        each!(i in 16 => block[i].store(Words::place(words, i, half)));
    }
}
