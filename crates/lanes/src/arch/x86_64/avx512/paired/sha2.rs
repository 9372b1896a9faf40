//! The rounds of SHA-256 and SHA-512. They differ in their rotations and constants.

use core::arch::asm;

use super::super::vectors::{U32x16, U64x8};
use super::{Rounds, WordOrder, Words};
use crate::kernels::hash::{sha256, sha512};
use crate::vector::{Pair, Vector, Word, each};

/// What is SHA-256's in the text.
#[rustfmt::skip]
macro_rules! sha256 {
    (rotate) => { "vprord zmm" };
    (shift) => { "vpsrld zmm" };
    (add) => { "vpaddd zmm" };
    (constant $t:tt) => { concat!("dword ptr [{k} + 4*", $t, "]{{1to16}}") };
    (sum_e 0) => { ", 6" }; (sum_e 1) => { ", 11" }; (sum_e 2) => { ", 25" };
    (sum_a 0) => { ", 2" }; (sum_a 1) => { ", 13" }; (sum_a 2) => { ", 22" };
    (sigma_0 0) => { ", 7" }; (sigma_0 1) => { ", 18" }; (sigma_0 2) => { ", 3" };
    (sigma_1 0) => { ", 17" }; (sigma_1 1) => { ", 19" }; (sigma_1 2) => { ", 10" };
}

/// What is SHA-512's in the text.
#[rustfmt::skip]
macro_rules! sha512 {
    (rotate) => { "vprorq zmm" };
    (shift) => { "vpsrlq zmm" };
    (add) => { "vpaddq zmm" };
    (constant $t:tt) => { concat!("qword ptr [{k} + 8*", $t, "]{{1to8}}") };
    (sum_e 0) => { ", 14" }; (sum_e 1) => { ", 18" }; (sum_e 2) => { ", 41" };
    (sum_a 0) => { ", 28" }; (sum_a 1) => { ", 34" }; (sum_a 2) => { ", 39" };
    (sigma_0 0) => { ", 1" }; (sigma_0 1) => { ", 8" }; (sigma_0 2) => { ", 7" };
    (sigma_1 0) => { ", 19" }; (sigma_1 1) => { ", 61" }; (sigma_1 2) => { ", 6" };
}

/// Round `$t` of sixteen, and between its instructions the steps of something else.
macro_rules! round {
    (
        $h:ident $t:tt, $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $last:tt, $also:tt
    ) => {
        concat!(
            two!($h {rotate} (16 24) ", zmm" $e {sum_e 0}),
            two!($h {rotate} (17 25) ", zmm" $e {sum_e 1}),
            also!($h $t, 0, $also),
            two!($h {add} $last ", zmm" $last ", " {word $t 0} (0 64) "]"),
            two!($h {rotate} (18 26) ", zmm" $e {sum_e 2}),
            also!($h $t, 1, $also),
            two!($h {add} $last ", zmm" $last ", " {constant $t}),
            two!($h "vpternlogd zmm" (16 24) ", zmm" (17 25) ", zmm" (18 26) ", 0x96"),
            also!($h $t, 2, $also),
            two!($h "vmovdqa64 zmm" (17 25) ", zmm" $e),
            two!($h "vpternlogd zmm" (17 25) ", zmm" $f ", zmm" $g ", 0xca"),
            also!($h $t, 3, $also),
            two!($h {add} $last ", zmm" $last ", zmm" (17 25)),
            also!($h $t, 4, $also),
            two!($h {add} $last ", zmm" $last ", zmm" (16 24)),
            also!($h $t, 5, $also),
            two!($h {rotate} (16 24) ", zmm" $a {sum_a 0}),
            two!($h {add} $d ", zmm" $d ", zmm" $last),
            also!($h $t, 6, $also),
            two!($h {rotate} (17 25) ", zmm" $a {sum_a 1}),
            also!($h $t, 7, $also),
            two!($h {rotate} (18 26) ", zmm" $a {sum_a 2}),
            also!($h $t, 8, $also),
            two!($h "vpternlogd zmm" (16 24) ", zmm" (17 25) ", zmm" (18 26) ", 0x96"),
            two!($h "vmovdqa64 zmm" (17 25) ", zmm" $a),
            also!($h $t, 9, $also),
            two!($h "vpternlogd zmm" (17 25) ", zmm" $b ", zmm" $c ", 0xe8"),
            also!($h $t, 10, $also),
            two!($h {add} $last ", zmm" $last ", zmm" (16 24)),
            also!($h $t, 11, $also),
            two!($h {add} $last ", zmm" $last ", zmm" (17 25)),
            also!($h $t, 12, $also),
        )
    };
}

/// A step of making the word sixteen rounds on, in place of the word of this round, or of taking
/// the next block.
#[rustfmt::skip]
macro_rules! also {
    ($h:ident $t:tt, 0, word) => { two!($h "vmovdqa64 zmm" (19 27) ", " {word $t 1} (0 64) "]") };
    ($h:ident $t:tt, 1, word) => { two!($h {rotate} (20 28) ", zmm" (19 27) {sigma_0 0}) };
    ($h:ident $t:tt, 2, word) => { two!($h {rotate} (21 29) ", zmm" (19 27) {sigma_0 1}) };
    ($h:ident $t:tt, 3, word) => { two!($h {shift} (19 27) ", zmm" (19 27) {sigma_0 2}) };
    ($h:ident $t:tt, 4, word) => {
        two!($h "vpternlogd zmm" (19 27) ", zmm" (20 28) ", zmm" (21 29) ", 0x96")
    };
    ($h:ident $t:tt, 5, word) => { two!($h "vmovdqa64 zmm" (22 30) ", " {word $t 14} (0 64) "]") };
    ($h:ident $t:tt, 6, word) => { two!($h {rotate} (20 28) ", zmm" (22 30) {sigma_1 0}) };
    ($h:ident $t:tt, 7, word) => {
        two!($h {add} (19 27) ", zmm" (19 27) ", " {word $t 9} (0 64) "]")
    };
    ($h:ident $t:tt, 8, word) => { two!($h {rotate} (21 29) ", zmm" (22 30) {sigma_1 1}) };
    ($h:ident $t:tt, 9, word) => { two!($h {shift} (22 30) ", zmm" (22 30) {sigma_1 2}) };
    ($h:ident $t:tt, 10, word) => { concat!(
        two!($h {add} (19 27) ", zmm" (19 27) ", " {word $t 0} (0 64) "]"),
        two!($h "vpternlogd zmm" (22 30) ", zmm" (20 28) ", zmm" (21 29) ", 0x96"),
    ) };
    ($h:ident $t:tt, 11, word) => { two!($h {add} (19 27) ", zmm" (19 27) ", zmm" (22 30)) };
    ($h:ident $t:tt, 12, word) => { two!($h "vmovdqa64 " {word $t 0} (0 64) "], zmm" (19 27)) };
    (sha256 $t:tt, $step:tt, ($part:tt $lane:tt $to:tt)) => {
        take32!(sha256 $step, $part $lane $to)
    };
    (sha512 $t:tt, $step:tt, ($part:tt $lane:tt $vector:tt)) => {
        take64!(sha512 $step, $part $lane $vector)
    };
    ($h:ident $t:tt, $step:tt, $also:tt) => { "" };
}

/// Sixteen rounds, beside the steps that are listed for each. After a round, the eight variables
/// are a register further on.
macro_rules! rounds {
    ($h:ident [$($also:tt)*]) => {
        rounds!(
            $h [(0 8) (1 9) (2 10) (3 11) (4 12) (5 13) (6 14) (7 15)]
            [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $($also)*
        )
    };
    ($h:ident $variables:tt []) => { "" };
    (
        $h:ident [$a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $last:tt] [$t:tt $($later:tt)*]
        $also:tt $($more:tt)*
    ) => {
        concat!(
            round!($h $t, $a $b $c $d $e $f $g $last, $also),
            rounds!($h [$last $a $b $c $d $e $f $g] [$($later)*] $($more)*),
        )
    };
}

/// Sixteen rounds of a kind.
#[rustfmt::skip]
macro_rules! sixteen {
    ($h:ident word) => {
        rounds!($h [
            word word word word word word word word word word word word word word word word
        ])
    };
    (sha256 take) => {
        rounds!(sha256 [
            (0 (0 16) (20 28)) (0 (1 17) (21 29)) (0 (2 18) (22 30)) (0 (3 19) (23 31))
            (1 (0 16) (20 28)) (1 (1 17) (21 29)) (1 (2 18) (22 30)) (1 (3 19) (23 31))
            (2 (0 16) (20 28)) (2 (1 17) (21 29)) (2 (2 18) (22 30)) (2 (3 19) (23 31))
            (3 (0 16) (20 28)) (3 (1 17) (21 29)) (3 (2 18) (22 30)) (3 (3 19) (23 31))
        ])
    };
    (sha512 take) => {
        rounds!(sha512 [
            (0 (0 1) 0) (0 (8 9) 1) (1 (0 1) 0) (1 (8 9) 1) (2 (0 1) 0) (2 (8 9) 1)
            (3 (0 1) 0) (3 (8 9) 1) (4 (0 1) 0) (4 (8 9) 1) (5 (0 1) 0) (5 (8 9) 1)
            (6 (0 1) 0) (6 (8 9) 1) (7 (0 1) 0) (7 (8 9) 1)
        ])
    };
    ($h:ident none) => {
        rounds!($h [
            none none none none none none none none none none none none none none none none
        ])
    };
}

/// All rounds of a block, and the sums with the state that it started from. Beside the last sixteen
/// rounds, there is `none` or what takes the next block (`take`).
macro_rules! block {
    ($h:ident $v:ident, $k:expr, $rows:ident, $words:ident, $last:ident, $($operands:tt)*) => {{
        let mut s = each!(i in 8 => [$rows[i].0.0, $rows[i].1.0]);
        // The constants of the last sixteen rounds.
        let last = $k.last_chunk::<16>().expect("there are more than sixteen");
        // Changes: all vector registers; the register of `k`; flags; the words at `words`; with
        // `take`, the registers of `p` and `o` and the words at `next`. No mask register, no stack.
        asm!(
            ".p2align 5",
            "2:",
            sixteen!($h word),
            "add {k}, {length}",
            "cmp {k}, {last}",
            "jne 2b",
            sixteen!($h $last),
            words = in(reg) $words,
            k = inout(reg) $k.as_ptr() => _,
            last = in(reg) last.as_ptr(),
            length = const 16 * <$v as Vector>::Word::BYTES,
            $($operands)*
            inout("zmm0") s[0][0], inout("zmm1") s[1][0], inout("zmm2") s[2][0],
            inout("zmm3") s[3][0], inout("zmm4") s[4][0], inout("zmm5") s[5][0],
            inout("zmm6") s[6][0], inout("zmm7") s[7][0], inout("zmm8") s[0][1],
            inout("zmm9") s[1][1], inout("zmm10") s[2][1], inout("zmm11") s[3][1],
            inout("zmm12") s[4][1], inout("zmm13") s[5][1], inout("zmm14") s[6][1],
            inout("zmm15") s[7][1],
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _,
            out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm24") _, out("zmm25") _,
            out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _,
            out("zmm31") _,
            options(nostack),
        );
        for i in 0..8 {
            $rows[i] = $rows[i].add(Pair($v(s[i][0]), $v(s[i][1])));
        }
    }};
}

rounds_of!(sha256::Core, U32x16, ORDER32, block(sha256 U32x16, K32,));
rounds_of!(sha512::Core, U64x8, ORDER64, block(sha512 U64x8, K64,));

static K32: [u32; 64] = sha256::K;
static K64: [u64; 80] = sha512::K;

static ORDER32: WordOrder = WordOrder::reversed(4);
static ORDER64: WordOrder = WordOrder::reversed(8);
