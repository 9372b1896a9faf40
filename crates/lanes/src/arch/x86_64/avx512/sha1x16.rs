//! SHA-1 of sixteen buffers on x86-64, in lanes of AVX-512, with a block of the next words brought
//! into lanes by integer instructions meanwhile.
//!
//! A block is some 750 vector instructions, of which 224 are rotations. On AMD Zen 4 two of the
//! four pipes rotate, and the same two move words between lanes: to transpose a block there takes
//! 80 instructions more, and as much time as if nothing else were done. The integer pipes are idle.
//! They load words, swap their bytes, and store each word beside that of the next lane, in the
//! place where the vectors load it in the next block. Between the rounds, these instructions cost
//! nothing.
//!
//! When a pipe can begin an instruction depends on how those before it were spread over the pipes,
//! and that on their order. The order here was searched for: a block takes 395 of the core's
//! cycles, where the number of instructions would allow
//! 378. In the compiler's order it took 460. So a block is one piece of assembly.

use core::arch::asm;
use core::mem::MaybeUninit;

use super::vectors::U32x16;
use crate::arch::compile::align_frame;
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::kernel::{self, InRegisters, Padding};
use crate::kernels::hash::kernel::{HashKernel, Messages, Shape};
use crate::kernels::hash::sha1::K;
use crate::vector::{Vector, each};

/// Returns the kernel of SHA-1 for many buffers.
pub(crate) const fn kernel<A: Hash<Word = u32>>() -> HashKernel<u32> {
    HashKernel {
        name: "avx512, integers",
        lanes: LANES,
        run,
        finish: finish::<A>,
        pads: InRegisters::IN_REGISTERS,
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn run(states: *const *mut u32, data: *const *const u8, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `WideRun` for sixteen lanes, and this function
    // enables the instructions.
    unsafe {
        let mut rows = U32x16::gather(states.cast());
        absorb(&mut rows, data, blocks);
        U32x16::scatter(&rows, states);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn finish<A: Hash<Word = u32>>(messages: &Messages<u32>, first: usize, shape: Shape) {
    align_frame!();
    let mut words = MaybeUninit::uninit();
    let words = words.as_mut_ptr();
    // SAFETY: the arguments fulfil the contract of `WideFinish` for sixteen lanes, and this
    // function enables the instructions; `words` is written by `put` before `compress` reads it.
    unsafe {
        let mut rows = U32x16::gather(messages.start[first..].as_ptr());
        absorb(&mut rows, messages.data[first..].as_ptr(), shape.blocks);
        for step in 0..shape.tail + usize::from(shape.hmac) {
            let block = if step < shape.tail {
                InRegisters::load::<A>(messages, first, step, shape.tail)
            } else {
                let outer = U32x16::gather(messages.outer[first..].as_ptr());
                let inner = core::mem::replace(&mut rows, outer);
                let zero = U32x16::splat(0);
                kernel::pad_outer::<A, U32x16>(inner, A::DIGEST_LEN, zero, |word| {
                    U32x16::splat(word)
                })
            };
            put(words, block);
            compress(&mut rows, words);
        }
        U32x16::scatter(&rows, messages.state[first..].as_ptr());
    }
}

/// Advances the states by `blocks` blocks. It is not inlined, so that there is one copy of this
/// code.
///
/// # Safety
/// - The CPU has AVX-512 F, BW, DQ and VL, BMI1 and BMI2.
/// - `data` is readable for sixteen pointers, and each of these for `blocks` blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn absorb(rows: &mut [U32x16; 8], data: *const *const u8, blocks: usize) {
    if blocks == 0 {
        return;
    }
    align_frame!();
    let (mut one, mut other) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let (mut words, mut next) = (one.as_mut_ptr(), other.as_mut_ptr());
    // SAFETY: `data` has `blocks` blocks in every lane, by this function's contract. The words of a
    // block are written by `put`, or while the block before it is compressed.
    unsafe {
        put(words, U32x16::load_block::<true>(data, 0));
        for block in 1..blocks {
            compress_and_take(rows, words, data, BLOCK * block, next);
            core::mem::swap(&mut words, &mut next);
        }
        compress(rows, words);
    }
}

const LANES: usize = 16;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Rounds of a block.
const ROUNDS: usize = 80;

/// The words of a block, each in a lane for each buffer.
#[repr(C, align(64))]
struct Words([[u32; LANES]; 16]);

/// Stores the words of a block.
///
/// # Safety
/// - The CPU has AVX-512 F.
/// - `words` is writable.
#[inline(always)]
unsafe fn put(words: *mut Words, block: [U32x16; 16]) {
    // SAFETY: `words` is writable, by this function's contract, and has sixteen rows of sixteen
    // words.
    unsafe {
        each!(i in 16 => block[i].store((&raw mut (*words).0[i]).cast()));
    }
}

/// The constant of each round.
static CONSTANTS: [u32; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut round = 0;
    while round < ROUNDS {
        constants[round] = K[round / 20];
        round += 1;
    }
    constants
};

/// Round `4 * $g + $j`, on the five words of the state, in which `e` makes way for the next `a`,
/// and `b` becomes `c`.
///
/// The word of the round, with the constant, is in `$sum`. That of the next round, which is in
/// `$next`, goes to `$next_sum`; and the word four rounds on is made in place of that sixteen
/// before it.
macro_rules! round {
    (
        $g:tt $j:tt, $f:literal, $a:literal $b:literal $c:literal $d:literal $e:literal,
        $sum:literal, $next_sum:literal, $next:literal,
        $words:ident($w16:literal $w14:literal $w8:literal), $lanes:tt
    ) => {
        concat!(
            "vmovdqa64 zmm7, ", $b, "\n",
            taken!($j load, $lanes),
            "vpternlogd zmm7, ", $c, ", ", $d, ", ", $f, "\n",
            taken!($j load_other, $lanes),
            "vprold ", $b, ", ", $b, ", 30\n",
            taken!($j swap, $lanes),
            "vpaddd ", $e, ", ", $e, ", ", $sum, "\n",
            taken!($j swap_other, $lanes),
            word!($g $j, $words 1, $w16, $w14),
            taken!($j second, $lanes),
            "vprold zmm8, ", $a, ", 5\n",
            taken!($j second_other, $lanes),
            "vpaddd ", $e, ", ", $e, ", zmm7\n",
            taken!($j put_second, $lanes),
            word!($g $j, $words 2, $w16, $next, $w8),
            taken!($j first, $lanes),
            word!($g $j, $words 3, $w16),
            taken!($j first_other, $lanes),
            sum!($g $j, $words, $next_sum, $next),
            taken!($j put_first, $lanes),
            "vpaddd ", $e, ", ", $e, ", zmm8\n",
        )
    };
}

/// What is done in a round for the word four rounds on: it is in memory, or it is made of those
/// before it, or there is no such round.
#[rustfmt::skip]
macro_rules! word {
    ($g:tt $j:tt, first 1, $w16:literal, $w14:literal) => {
        concat!("vmovdqa64 ", $w16, ", [{words} + 64*(4*", $g, " + ", $j, " + 4)]\n")
    };
    ($g:tt $j:tt, made 1, $w16:literal, $w14:literal) => {
        concat!("vpxord ", $w16, ", ", $w16, ", ", $w14, "\n")
    };
    ($g:tt $j:tt, made 2, $w16:literal, $w3:literal, $w8:literal) => {
        concat!("vpternlogd ", $w16, ", ", $w3, ", ", $w8, ", 0x96\n")
    };
    ($g:tt $j:tt, made 3, $w16:literal) => {
        concat!("vprold ", $w16, ", ", $w16, ", 1\n")
    };
    ($g:tt $j:tt, $words:ident $step:tt, $($w:literal),*) => { "" };
}

/// The word of the next round and its constant.
#[rustfmt::skip]
macro_rules! sum {
    (19 3, none, $into:literal, $word:literal) => { "" };
    ($g:tt $j:tt, $words:ident, $into:literal, $word:literal) => {
        concat!("vpaddd ", $into, ", ", $word, ", dword ptr [{k} + 4*(4*", $g, " + ", $j, " + 1)]{{1to16}}\n")
    };
}

/// Words `$first + 2 * $j` and the one behind it of the next block, in the two lanes of `$pair`. A
/// store has a word of both lanes: one for each lane were so many that they were in the way of
/// lines from the second-level cache.
#[rustfmt::skip]
macro_rules! taken {
    ($j:tt $step:ident, (none $pair:tt $first:tt)) => { "" };
    (0 load, (lane $pair:tt $first:tt)) => {
        concat!(
            "mov {lane}, [{data} + 16*", $pair, "]\n",
            "mov {other}, [{data} + 16*", $pair, " + 8]\n",
            "mov {x}, [{lane} + {offset} + 4*", $first, "]\n",
        )
    };
    ($j:tt load, (lane $pair:tt $first:tt)) => {
        concat!("mov {x}, [{lane} + {offset} + 4*(", $first, " + 2*", $j, ")]\n")
    };
    ($j:tt load_other, (lane $pair:tt $first:tt)) => {
        concat!("mov {y}, [{other} + {offset} + 4*(", $first, " + 2*", $j, ")]\n")
    };
    ($j:tt swap, (lane $pair:tt $first:tt)) => { "bswap {x}\n" };
    ($j:tt swap_other, (lane $pair:tt $first:tt)) => { "bswap {y}\n" };
    ($j:tt second, (lane $pair:tt $first:tt)) => { "mov {z:e}, {x:e}\n" };
    ($j:tt second_other, (lane $pair:tt $first:tt)) => { "rorx {w}, {y}, 32\nand {w}, {high}\n" };
    ($j:tt put_second, (lane $pair:tt $first:tt)) => {
        concat!("or {z}, {w}\nmov [{next} + 64*(", $first, " + 2*", $j, " + 1) + 8*", $pair, "], {z}\n")
    };
    ($j:tt first, (lane $pair:tt $first:tt)) => { "shr {x}, 32\n" };
    ($j:tt first_other, (lane $pair:tt $first:tt)) => { "and {y}, {high}\n" };
    ($j:tt put_first, (lane $pair:tt $first:tt)) => {
        concat!("or {x}, {y}\nmov [{next} + 64*(", $first, " + 2*", $j, ") + 8*", $pair, "], {x}\n")
    };
}

/// All rounds of the groups of four that are listed. After each, the words of the state are a
/// register further on, and those of the schedule four.
macro_rules! rounds {
    ($state:tt $schedule:tt) => { "" };
    (
        [$a:literal $b:literal $c:literal $d:literal $e:literal]
        [
            $w0:literal $w1:literal $w2:literal $w3:literal $w4:literal $w5:literal $w6:literal $w7:literal
            $w8:literal $w9:literal $w10:literal $w11:literal $w12:literal $w13:literal $w14:literal $w15:literal
        ]
        ($g:tt $f:literal $words:ident $lanes:tt) $($more:tt)*
    ) => {
        concat!(
            round!($g 0, $f, $a $b $c $d $e, "zmm5", "zmm6", $w1, $words($w4 $w6 $w12), $lanes),
            round!($g 1, $f, $e $a $b $c $d, "zmm6", "zmm5", $w2, $words($w5 $w7 $w13), $lanes),
            round!($g 2, $f, $d $e $a $b $c, "zmm5", "zmm6", $w3, $words($w6 $w8 $w14), $lanes),
            round!($g 3, $f, $c $d $e $a $b, "zmm6", "zmm5", $w4, $words($w7 $w9 $w15), $lanes),
            rounds!(
                [$b $c $d $e $a]
                [$w4 $w5 $w6 $w7 $w8 $w9 $w10 $w11 $w12 $w13 $w14 $w15 $w0 $w1 $w2 $w3]
                $($more)*
            ),
        )
    };
}

/// All rounds of a block, and between them that of the next one, two words of two lanes a round
/// (`lane`), or `none`.
macro_rules! block {
    ($lane:ident) => {
        concat!(
            "vmovdqa64 zmm16, [{words}]\n",
            "vmovdqa64 zmm17, [{words} + 64]\n",
            "vmovdqa64 zmm18, [{words} + 128]\n",
            "vmovdqa64 zmm19, [{words} + 192]\n",
            "vpaddd zmm5, zmm16, dword ptr [{k}]{{1to16}}\n",
            rounds!(
                ["zmm0" "zmm1" "zmm2" "zmm3" "zmm4"]
                [
                    "zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23"
                    "zmm24" "zmm25" "zmm26" "zmm27" "zmm28" "zmm29" "zmm30" "zmm31"
                ]
                (0 "0xca" first ($lane 0 0)) (1 "0xca" first ($lane 1 0)) (2 "0xca" first ($lane 2 0))
                (3 "0xca" made ($lane 3 0)) (4 "0xca" made ($lane 4 0))
                (5 "0x96" made ($lane 5 0)) (6 "0x96" made ($lane 6 0)) (7 "0x96" made ($lane 7 0))
                (8 "0x96" made ($lane 0 8)) (9 "0x96" made ($lane 1 8))
                (10 "0xe8" made ($lane 2 8)) (11 "0xe8" made ($lane 3 8)) (12 "0xe8" made ($lane 4 8))
                (13 "0xe8" made ($lane 5 8)) (14 "0xe8" made ($lane 6 8))
                (15 "0x96" made ($lane 7 8)) (16 "0x96" made (none 0 0)) (17 "0x96" made (none 0 0))
                (18 "0x96" made (none 0 0)) (19 "0x96" none (none 0 0))
            ),
        )
    };
}

/// The assembly of a block, and its operands beside the state and the words.
macro_rules! assembly {
    ($lane:ident, $rows:ident, $words:ident, $($operands:tt)*) => {{
        let start = *$rows;
        // Changes: zmm0 to zmm8 and zmm16 to zmm31; the registers of `lane`, `other`, `x`, `y`, `z`
        // and `w`; flags; with `lane`, the words at `next`. No mask register, no stack.
        asm!(
            block!($lane),
            words = in(reg) $words,
            k = in(reg) CONSTANTS.as_ptr(),
            $($operands)*
            inout("zmm0") $rows[0].0, inout("zmm1") $rows[1].0, inout("zmm2") $rows[2].0,
            inout("zmm3") $rows[3].0, inout("zmm4") $rows[4].0,
            out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm16") _, out("zmm17") _,
            out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
            out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
            out("zmm30") _, out("zmm31") _,
            options(nostack),
        );
        for i in 0..5 {
            $rows[i] = $rows[i].add(start[i]);
        }
    }};
}

/// Takes the states through all rounds of the block whose words these are.
///
/// # Safety
/// - The CPU has AVX-512 F, BW, DQ and VL, BMI1 and BMI2.
/// - `words` has been written.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn compress(rows: &mut [U32x16; 8], words: *const Words) {
    // SAFETY: sixteen rows of words are read, which have been written by this function's contract,
    // and eighty constants; all registers that are written are named.
    unsafe { assembly!(none, rows, words,) }
}

/// Does the same, and puts the next block's words to `next`: those of sixteen buffers from `offset`
/// on.
///
/// # Safety
/// - The conditions of [`compress`].
/// - `data` is readable for sixteen pointers, and each of these for a block from `offset` on.
/// - `next` is writable, and is not `words`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn compress_and_take(
    rows: &mut [U32x16; 8],
    words: *const Words,
    data: *const *const u8,
    offset: usize,
    next: *mut Words,
) {
    // SAFETY: the reason of `compress` holds here, too. Of each of the sixteen lanes, all eight
    // pairs of words are read, and their words written to `next`, once.
    unsafe {
        assembly!(lane, rows, words,
            data = in(reg) data,
            offset = in(reg) offset,
            next = in(reg) next,
            high = in(reg) 0xffff_ffff_0000_0000_u64,
            lane = out(reg) _,
            other = out(reg) _,
            x = out(reg) _,
            y = out(reg) _,
            z = out(reg) _,
            w = out(reg) _,
        )
    }
}
