//! SHA-1 and SHA-2 on two vectors of 512 bits at once: 32 buffers of 32-bit words, or 16 of 64-bit
//! words.
//!
//! On AMD Zen 5 every vector instruction takes two cycles, and four can start in one. A round of
//! SHA-2 is a chain of four or five such instructions, a round of SHA-1 of two. So the chain of one
//! vector leaves half of the pipes idle, and a second vector fills them.
//!
//! The states of two vectors fill sixteen registers. Message words do not fit beside them: they are
//! in memory, and each word makes way for the word sixteen rounds on. The last sixteen rounds of a
//! block make no words; meanwhile, the next block is brought into lanes.
//!
//! Each instruction stands beside the same instruction for the other vector. In the compiler's
//! order, and with its choice of registers, most of them would spill. So the rounds are assembly.

#[macro_use]
mod text;

mod sha1;
mod sha2;

use core::mem::MaybeUninit;

use crate::arch::compile::align_frame;
use crate::hash::kernel::{self, InRegisters, Padding};
use crate::hash::{Compression, Hash, HashKernel, Messages, Shape};
use crate::vector::{Pads, Pair, Vector, Word, each};

/// The kernel of a hash, for many buffers.
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
/// The methods read no more of memory than their contracts say, and write `words` and `next` only.
pub(in crate::arch) unsafe trait Rounds: Compression {
    /// One of the two vectors.
    type V: Pads<Word = Self::Word>;

    /// Advances the states by the block whose words these are. The words are changed. Not inlined:
    /// there is one copy of this code, for the ends of messages and the last of whole blocks.
    ///
    /// # Safety
    /// AVX-512 F, BW, DQ and VL; the words are there.
    unsafe fn block(rows: &mut [Pair<Self::V>; 8], words: *mut Words);

    /// The same, and the next block's words are put to `next`: the bytes of all lanes from `offset`
    /// on.
    ///
    /// # Safety
    /// As [`block`](Self::block); as many pointers as there are lanes, each readable for a block
    /// there; `next` is writable.
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
    /// Where a word of one of the two vectors is.
    ///
    /// # Safety
    /// `words` is writable, `i` less than 16 and `half` less than two.
    #[inline(always)]
    unsafe fn place<W: Word>(words: *mut Words, i: usize, half: usize) -> *mut W {
        // SAFETY: the caller's; a vector has 64 bytes.
        unsafe { words.cast::<u8>().add(128 * i + 64 * half).cast() }
    }
}

/// The order of bytes in a register, for `vpshufb`.
#[repr(C, align(64))]
struct Order([u8; 64]);

impl Order {
    /// That which reverses words of so many bytes.
    const fn reversed(bytes: usize) -> Self {
        let mut order = [0; 64];
        let mut i = 0;
        while i < 64 {
            order[i] = ((i % 16) ^ (bytes - 1)) as u8;
            i += 1;
        }
        Order(order)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn run<C: Rounds>(states: *const *mut C::Word, data: *const *const u8, blocks: usize) {
    align_frame!();
    // SAFETY: the same contract.
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
    // SAFETY: the same contract; a vector's lanes follow those of the other.
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

/// Advances the states by `blocks` blocks. Not inlined: there is one copy of this code.
///
/// # Safety
/// AVX-512 F, BW, DQ and VL; as many pointers as there are lanes, each readable for so many blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn absorb<C: Rounds>(rows: &mut [Pair<C::V>; 8], data: *const *const u8, blocks: usize) {
    if blocks == 0 {
        return;
    }
    align_frame!();
    let (mut one, mut other) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let (mut words, mut next): (*mut Words, *mut Words) = (one.as_mut_ptr(), other.as_mut_ptr());
    // SAFETY: the caller's; the words of a block are there before it is its turn.
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
/// AVX-512 F; `words` is writable, `half` less than two.
#[inline(always)]
unsafe fn put<V: Vector>(words: *mut Words, block: [V; 16], half: usize) {
    // SAFETY: the caller's; there are sixteen words of two vectors.
    unsafe {
        each!(i in 16 => block[i].store(Words::place(words, i, half)));
    }
}
