//! Keccak in 512-bit registers: the 25 words of eight states in 25 of the 32 registers.
//!
//! A round is 95 instructions for the four vector pipes, two of 512 bits a cycle. The compiler's
//! order spills some ten registers a round, and on AMD Zen 4 a store of 512 bits takes two cycles,
//! and twelve pass until it can be loaded again. So four rounds are one piece of assembly, which
//! needs the seven registers that the states leave and no others. A round takes 59 of the core's
//! cycles, most of what is above 48 at its start: no word has its column's parity before all planes
//! of the round before are made. The order of planes and columns is the fastest of 350 that were
//! tried.
//!
//! To transpose a block of a message takes the pipes 72 cycles. The integer pipes are idle: between
//! the vectors' instructions they put the words of the next block side by side in memory.

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::vectors::{U64x8, transpose8};
use crate::arch::compile::align_frame;
use crate::kernels::sponge::keccak::{CONSTANTS, Rows, Steps};
use crate::kernels::sponge::kernel::{self, KeccakKernel, Rate};
use crate::vector::{Vector, each};

/// Rotations, and logic functions of three inputs. Uses AVX-512 F.
pub struct KeccakSteps;

// SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
unsafe impl Steps for KeccakSteps {
    type V = U64x8;

    #[inline(always)]
    unsafe fn load_eight(lanes: *const *const u8, offset: usize) -> [U64x8; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has AVX-512, and `lanes` is readable for
        // eight pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let rows = each!(l in 8 => _mm512_loadu_si512((*lanes.add(l)).add(offset).cast()));
            let columns = transpose8(rows);
            each!(i in 8 => U64x8(columns[i]))
        }
    }
    #[inline(always)]
    fn chi(a: U64x8, b: U64x8, c: U64x8) -> U64x8 {
        /// The table of `a ^ (!b & c)`.
        const CHI: i32 = 0xf0 ^ (!0xcc & 0xaa);
        // SAFETY: `a` is proof of AVX-512 (see Vector).
        U64x8(unsafe { _mm512_ternarylogic_epi64::<CHI>(a.0, b.0, c.0) })
    }
}

/// Eight lanes.
pub(in crate::arch) const KECCAK: KeccakKernel =
    KeccakKernel { name: "avx512", lanes: LANES, absorb, extract, squeeze };

const LANES: usize = 8;

/// The words of a block, each in a lane for each buffer, and zeros behind them.
#[repr(C, align(64))]
struct Words([[u64; LANES]; MOST]);

/// Words of the longest block.
const MOST: usize = Rate::Bytes168.bytes() / 8;

/// A block of zeros.
static ZEROS: [u64; MOST] = [0; MOST];

/// What stands in for the block behind the last one.
static NO_BLOCKS: [&[u64; MOST]; LANES] = [&ZEROS; LANES];

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn absorb(states: *mut u64, data: *const *const u8, rate: Rate, blocks: usize) {
    align_frame!();
    if blocks == 0 {
        return;
    }
    let mut words = MaybeUninit::<Words>::uninit();
    let words: *mut [u64; LANES] = words.as_mut_ptr().cast();
    let count = rate.bytes() / 8;
    // SAFETY: the arguments fulfil the contract of `KeccakKernel` for eight lanes: 25 vectors of
    // states, and the blocks of every lane; `NO_BLOCKS` has a pointer to the longest block for each
    // of eight lanes. All words are written before they are read: those of a block during the block
    // before, the others here.
    unsafe {
        let mut s: Rows<U64x8> =
            each!(y in 5 => each!(x in 5 => U64x8::load(states.add((5 * y + x) * LANES))));
        kernel::add_next::<KeccakSteps>(&mut s, data, rate, 0);
        if blocks > 1 {
            (count..MOST).for_each(|i| words.add(i).write([0; LANES]));
        }
        for block in 1..=blocks {
            // Behind the last block is no other: zeros take the place of its words, which may be
            // secret and would stay on the stack.
            let (next, offset) = match block < blocks {
                true => (data, rate.bytes() * block),
                false => (NO_BLOCKS.as_ptr().cast(), 0),
            };
            permute(&mut s, next, offset, words, count);
            if block == blocks {
                break;
            }
            s = each!(y in 5 => each!(x in 5 => match 5 * y + x {
                i @ ..MOST => s[y][x].xor(U64x8::load(words.add(i).cast())),
                _ => s[y][x],
            }));
        }
        each!(y in 5 => each!(x in 5 => s[y][x].store(states.add((5 * y + x) * LANES))));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn extract(states: *const u64, eights: usize, rows: *const *mut u64) {
    // SAFETY: the arguments fulfil the contract of `KeccakKernel`, and this function enables the
    // instructions.
    unsafe { kernel::extract::<U64x8>(states, eights, rows) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn squeeze(states: *mut u64, rate: Rate, blocks: usize, rows: *const *mut u64) {
    align_frame!();
    let mut words = MaybeUninit::<Words>::uninit();
    let words: *mut [u64; LANES] = words.as_mut_ptr().cast();
    // SAFETY: the arguments fulfil the contract of `KeccakKernel`, and this function enables the
    // instructions. `NO_BLOCKS` has a pointer to the longest block for each of eight lanes.
    unsafe {
        kernel::squeeze::<KeccakSteps>(
            states,
            rate,
            blocks,
            rows,
            #[inline(always)]
            |s| permute(s, NO_BLOCKS.as_ptr().cast(), 0, words, MOST),
        )
    }
}

/// A pointer to a buffer, or a word of the next block from there to its lane. Round `$j` of four
/// takes four words of two buffers.
#[rustfmt::skip]
macro_rules! taken {
    ($j:tt pointer $lane:tt) => {
        concat!("mov {from}, [{data} + 16*", $j, " + 8*", $lane, "]\n")
    };
    ($j:tt word $word:tt $lane:tt) => {
        concat!(
            "mov {word}, [{from} + {offset} + 8*", $word, "]\n",
            "mov [{words} + 64*", $word, " + 16*", $j, " + 8*", $lane, "], {word}\n",
        )
    };
}

/// A lane of the state, with the parity of its neighbours added, rotated to its place.
macro_rules! moved {
    ($from:literal $d:literal $right:literal $to:literal) => {
        concat!(
            "vpxorq ", $from, ", ", $from, ", ", $d, "\n", "vprorq ", $to, ", ", $from, ", ",
            $right, "\n",
        )
    };
}

/// Moves the lanes of a plane: the place that one leaves is where the next one goes, and the first
/// one waits in zmm25.
macro_rules! moves {
    (
        [$r0:literal $r1:literal $r2:literal $r3:literal $r4:literal]
        [$d0:literal $d1:literal $d2:literal $d3:literal $d4:literal]
        [$n0:literal $n1:literal $n2:literal $n3:literal $n4:literal]
    ) => {
        concat!(
            moved!($r0 $d0 $n0 "zmm25"),
            moved!($r1 $d1 $n1 $r0),
            moved!($r2 $d2 $n2 $r1),
            moved!($r3 $d3 $n3 $r2),
            moved!($r4 $d4 $n4 $r3),
        )
    };
}

/// Makes a plane of its lanes: `a ^ (!b & c)` for each and the two after it. The first one is in
/// zmm25 too.
macro_rules! chi {
    ([$b0:literal $b1:literal $b2:literal $b3:literal $b4:literal] $($iota:expr)?) => {
        concat!(
            "vpternlogq ", $b0, ", ", $b1, ", ", $b2, ", 0xd2\n",
            $($iota,)?
            "vmovdqa64 zmm27, ", $b1, "\n",
            "vpternlogq ", $b1, ", ", $b2, ", ", $b3, ", 0xd2\n",
            "vpternlogq ", $b2, ", ", $b3, ", ", $b4, ", 0xd2\n",
            "vpternlogq ", $b3, ", ", $b4, ", zmm25, 0xd2\n",
            "vpternlogq ", $b4, ", zmm25, zmm27, 0xd2\n",
        )
    };
}

/// The parity of a column without its last two lanes, and these two.
#[rustfmt::skip]
macro_rules! parity {
    ($c:literal $a:literal $b:literal $d:literal) => {
        concat!("vmovdqa64 ", $c, ", ", $a, "\nvpternlogq ", $c, ", ", $b, ", ", $d, ", 0x96\n")
    };
    ($c:literal $a:literal $b:literal) => {
        concat!("vpternlogq ", $c, ", ", $a, ", ", $b, ", 0x96\n")
    };
}

/// `$to = $a ^ rotate_left($b, 1)`.
#[rustfmt::skip]
macro_rules! neighbours {
    ($to:literal $a:literal $b:literal) => {
        concat!("vprolq ", $to, ", ", $b, ", 1\nvpxorq ", $to, ", ", $to, ", ", $a, "\n")
    };
}

/// Round `$j` of four and those after it; `$sxy` is where lane (x, y) is. A round leaves every
/// plane of its result in the registers that it took the plane's lanes from.
macro_rules! rounds {
    ($($lanes:literal)*;) => { "" };
    (
        $s00:literal $s01:literal $s02:literal $s03:literal $s04:literal
        $s10:literal $s11:literal $s12:literal $s13:literal $s14:literal
        $s20:literal $s21:literal $s22:literal $s23:literal $s24:literal
        $s30:literal $s31:literal $s32:literal $s33:literal $s34:literal
        $s40:literal $s41:literal $s42:literal $s43:literal $s44:literal;
        $j:tt $($more:tt)*
    ) => {
        concat!(
            // The planes, in the order in which the round before made them: 1, 0, 4, 3, 2.
            taken!($j pointer 0),
            parity!("zmm29" $s41 $s40 $s44),
            parity!("zmm26" $s11 $s10 $s14),
            taken!($j word 0 0),
            parity!("zmm28" $s31 $s30 $s34),
            parity!("zmm25" $s01 $s00 $s04),
            parity!("zmm27" $s21 $s20 $s24),
            taken!($j word 1 0),
            parity!("zmm29" $s43 $s42),
            parity!("zmm26" $s13 $s12),
            parity!("zmm28" $s33 $s32),
            parity!("zmm25" $s03 $s02),
            parity!("zmm27" $s23 $s22),
            neighbours!("zmm30" "zmm27" "zmm29"),
            neighbours!("zmm31" "zmm29" "zmm26"),
            neighbours!("zmm29" "zmm26" "zmm28"),
            neighbours!("zmm26" "zmm28" "zmm25"),
            neighbours!("zmm28" "zmm25" "zmm27"),
            taken!($j word 2 0),
            moves!(
                [$s30 $s13 $s41 $s24 $s02] ["zmm30" "zmm28" "zmm26" "zmm29" "zmm31"] [36 19 44 3 61]
            ),
            "vmovdqa64 ", $s02, ", zmm25\n",
            taken!($j word 3 0),
            chi!([$s02 $s13 $s24 $s30 $s41]),
            taken!($j pointer 1),
            "vpxorq ", $s00, ", ", $s00, ", zmm31\n",
            "vpxorq ", $s11, ", ", $s11, ", zmm28\n",
            "vpxorq ", $s22, ", ", $s22, ", zmm29\n",
            "vpxorq ", $s33, ", ", $s33, ", zmm30\n",
            "vpxorq ", $s44, ", ", $s44, ", zmm26\n",
            "vprorq ", $s11, ", ", $s11, ", 20\n",
            "vprorq ", $s22, ", ", $s22, ", 21\n",
            "vprorq ", $s33, ", ", $s33, ", 43\n",
            "vprorq ", $s44, ", ", $s44, ", 50\n",
            "vmovdqa64 zmm25, ", $s00, "\n",
            taken!($j word 0 1),
            chi!(
                [$s00 $s11 $s22 $s33 $s44]
                concat!("vpxorq ", $s00, ", ", $s00, ", [{constants} + 8*", $j, "]{{1to8}}\n")
            ),
            taken!($j word 1 1),
            moves!(
                [$s20 $s42 $s14 $s31 $s03] ["zmm29" "zmm26" "zmm28" "zmm30" "zmm31"] [2 25 62 9 23]
            ),
            "vmovdqa64 ", $s03, ", zmm25\n",
            chi!([$s03 $s14 $s20 $s31 $s42]),
            taken!($j word 2 1),
            moves!(
                [$s40 $s34 $s23 $s12 $s01] ["zmm26" "zmm30" "zmm29" "zmm28" "zmm31"] [37 8 49 54 28]
            ),
            "vmovdqa64 ", $s01, ", zmm25\n",
            chi!([$s01 $s12 $s23 $s34 $s40]),
            taken!($j word 3 1),
            moves!(
                [$s10 $s21 $s32 $s43 $s04] ["zmm28" "zmm29" "zmm30" "zmm26" "zmm31"]
                [63 58 39 56 46]
            ),
            "vmovdqa64 ", $s04, ", zmm25\n",
            chi!([$s04 $s10 $s21 $s32 $s43]),
            rounds!(
                $s00 $s02 $s04 $s01 $s03 $s11 $s13 $s10 $s12 $s14 $s22 $s24 $s21 $s23 $s20
                $s33 $s30 $s32 $s34 $s31 $s44 $s41 $s43 $s40 $s42;
                $($more)*
            ),
        )
    };
}

/// Takes the states through all 24 rounds. Meanwhile, it puts the first `count` words that the
/// buffers have at `offset` to `words`.
///
/// # Safety
/// - The CPU has AVX-512 F.
/// - `data` is readable for eight pointers, and each of these for `count` words from `offset` on.
/// - `words` is writable for `count` rows, and `count` is at least 4.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn permute(
    s: &mut Rows<U64x8>,
    data: *const *const u8,
    offset: usize,
    words: *mut [u64; LANES],
    count: usize,
) {
    // Unknown to the compiler, which otherwise unrolls the loop to 18 KiB of instructions.
    let groups = core::hint::black_box(CONSTANTS.len());
    for (group, constants) in CONSTANTS.iter().enumerate().take(groups) {
        // Four words in each of six groups are more than there are: the last ones are taken again.
        let first = (4 * group).min(count - 4);
        // SAFETY: the assembly reads four constants, and four words of each buffer from word
        // `first` on, and writes them to four rows of `words`; `first + 4` is at most `count`, and
        // these places are valid by this function's contract. All registers that are written are
        // named.
        // Changes: zmm0 to zmm31; the registers of `from` and `word`; the words from `words` on. No
        // flags, no mask register, no stack.
        unsafe {
            asm!(
                rounds!(
                    "zmm0" "zmm5" "zmm10" "zmm15" "zmm20" "zmm1" "zmm6" "zmm11" "zmm16" "zmm21"
                    "zmm2" "zmm7" "zmm12" "zmm17" "zmm22" "zmm3" "zmm8" "zmm13" "zmm18" "zmm23"
                    "zmm4" "zmm9" "zmm14" "zmm19" "zmm24";
                    0 1 2 3
                ),
                data = in(reg) data,
                offset = in(reg) offset + 8 * first,
                words = in(reg) words.add(first),
                constants = in(reg) constants,
                from = out(reg) _,
                word = out(reg) _,
                inout("zmm0") s[0][0].0, inout("zmm1") s[0][1].0, inout("zmm2") s[0][2].0,
                inout("zmm3") s[0][3].0, inout("zmm4") s[0][4].0, inout("zmm5") s[1][0].0,
                inout("zmm6") s[1][1].0, inout("zmm7") s[1][2].0, inout("zmm8") s[1][3].0,
                inout("zmm9") s[1][4].0, inout("zmm10") s[2][0].0, inout("zmm11") s[2][1].0,
                inout("zmm12") s[2][2].0, inout("zmm13") s[2][3].0, inout("zmm14") s[2][4].0,
                inout("zmm15") s[3][0].0, inout("zmm16") s[3][1].0, inout("zmm17") s[3][2].0,
                inout("zmm18") s[3][3].0, inout("zmm19") s[3][4].0, inout("zmm20") s[4][0].0,
                inout("zmm21") s[4][1].0, inout("zmm22") s[4][2].0, inout("zmm23") s[4][3].0,
                inout("zmm24") s[4][4].0, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                options(nostack, preserves_flags),
            );
        }
    }
}
