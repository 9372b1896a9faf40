//! Sixteen blocks of ChaCha20 in two halves, of 256 bits, for CPUs where an operation on 512 bits
//! is two of 256 (AMD Zen 4).
//!
//! Rotations have two of four ports, and additions and logic have all four. Columns that go through
//! the same step at the same time wait for the two. Halves are twice as many columns, each of which
//! a port takes in one cycle: the rotations of one half then run beside the additions of the other.
//! The ports are busy for seven eighths of the time, and were for three quarters.
//!
//! The rounds are one piece of assembly, because the two states fill all 32 registers. Of 68
//! orders of the instructions that were measured, this was the fastest: a step of one half's
//! columns, then the same step of the other's.

use core::arch::asm;

use super::chacha_rows;
use super::vectors::U32x16;
use crate::arch::x86_64::avx2::vectors::U32x8;
use crate::kernels::chacha::block::{Blocks, CONSTANTS, Consecutive, NUMBERS, rows_of_one};
use crate::kernels::chacha::text::{BLOCK, ChaChaText};
use crate::vector::{Vector, each};

/// Blocks in two halves. Uses AVX-512 F and VL.
pub(crate) struct Halves;

/// Blocks of a half.
const HALF: usize = 8;

/// The words of a half's blocks, a vector for each word.
type Words = [U32x8; 16];

// SAFETY: AVX-512 F and VL instructions only, and AVX2 with them.
unsafe impl Consecutive for Halves {
    type Vector = U32x16;
    const FEW: usize = chacha_rows::MOST;

    #[inline(always)]
    unsafe fn make_few(blocks: &mut Blocks, count: usize) {
        // SAFETY: the CPU has the instructions, and the lanes are as the contract of `make_few`
        // asks.
        unsafe { chacha_rows::make(blocks, count) };
    }

    #[inline(always)]
    unsafe fn add_to_one(text: &ChaChaText, number: usize, room: &mut Blocks) {
        // SAFETY: the CPU has the instructions, the text's key is valid, and the text has sixteen
        // whole blocks from `number` on, by the contract of `add_to_one`. The room is aligned to 64
        // bytes, and has more than the 512 bytes of a half.
        unsafe {
            let numbers = each!(half in 2 => U32x8::load(NUMBERS.as_ptr().add(HALF * half)));
            let halves = each!(half in 2 => rows_of_one(text, number, numbers[half]));
            let counters = [halves[0][3][0], halves[1][3][0]];
            let other = room.stream.as_mut_ptr().cast::<Words>();
            let first = rounds(text.key.cast(), &text.row, counters, other);
            add(&first, &halves[0], text, number);
            add(&*other, &halves[1], text, number + HALF);
        }
    }
}

/// Adds the states from before the rounds to a half, and its blocks to the text from block `number`
/// on.
///
/// # Safety
/// The conditions of [`Consecutive::add_to_one`], for the eight blocks of a half.
#[inline(always)]
unsafe fn add(words: &Words, before: &[[U32x8; 4]; 4], text: &ChaChaText, number: usize) {
    let words = each!(i in 16 => words[i].add(before[i / 4][i % 4]));
    let start = number * BLOCK;
    // SAFETY: the text has eight whole blocks from `number` on, by this function's contract;
    // `U32x8` does not use the room of `add_blocks`, so that it may be null.
    unsafe {
        let (src, dst) = (text.src.add(start), text.dst.add(start));
        U32x8::add_blocks(&words, core::ptr::null_mut(), src, dst);
    }
}

/// The first register and the one of the other half, from a word of memory.
macro_rules! fill {
    ($($low:literal $high:literal $from:literal $at:literal),+) => {
        concat!($(
            "vpbroadcastd ymm", $low, ", dword ptr [{", $from, "} + ", $at, "]\n",
            "vmovdqa32 ymm", $high, ", ymm", $low, "\n",
        )+)
    };
}

/// An addition, and the rotation that follows it.
macro_rules! turn {
    ($a:literal, $b:literal, $d:literal, $left:literal) => {
        concat!(
            "vpaddd ymm",
            $a,
            ", ymm",
            $a,
            ", ymm",
            $b,
            "\n",
            "vpxord ymm",
            $d,
            ", ymm",
            $d,
            ", ymm",
            $a,
            "\n",
            "vprold ymm",
            $d,
            ", ymm",
            $d,
            ", ",
            $left,
            "\n",
        )
    };
}

/// A quarter round (RFC 8439, 2.1) on each of some columns.
macro_rules! quarter_rounds {
    ($($a:literal $b:literal $c:literal $d:literal),+) => {
        concat!(
            $(turn!($a, $b, $d, 16),)+
            $(turn!($c, $d, $b, 12),)+
            $(turn!($a, $b, $d, 8),)+
            $(turn!($c, $d, $b, 7),)+
        )
    };
}

/// Stores registers, one after another.
macro_rules! keep {
    ($($register:literal $at:literal),+) => {
        concat!($("vmovdqa32 ymmword ptr [{other} + ", $at, "], ymm", $register, "\n",)+)
    };
}

/// Returns the first of both halves' states after 20 rounds, and writes the second to `other`. The
/// last rows of the states are `row`, except for the counters.
///
/// # Safety
/// - `key` is readable for eight words.
/// - `other` is writable, and aligned to 32 bytes.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
unsafe fn rounds(
    key: *const u32,
    row: &[u32; 4],
    counters: [U32x8; 2],
    other: *mut Words,
) -> Words {
    let mut words = [counters[0].0; 16];
    // SAFETY: the assembly reads four constants, eight words of the key and three of the row, and
    // writes sixteen registers to `other`, all of which this function's contract permits.
    unsafe {
        // Changes: `other`, all vector registers, the register that counts, the flags.
        asm!(
            fill!(
                0 16 "constants" 0, 1 17 "constants" 4, 2 18 "constants" 8, 3 19 "constants" 12,
                4 20 "key" 0, 5 21 "key" 4, 6 22 "key" 8, 7 23 "key" 12,
                8 24 "key" 16, 9 25 "key" 20, 10 26 "key" 24, 11 27 "key" 28,
                13 29 "row" 4, 14 30 "row" 8, 15 31 "row" 12
            ),
            "mov {left:e}, 10",
            "2:",
            quarter_rounds!(
                0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15,
                16 20 24 28, 17 21 25 29, 18 22 26 30, 19 23 27 31
            ),
            quarter_rounds!(
                0 5 10 15, 1 6 11 12, 2 7 8 13, 3 4 9 14,
                16 21 26 31, 17 22 27 28, 18 23 24 29, 19 20 25 30
            ),
            "dec {left:e}",
            "jnz 2b",
            keep!(
                16 0, 17 32, 18 64, 19 96, 20 128, 21 160, 22 192, 23 224,
                24 256, 25 288, 26 320, 27 352, 28 384, 29 416, 30 448, 31 480
            ),
            constants = in(reg) CONSTANTS.as_ptr(),
            key = in(reg) key,
            row = in(reg) row.as_ptr(),
            other = in(reg) other,
            left = out(reg) _,
            out("ymm0") words[0],
            out("ymm1") words[1],
            out("ymm2") words[2],
            out("ymm3") words[3],
            out("ymm4") words[4],
            out("ymm5") words[5],
            out("ymm6") words[6],
            out("ymm7") words[7],
            out("ymm8") words[8],
            out("ymm9") words[9],
            out("ymm10") words[10],
            out("ymm11") words[11],
            inout("ymm12") counters[0].0 => words[12],
            out("ymm13") words[13],
            out("ymm14") words[14],
            out("ymm15") words[15],
            out("ymm16") _, out("ymm17") _, out("ymm18") _, out("ymm19") _,
            out("ymm20") _, out("ymm21") _, out("ymm22") _, out("ymm23") _,
            out("ymm24") _, out("ymm25") _, out("ymm26") _, out("ymm27") _,
            inout("ymm28") counters[1].0 => _,
            out("ymm29") _, out("ymm30") _, out("ymm31") _,
            options(nostack),
        );
    }
    each!(i in 16 => U32x8(words[i]))
}
