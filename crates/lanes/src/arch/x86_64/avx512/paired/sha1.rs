//! The rounds of SHA-1.

use core::arch::asm;

use super::super::vectors::U32x16;
use super::{Rounds, WordOrder, Words};
use crate::kernels::hash::sha1;
use crate::vector::{Pair, Vector, each};

/// The parts of the text that only SHA-1 has.
#[rustfmt::skip]
macro_rules! sha1 {
    // The word `$on` rounds after round `4 * $g + $j`.
    (at $g:tt $j:tt $on:tt) => {
        concat!("[{words} + 128*((4*", $g, " + ", $j, " + ", $on, ") and 15) + ")
    };
    (constant $k:tt) => { concat!("dword ptr [{k} + 4*", $k, "]{{1to16}}") };
}

/// Round `4 * $g + $j`, in which `e` makes way for the next `a`, and between its instructions the
/// steps of something else. `$f` is the round's function, `$k` the number of its constant.
macro_rules! round {
    ($g:tt $j:tt $f:tt $k:tt, $a:tt $b:tt $c:tt $d:tt $e:tt, $also:tt) => {
        concat!(
            also!($g $j, word $e, $also),
            two!(sha1 "vmovdqa64 zmm" (5 13) ", zmm" $b),
            also!($g $j, 0, $also),
            two!(sha1 "vpternlogd zmm" (5 13) ", zmm" $c ", zmm" $d ", " $f),
            also!($g $j, 2, $also),
            two!(sha1 "vpaddd zmm" $e ", zmm" $e ", " {constant $k}),
            also!($g $j, 4, $also),
            two!(sha1 "vprold zmm" (6 14) ", zmm" $a ", 5"),
            also!($g $j, 6, $also),
            two!(sha1 "vprold zmm" $b ", zmm" $b ", 30"),
            also!($g $j, 7, $also),
            two!(sha1 "vpaddd zmm" $e ", zmm" $e ", zmm" (5 13)),
            also!($g $j, 8, $also),
            also!($g $j, 9, $also),
            two!(sha1 "vpaddd zmm" $e ", zmm" $e ", zmm" (6 14)),
            also!($g $j, 10, $also),
            also!($g $j, 11, $also),
        )
    };
}

/// A step of adding the word of the round; of making the word sixteen rounds on in its place, in
/// register `$new`, where register `$w13` has the word thirteen rounds on; or of taking the next
/// block.
#[rustfmt::skip]
macro_rules! also {
    ($g:tt $j:tt, word $e:tt, (word $new:tt $w13:tt)) => { concat!(
        two!(sha1 "vmovdqa64 zmm" $new ", " {at $g $j 0} (0 64) "]"),
        two!(sha1 "vpaddd zmm" $e ", zmm" $e ", zmm" $new),
    ) };
    ($g:tt $j:tt, word $e:tt, $also:tt) => {
        two!(sha1 "vpaddd zmm" $e ", zmm" $e ", " {at $g $j 0} (0 64) "]")
    };
    ($g:tt $j:tt, 2, (word $new:tt $w13:tt)) => {
        two!(sha1 "vpxord zmm" $new ", zmm" $new ", " {at $g $j 2} (0 64) "]")
    };
    ($g:tt $j:tt, 6, (word $new:tt $w13:tt)) => {
        two!(sha1 "vpternlogd zmm" $new ", zmm" $w13 ", " {at $g $j 8} (0 64) "], 0x96")
    };
    ($g:tt $j:tt, 8, (word $new:tt $w13:tt)) => {
        two!(sha1 "vprold zmm" $new ", zmm" $new ", 1")
    };
    ($g:tt $j:tt, 10, (word $new:tt $w13:tt)) => {
        two!(sha1 "vmovdqa64 " {at $g $j 0} (0 64) "], zmm" $new)
    };
    ($g:tt $j:tt, $step:tt, (take $part:tt $lane:tt $to:tt)) => {
        take32!(sha1 $step, $part $lane $to)
    };
    ($g:tt $j:tt, $step:tt, $also:tt) => { "" };
}

/// Groups of four rounds: for each its number, function and constant, and the steps beside. After a
/// group, the five variables are a register further on.
macro_rules! groups {
    ($variables:tt) => { "" };
    (
        [$a:tt $b:tt $c:tt $d:tt $e:tt]
        ($g:tt $f:tt $k:tt [$also0:tt $also1:tt $also2:tt $also3:tt]) $($more:tt)*
    ) => {
        concat!(
            round!($g 0 $f $k, $a $b $c $d $e, $also0),
            round!($g 1 $f $k, $e $a $b $c $d, $also1),
            round!($g 2 $f $k, $d $e $a $b $c, $also2),
            round!($g 3 $f $k, $c $d $e $a $b, $also3),
            groups!([$b $c $d $e $a] $($more)*),
        )
    };
}

/// The first 64 rounds, each of which makes a word; the last three words are in registers.
macro_rules! making {
    ($(($g:tt $f:tt $k:tt))*) => {
        concat!(
            two!(sha1 "vmovdqa64 zmm" (20 28) ", " {at 0 0 13} (0 64) "]"),
            two!(sha1 "vmovdqa64 zmm" (21 29) ", " {at 0 0 14} (0 64) "]"),
            two!(sha1 "vmovdqa64 zmm" (22 30) ", " {at 0 0 15} (0 64) "]"),
            groups!(
                [(0 8) (1 9) (2 10) (3 11) (4 12)]
                $(($g $f $k [
                    (word (19 27) (20 28)) (word (20 28) (21 29)) (word (21 29) (22 30))
                    (word (22 30) (19 27))
                ]))*
            )
        )
    };
}

/// The last sixteen rounds, of a kind.
#[rustfmt::skip]
macro_rules! last {
    (none) => {
        last!(
            [none none none none] [none none none none]
            [none none none none] [none none none none]
        )
    };
    (take) => { last!(
        [
            (take 0 (0 16) (20 28)) (take 0 (1 17) (21 29))
            (take 0 (2 18) (22 30)) (take 0 (3 19) (23 31))
        ]
        [
            (take 1 (0 16) (20 28)) (take 1 (1 17) (21 29))
            (take 1 (2 18) (22 30)) (take 1 (3 19) (23 31))
        ]
        [
            (take 2 (0 16) (20 28)) (take 2 (1 17) (21 29))
            (take 2 (2 18) (22 30)) (take 2 (3 19) (23 31))
        ]
        [
            (take 3 (0 16) (20 28)) (take 3 (1 17) (21 29))
            (take 3 (2 18) (22 30)) (take 3 (3 19) (23 31))
        ]
    ) };
    ($first:tt $second:tt $third:tt $fourth:tt) => {
        groups!(
            [(1 9) (2 10) (3 11) (4 12) (0 8)]
            (16 "0x96" 3 $first) (17 "0x96" 3 $second) (18 "0x96" 3 $third) (19 "0x96" 3 $fourth)
        )
    };
}

/// All rounds of a block, and the sums with the state that it started from. Beside the last sixteen
/// rounds, there is `none` or what takes the next block (`take`).
macro_rules! block {
    ($rows:ident, $words:ident, $last:ident, $($operands:tt)*) => {{
        let mut s = each!(i in 5 => [$rows[i].0.0, $rows[i].1.0]);
        // Changes: zmm0 to zmm6, zmm8 to zmm14, zmm19 to zmm23 and zmm27 to zmm31; the words at
        // `words`; with `take`, the registers of `p` and `o` and the words at `next`. No flags, no
        // mask register, no stack.
        asm!(
            making!(
                (0 "0xca" 0) (1 "0xca" 0) (2 "0xca" 0) (3 "0xca" 0) (4 "0xca" 0)
                (5 "0x96" 1) (6 "0x96" 1) (7 "0x96" 1) (8 "0x96" 1) (9 "0x96" 1)
                (10 "0xe8" 2) (11 "0xe8" 2) (12 "0xe8" 2) (13 "0xe8" 2) (14 "0xe8" 2)
                (15 "0x96" 3)
            ),
            last!($last),
            words = in(reg) $words,
            k = in(reg) CONSTANTS.as_ptr(),
            $($operands)*
            inout("zmm0") s[0][0], inout("zmm1") s[1][0], inout("zmm2") s[2][0],
            inout("zmm3") s[3][0], inout("zmm4") s[4][0], inout("zmm8") s[0][1],
            inout("zmm9") s[1][1], inout("zmm10") s[2][1], inout("zmm11") s[3][1],
            inout("zmm12") s[4][1],
            out("zmm5") _, out("zmm6") _, out("zmm13") _, out("zmm14") _, out("zmm19") _,
            out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _, out("zmm27") _,
            out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(nostack, preserves_flags),
        );
        for i in 0..5 {
            $rows[i] = $rows[i].add(Pair(U32x16(s[i][0]), U32x16(s[i][1])));
        }
    }};
}

static CONSTANTS: [u32; 4] = sha1::K;
static ORDER: WordOrder = WordOrder::reversed(4);

rounds_of!(sha1::Core, U32x16, ORDER, block());
