//! SHA-256 of eight buffers on x86-64: the rounds by the SHA instructions, and beside them the
//! message schedule by vectors of 256 bits, a lane for each buffer.
//!
//! On AMD Zen 4 a `sha256rnds2` can start every cycle, and 32 of them are a block. The instructions
//! of the schedule would take as long again, since they share ports with the rounds; shifts,
//! additions and logic on eight buffers fit into what the rounds leave idle. Eight buffers give the
//! rounds twice the work that their latency needs.
//!
//! A block is one piece of assembly, because registers are short: the SHA instructions know the
//! first sixteen only, and eight buffers have as many in states, beside the one that these
//! instructions always read. So one of the states rests in a high register, and all of the schedule
//! is in those. What goes from the schedule to the rounds, goes through memory.
//!
//! The shifts of the schedule have two of four ports, and the rounds have one of the two. So the
//! schedule is spread evenly over the rounds of all sixteen groups of four words: six words are
//! made between the rounds of two groups, and the first four that a block needs, words 16 to 19,
//! between the last rounds of the block before. By then that has taken the block, a group between
//! the rounds of four; so there are two blocks' words at a time.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::{MaybeUninit, offset_of, swap};

use crate::arch::compile::align_frame;
use crate::arch::x86_64::common::sha::Sha256State;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::kernel::{HashKernel, Messages, Shape};
use crate::kernels::hash::sha256::K;
use crate::vector::each;

/// Returns the kernel of SHA-224 and SHA-256 for many buffers.
pub(crate) const fn kernel<A: Hash<Word = u32>>() -> HashKernel<u32> {
    HashKernel { name: "sha-ni, avx512", lanes: 8, run, finish: finish::<A>, pads: false }
}

#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn run(states: *const *mut u32, data: *const *const u8, blocks: usize) {
    align_frame!();
    if blocks == 0 {
        return;
    }
    // SAFETY: the arguments fulfil the contract of `WideRun` for eight lanes, there is a block, and
    // this function enables the instructions.
    unsafe {
        let mut buffers = Eight::load(states.cast());
        buffers.compress(&WordSource { data, blocks, tail: data, tail_blocks: 0 });
        buffers.store(states);
    }
}

#[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn finish<A: Hash<Word = u32>>(messages: &Messages<u32>, first: usize, shape: Shape) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `WideFinish` for eight lanes, and this function
    // enables the instructions; a padded end has a block at least. The outer blocks are in `outer`,
    // a block of 64 bytes for each lane.
    unsafe {
        let mut buffers = Eight::load(messages.start[first..].as_ptr());
        buffers.compress(&WordSource {
            data: messages.data[first..].as_ptr(),
            blocks: shape.blocks,
            tail: messages.tail[first..].as_ptr(),
            tail_blocks: shape.tail,
        });
        if shape.hmac {
            let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
            let outer = each!(b in 8 => {
                let block = buffers.0[b].outer_block::<A>();
                each!(i in 4 => _mm_shuffle_epi8(block[i], swap))
            });
            let data = each!(b in 8 => (&raw const outer[b]).cast::<u8>());
            let data = data.as_ptr();
            buffers = Eight::load(messages.outer[first..].as_ptr());
            buffers.compress(&WordSource { data, blocks: 1, tail: data, tail_blocks: 0 });
        }
        buffers.store(messages.state[first..].as_ptr());
    }
}

/// Bytes of a block.
const BLOCK: usize = 64;

/// Blocks of eight buffers: those of `data`, then those of `tail`.
struct WordSource {
    data: *const *const u8,
    blocks: usize,
    tail: *const *const u8,
    tail_blocks: usize,
}

impl WordSource {
    /// Returns the place of a block: the pointers to the buffers, and the offset in each.
    #[inline(always)]
    fn at(&self, block: usize) -> (*const *const u8, usize) {
        if block < self.blocks {
            (self.data, BLOCK * block)
        } else {
            (self.tail, BLOCK * (block - self.blocks))
        }
    }
}

/// The words of a block in eight buffers.
#[repr(C, align(64))]
struct Words {
    /// All of the schedule, a lane for each buffer: 0, 2, 4, 6, 1, 3, 5 and 7.
    schedule: [[u32; 8]; 64],
    /// The same with the round constants added. The first four groups of four words are as they
    /// were taken, a buffer after the other; the others are in pairs, for the buffers 0, 2, 1, 3,
    /// 4, 6, 5 and 7.
    summed: [[u32; 32]; 16],
}

/// The values that the assembly reads from memory.
#[repr(C, align(64))]
struct Constants {
    /// The order of bytes, for `vpshufb`.
    swap: [u32; 8],
    /// The round constants of four words, for two buffers.
    taken: [[u32; 8]; 4],
    /// The others.
    made: [u32; 48],
}

static CONSTANTS: Constants = {
    let mut constants = Constants { swap: [0; 8], taken: [[0; 8]; 4], made: [0; 48] };
    let mut i = 0;
    while i < 64 {
        if i < 16 {
            constants.taken[i / 4][i % 4] = K[i];
            constants.taken[i / 4][i % 4 + 4] = K[i];
        } else {
            constants.made[i - 16] = K[i];
        }
        i += 1;
    }
    constants.swap = [
        0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607, 0x08090a0b,
        0x0c0d0e0f,
    ];
    constants
};

/// Takes a block of each buffer, and makes the words of the schedule that are made ahead.
///
/// Two buffers share a register, and four registers are transposed within their halves; that gives
/// the lanes their order, and the pairs theirs.
///
/// # Safety
/// - The CPU has AVX-512 F and VL.
/// - `data` is readable for eight pointers, and each of these for 64 bytes from `offset` on.
/// - `words` is writable.
#[inline(always)]
unsafe fn begin(words: *mut Words, data: *const *const u8, offset: usize) {
    // SAFETY: `words` is writable and the buffers are readable for the block, by this function's
    // contract. `schedule` has 64 registers, of which 20 are written, and `summed` has four for
    // each of sixteen groups, of which the first 20 are written.
    unsafe {
        let schedule = (&raw mut (*words).schedule).cast::<__m256i>();
        let summed = (&raw mut (*words).summed).cast::<__m256i>();
        let swap = _mm256_load_si256((&raw const CONSTANTS.swap).cast());
        let mut w = [_mm256_setzero_si256(); 20];
        for group in 0..4 {
            let at = offset + 16 * group;
            let part = |buffer: usize| _mm_loadu_si128((*data.add(buffer)).add(at).cast());
            let [r0, r1, r2, r3] = each!(i in 4 => {
                _mm256_shuffle_epi8(_mm256_set_m128i(part(2 * i + 1), part(2 * i)), swap)
            });
            let constants = _mm256_load_si256((&raw const CONSTANTS.taken[group]).cast());
            let taken = [r0, r1, r2, r3];
            each!(i in 4 => _mm256_store_si256(summed.add(4 * group + i), _mm256_add_epi32(taken[i], constants)));
            let (a, b) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
            let (c, d) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
            w[4 * group] = _mm256_unpacklo_epi64(a, c);
            w[4 * group + 1] = _mm256_unpackhi_epi64(a, c);
            w[4 * group + 2] = _mm256_unpacklo_epi64(b, d);
            w[4 * group + 3] = _mm256_unpackhi_epi64(b, d);
        }
        for t in 16..20 {
            let (x, y) = (w[t - 15], w[t - 2]);
            let x = _mm256_ternarylogic_epi32::<0x96>(
                _mm256_ror_epi32::<7>(x),
                _mm256_ror_epi32::<18>(x),
                _mm256_srli_epi32::<3>(x),
            );
            let y = _mm256_ternarylogic_epi32::<0x96>(
                _mm256_ror_epi32::<17>(y),
                _mm256_ror_epi32::<19>(y),
                _mm256_srli_epi32::<10>(y),
            );
            w[t] = _mm256_add_epi32(_mm256_add_epi32(w[t - 16], w[t - 7]), _mm256_add_epi32(x, y));
        }
        for (t, &word) in w.iter().enumerate() {
            _mm256_store_si256(schedule.add(t), word);
        }
        for t in [16, 18] {
            let x = _mm256_add_epi32(w[t], _mm256_set1_epi32(K[t].cast_signed()));
            let y = _mm256_add_epi32(w[t + 1], _mm256_set1_epi32(K[t + 1].cast_signed()));
            _mm256_store_si256(summed.add(t), _mm256_unpacklo_epi32(x, y));
            _mm256_store_si256(summed.add(t + 1), _mm256_unpackhi_epi32(x, y));
        }
        // SHA instructions would wait for the upper halves of registers.
        _mm256_zeroupper();
    }
}

/// The steps one after the other, each in the context, which says: whether the rounds are of words
/// that were taken or of words that were made, and the first of their two groups; whose words are
/// made, and from which number on, for the first two words and for the other four; and what takes
/// the next block beside that, and which part.
macro_rules! woven {
    ($context:tt $($step:tt)*) => { concat!($(step!($context $step)),*) };
}

/// The place of a buffer among the pairs.
#[rustfmt::skip]
macro_rules! place {
    (0) => { "0" };
    (1) => { "2" };
    (2) => { "1" };
    (3) => { "3" };
    (4) => { "4" };
    (5) => { "6" };
    (6) => { "5" };
    (7) => { "7" };
}

/// The words that word `$word` of six belongs to.
#[rustfmt::skip]
macro_rules! words_of {
    ((($words:literal $first:literal) $other:tt) 0) => { $words };
    ((($words:literal $first:literal) $other:tt) 1) => { $words };
    (($two:tt ($words:literal $first:literal)) $word:tt) => { $words };
}

/// The number of word `$word` of six.
#[rustfmt::skip]
macro_rules! number_of {
    ((($words:literal $first:literal) $other:tt) 0) => { $first };
    ((($words:literal $first:literal) $other:tt) 1) => { concat!($first, " + 1") };
    (($two:tt ($words:literal $first:literal)) $word:tt) => { concat!($first, " + ", $word) };
}

/// A step of the rounds, of the schedule, or of taking the next block.
#[rustfmt::skip]
macro_rules! step {
    // Two rounds of a buffer, the half of a group.
    ([taken $first:tt; $($other:tt)*] (rounds $group:tt $half:tt $buffer:tt $into:tt $with:tt)) => {
        concat!(
            "vmovq xmm0, qword ptr [{this} + {summed} + 128*(", $first, " + ", $group, ")",
            " + 16*", $buffer, " + 8*", $half, "]\n",
            "sha256rnds2 xmm", $into, ", xmm", $with, "\n",
        )
    };
    ([made $first:tt; $($other:tt)*] (rounds $group:tt $half:tt $buffer:tt $into:tt $with:tt)) => {
        concat!(
            "vmovq xmm0, qword ptr [{this} + {summed} + 128*(", $first, " + ", $group, ")",
            " + 64*", $half, " + 8*", place!($buffer), "]\n",
            "sha256rnds2 xmm", $into, ", xmm", $with, "\n",
        )
    };
    // Buffers 6 and 7 take turns in register 15: a group begins with that which the last one ended
    // with.
    ($context:tt (turn $rest:tt $wake:tt)) => {
        concat!("vmovdqa64 xmm", $rest, ", xmm15\n", "vmovdqa64 xmm15, xmm", $wake, "\n")
    };

    // What is done with registers.
    ($context:tt (ror $to:tt $from:tt $by:tt)) => { concat!("vprord ymm", $to, ", ymm", $from, ", ", $by, "\n") };
    ($context:tt (shr $to:tt $from:tt $by:tt)) => { concat!("vpsrld ymm", $to, ", ymm", $from, ", ", $by, "\n") };
    ($context:tt (xor $to:tt $x:tt $y:tt)) => { concat!("vpternlogd ymm", $to, ", ymm", $x, ", ymm", $y, ", 0x96\n") };
    ($context:tt (add $to:tt $x:tt $y:tt)) => { concat!("vpaddd ymm", $to, ", ymm", $x, ", ymm", $y, "\n") };
    ($context:tt (low $to:tt $x:tt $y:tt)) => { concat!("vpunpckldq ymm", $to, ", ymm", $x, ", ymm", $y, "\n") };
    ($context:tt (high $to:tt $x:tt $y:tt)) => { concat!("vpunpckhdq ymm", $to, ", ymm", $x, ", ymm", $y, "\n") };
    ($context:tt (low_pair $to:tt $x:tt $y:tt)) => { concat!("vpunpcklqdq ymm", $to, ", ymm", $x, ", ymm", $y, "\n") };
    ($context:tt (high_pair $to:tt $x:tt $y:tt)) => { concat!("vpunpckhqdq ymm", $to, ", ymm", $x, ", ymm", $y, "\n") };

    // The word so many before one of the six.
    ([$kind:tt $first:tt; $words:tt; $($other:tt)*] (take $to:tt $word:tt $back:tt)) => {
        concat!(
            "vmovdqa64 ymm", $to, ", [", words_of!($words $word),
            " + 32*(", number_of!($words $word), " - ", $back, ")]\n",
        )
    };
    ([$kind:tt $first:tt; $words:tt; $($other:tt)*] (add_word $to:tt $word:tt $back:tt)) => {
        concat!(
            "vpaddd ymm", $to, ", ymm", $to,
            ", [", words_of!($words $word), " + 32*(", number_of!($words $word), " - ", $back, ")]\n",
        )
    };
    ([$kind:tt $first:tt; $words:tt; $($other:tt)*] (put $word:tt $from:tt)) => {
        concat!("vmovdqa64 [", words_of!($words $word), " + 32*(", number_of!($words $word), ")], ymm", $from, "\n")
    };
    // The constants of a pair of words, by its first; and a half of the buffers' sums.
    ([$kind:tt $first:tt; $words:tt; $($other:tt)*] (constants $to:tt $word:tt)) => {
        concat!(
            "vpbroadcastq ymm", $to, ", qword ptr [{constants} + {made}",
            " + 4*(", number_of!($words $word), " - 16)]\n",
        )
    };
    ([$kind:tt $first:tt; $words:tt; $($other:tt)*] (put_sums $word:tt $half:tt $from:tt)) => {
        concat!(
            "vmovdqa64 [", words_of!($words $word), " + {summed} + 32*(", number_of!($words $word), " + ", $half, ")], ymm",
            $from, "\n",
        )
    };

    // What belongs beside these steps.
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (beside $number:tt)) => {
        $beside!([$kind $first; $words; $beside $part] $number)
    };
    // The part of the next block: two buffers in a register.
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (load $to:tt $buffer:tt)) => {
        concat!("vmovdqu64 xmm", $to, ", [{b", $buffer, "} + {offset} + 16*", $part, "]\n")
    };
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (load_high $to:tt $buffer:tt)) => {
        concat!("vinserti32x4 ymm", $to, ", ymm", $to, ", [{b", $buffer, "} + {offset} + 16*", $part, "], 1\n")
    };
    ($context:tt (swap $x:tt)) => { concat!("vpshufb ymm", $x, ", ymm", $x, ", [{constants} + {swap}]\n") };
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (first_sums $to:tt $x:tt)) => {
        concat!("vpaddd ymm", $to, ", ymm", $x, ", [{constants} + {taken} + 32*", $part, "]\n")
    };
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (put_first_sums $number:tt $from:tt)) => {
        concat!("vmovdqa64 [{next} + {summed} + 128*", $part, " + 32*", $number, "], ymm", $from, "\n")
    };
    ([$kind:tt $first:tt; $words:tt; $beside:ident $part:tt] (put_first $number:tt $from:tt)) => {
        concat!("vmovdqa64 [{next} + 128*", $part, " + 32*", $number, "], ymm", $from, "\n")
    };
}

/// The rounds of two groups, and between them six words of the schedule, in an order that was
/// searched for.
///
/// Registers 16 and 17 are the last two words, and 28 is the word sixteen before the next one.
macro_rules! two_groups {
    ($context:tt) => {
        woven!(
            $context
            (take 18 0 15) (add_word 28 0 7) (rounds 0 0 0 1 9) (shr 19 18 3) (rounds 0 0 6 7 15) (beside 0)
            (ror 20 18 18) (ror 21 18 7) (xor 21 20 19) (add 28 28 21) (rounds 0 0 1 2 10) (ror 22 16 19)
            (take 23 1 15) (ror 24 16 17) (rounds 0 0 2 3 11) (beside 1) (ror 20 23 18) (ror 19 23 7) (shr 21 16 10)
            (rounds 0 1 6 15 7) (xor 24 22 21) (shr 22 23 3) (add 16 28 24) (put 0 16) (turn 30 31) (add_word 18 1 7)
            (rounds 0 0 7 8 15) (beside 2) (shr 21 17 10) (xor 19 20 22) (rounds 0 0 3 4 12) (add 18 18 19)
            (ror 24 17 19) (ror 20 17 17) (rounds 0 1 0 9 1) (beside 3) (xor 20 24 21) (constants 22 0) (add 17 18 20)
            (high 19 16 17) (put 1 17) (rounds 0 0 5 6 14) (take 24 2 15) (low 21 16 17) (rounds 0 0 4 5 13)
            (beside 4) (add 19 19 22) (ror 20 24 7) (add 21 21 22) (rounds 0 1 7 15 8) (put_sums 0 0 21)
            (put_sums 0 1 19) (ror 18 24 18) (rounds 0 1 3 12 4) (beside 5) (shr 22 24 3) (add_word 23 2 7)
            (xor 20 18 22) (add 23 23 20) (rounds 0 1 1 10 2) (ror 21 16 19) (ror 19 16 17) (take 22 3 15)
            (rounds 0 1 2 11 3) (beside 6) (rounds 0 1 5 14 6) (shr 18 16 10) (xor 19 21 18) (add 16 23 19)
            (ror 20 22 18) (ror 18 22 7) (rounds 1 0 7 8 15) (beside 7) (put 2 16) (shr 21 22 3) (xor 18 20 21)
            (add_word 24 3 7) (rounds 0 1 4 13 5) (add 24 24 18) (ror 23 17 19) (rounds 1 0 2 3 11) (beside 8)
            (shr 19 17 10) (ror 20 17 17) (xor 20 23 19) (rounds 1 0 1 2 10) (add 17 24 20) (put 3 17) (take 21 4 15)
            (constants 18 2) (low 23 16 17) (high 19 16 17) (rounds 1 1 7 15 8) (beside 9) (ror 24 21 18)
            (add 19 19 18) (add 23 23 18) (turn 31 30) (put_sums 2 0 23) (ror 20 21 7) (rounds 1 0 3 4 12)
            (rounds 1 0 0 1 9) (beside 10) (shr 18 21 3) (add_word 22 4 7) (xor 20 24 18) (rounds 1 0 5 6 14)
            (put_sums 2 1 19) (add 22 22 20) (take 28 5 15) (shr 23 28 3) (rounds 1 0 6 7 15) (beside 11)
            (shr 18 16 10) (ror 24 28 18) (ror 19 16 19) (rounds 1 1 0 9 1) (ror 20 16 17) (xor 20 19 18)
            (ror 19 28 7) (rounds 1 0 4 5 13) (rounds 1 1 2 11 3) (add 16 22 20) (add_word 21 5 7) (put 4 16)
            (xor 19 24 23) (add 21 21 19) (rounds 1 1 1 10 2) (beside 12) (shr 18 17 10) (ror 22 17 19) (ror 20 17 17)
            (xor 20 22 18) (rounds 1 1 6 15 7) (add 17 21 20) (put 5 17) (constants 23 4) (rounds 1 1 5 14 6)
            (beside 13) (rounds 1 1 3 12 4) (high 24 16 17) (low 19 16 17) (add 24 24 23) (add 19 19 23)
            (put_sums 4 0 19) (rounds 1 1 4 13 5) (beside 14) (put_sums 4 1 24)
        )
    };
}

/// Beside two groups: the first half of a part of the next block.
#[rustfmt::skip]
macro_rules! opening {
    ($context:tt 2) => { woven!($context (load 25 0)) };
    ($context:tt 3) => { woven!($context (load_high 25 1)) };
    ($context:tt 4) => { woven!($context (swap 25)) };
    ($context:tt 5) => { woven!($context (first_sums 27 25) (put_first_sums 0 27)) };
    ($context:tt 6) => { woven!($context (load 26 2)) };
    ($context:tt 7) => { woven!($context (load_high 26 3)) };
    ($context:tt 8) => { woven!($context (swap 26) (low 27 25 26)) };
    ($context:tt 9) => { woven!($context (high 25 25 26)) };
    ($context:tt 10) => { woven!($context (first_sums 26 26) (put_first_sums 1 26)) };
    ($context:tt 11) => { woven!($context (load 26 4)) };
    ($context:tt 12) => { woven!($context (load_high 26 5) (swap 26)) };
    ($context:tt 13) => { woven!($context (first_sums 29 26)) };
    ($context:tt 14) => { woven!($context (put_first_sums 2 29)) };
    ($context:tt $number:tt) => { "" };
}

/// The second half, beside the next two groups.
#[rustfmt::skip]
macro_rules! closing {
    ($context:tt 0) => { woven!($context (load 29 6) (load_high 29 7)) };
    ($context:tt 1) => { woven!($context (swap 29)) };
    ($context:tt 2) => {
        woven!(
            $context
            (low 31 26 29) (high 26 26 29) (first_sums 29 29) (put_first_sums 3 29) (low_pair 29 27 31)
            (high_pair 27 27 31)
        )
    };
    ($context:tt 3) => { woven!($context (put_first 0 29) (put_first 1 27) (low_pair 29 25 26) (high_pair 25 25 26)) };
    ($context:tt 4) => { woven!($context (put_first 2 29) (put_first 3 25)) };
    ($context:tt $number:tt) => { "" };
}

/// The second half of the last part. After it, the words that are made are those of the next block,
/// and so are those that they are made from.
#[rustfmt::skip]
macro_rules! turning {
    ($context:tt 4) => { concat!(closing!($context 4), woven!($context (take 16 2 2))) };
    ($context:tt 5) => { concat!(closing!($context 5), woven!($context (take 23 2 16) (take 17 2 1))) };
    ($context:tt $number:tt) => { closing!($context $number) };
}

/// Adds what a block began with to half a state, and keeps the sum: the next one begins with it.
#[rustfmt::skip]
macro_rules! fed {
    ($register:literal, $buffer:literal, $half:literal) => {
        concat!(
            "vpaddd xmm", $register, ", xmm", $register, ", [{states} + {state}*", $buffer, " + {", $half, "}]\n",
            "vmovdqa64 [{states} + {state}*", $buffer, " + {", $half, "}], xmm", $register, "\n",
        )
    };
}

/// The states of eight buffers.
struct Eight([Sha256State; 8]);

impl Eight {
    /// Loads the states from memory.
    ///
    /// # Safety
    /// - The CPU has SSE4.1.
    /// - `states` is readable for eight pointers, and each of these for eight words.
    #[inline(always)]
    unsafe fn load(states: *const *const u32) -> Self {
        // SAFETY: `states` has eight pointers to readable states, by this function's contract.
        unsafe { Eight(each!(b in 8 => Sha256State::load(*states.add(b)))) }
    }

    /// Stores the states.
    ///
    /// # Safety
    /// - The CPU has SSE4.1.
    /// - `states` is readable for eight pointers, and each of these is writable for eight words.
    #[inline(always)]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: `states` has eight pointers to writable states, by this function's contract.
        unsafe {
            each!(b in 8 => self.0[b].store(*states.add(b)));
        }
    }

    /// Absorbs all blocks of `source`. It is not inlined, so that there is one copy of this code.
    ///
    /// # Safety
    /// - The CPU has the SHA instructions, and AVX-512 F, BW, DQ and VL.
    /// - `source` has at least one block.
    /// - `data` is readable for eight pointers if `blocks` is not zero, and each of these for
    ///   `blocks` blocks; `tail` likewise for `tail_blocks`.
    #[inline(never)]
    #[target_feature(enable = "sha,avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn compress(&mut self, source: &WordSource) {
        align_frame!();
        let mut words = MaybeUninit::<[Words; 2]>::uninit();
        let mut this = words.as_mut_ptr().cast::<Words>();
        let mut next = this.wrapping_add(1);
        let last = source.blocks + source.tail_blocks - 1;
        let [mut b0, mut b1, mut b2, mut b3, mut b4, mut b5, mut b6, mut b7] = self.0;
        // SAFETY: the blocks of `source` are readable, by this function's contract; behind the last
        // block, that block is taken again. `begin` or the block before has written words 0 to 19
        // of `this`; the assembly writes the other 44 and reads them all, and writes as many words
        // of `next` as `begin` does. There are as many constants as words. All registers that are
        // written are named.
        unsafe {
            let (data, offset) = source.at(0);
            begin(this, data, offset);
            for block in 0..=last {
                let (data, offset) = source.at((block + 1).min(last));
                // Changes: xmm0 to xmm15, with the upper halves of the last rounds' sums, and ymm16
                // to ymm31; words of `this` and `next`, and the states. No general register, no
                // mask register, no flags, no stack.
                asm!(
                    "vmovdqa64 ymm28, [{this} + 32*4]",
                    "vmovdqa64 ymm16, [{this} + 32*18]",
                    "vmovdqa64 ymm17, [{this} + 32*19]",
                    two_groups!([taken 0; (("{this}" 20) ("{this}" 20)); opening 0]),
                    two_groups!([taken 2; (("{this}" 26) ("{this}" 26)); closing 0]),
                    two_groups!([made 4; (("{this}" 32) ("{this}" 32)); opening 1]),
                    two_groups!([made 6; (("{this}" 38) ("{this}" 38)); closing 1]),
                    two_groups!([made 8; (("{this}" 44) ("{this}" 44)); opening 2]),
                    two_groups!([made 10; (("{this}" 50) ("{this}" 50)); closing 2]),
                    two_groups!([made 12; (("{this}" 56) ("{this}" 56)); opening 3]),
                    two_groups!([made 14; (("{this}" 62) ("{next}" 14)); turning 3]),
                    fed!("1", "0", "cdgh"),
                    fed!("2", "1", "cdgh"),
                    fed!("3", "2", "cdgh"),
                    fed!("4", "3", "cdgh"),
                    fed!("5", "4", "cdgh"),
                    fed!("6", "5", "cdgh"),
                    fed!("7", "6", "cdgh"),
                    fed!("8", "7", "cdgh"),
                    fed!("9", "0", "abef"),
                    fed!("10", "1", "abef"),
                    fed!("11", "2", "abef"),
                    fed!("12", "3", "abef"),
                    fed!("13", "4", "abef"),
                    fed!("14", "5", "abef"),
                    fed!("15", "6", "abef"),
                    fed!("31", "7", "abef"),
                    states = in(reg) self.0.as_mut_ptr(),
                    this = in(reg) this,
                    next = in(reg) next,
                    constants = in(reg) &raw const CONSTANTS,
                    offset = in(reg) offset,
                    b0 = in(reg) *data,
                    b1 = in(reg) *data.add(1),
                    b2 = in(reg) *data.add(2),
                    b3 = in(reg) *data.add(3),
                    b4 = in(reg) *data.add(4),
                    b5 = in(reg) *data.add(5),
                    b6 = in(reg) *data.add(6),
                    b7 = in(reg) *data.add(7),
                    summed = const offset_of!(Words, summed),
                    swap = const offset_of!(Constants, swap),
                    taken = const offset_of!(Constants, taken),
                    made = const offset_of!(Constants, made),
                    cdgh = const offset_of!(Sha256State, cdgh),
                    abef = const offset_of!(Sha256State, abef),
                    state = const size_of::<Sha256State>(),
                    out("xmm0") _,
                    inout("xmm1") b0.cdgh,
                    inout("xmm2") b1.cdgh,
                    inout("xmm3") b2.cdgh,
                    inout("xmm4") b3.cdgh,
                    inout("xmm5") b4.cdgh,
                    inout("xmm6") b5.cdgh,
                    inout("xmm7") b6.cdgh,
                    inout("xmm8") b7.cdgh,
                    inout("xmm9") b0.abef,
                    inout("xmm10") b1.abef,
                    inout("xmm11") b2.abef,
                    inout("xmm12") b3.abef,
                    inout("xmm13") b4.abef,
                    inout("xmm14") b5.abef,
                    inout("xmm15") b6.abef,
                    inout("xmm31") b7.abef,
                    out("ymm16") _, out("ymm17") _, out("ymm18") _, out("ymm19") _, out("ymm20") _,
                    out("ymm21") _, out("ymm22") _, out("ymm23") _, out("ymm24") _, out("ymm25") _,
                    out("ymm26") _, out("ymm27") _, out("ymm28") _, out("ymm29") _, out("ymm30") _,
                    options(nostack),
                );
                swap(&mut this, &mut next);
            }
        }
    }
}
