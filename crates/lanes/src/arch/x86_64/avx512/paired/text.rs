//! The parts of the assembly that the rounds of SHA-1 and of SHA-2 share, and the functions around
//! it.

/// An instruction for both vectors, put together from parts. A part that differs between the
/// vectors is a pair in parentheses; a part in braces is looked up.
macro_rules! two {
    ($hash:ident $($part:tt)*) => {
        concat!($(part!(0 $hash $part)),*, "\n", $(part!(1 $hash $part)),*, "\n")
    };
}

/// A part of the text for one of the two vectors.
#[rustfmt::skip]
macro_rules! part {
    (0 $hash:ident ($one:literal $other:literal)) => { $one };
    (1 $hash:ident ($one:literal $other:literal)) => { $other };
    // The word `$on` rounds after round `$t` of sixteen.
    ($vector:tt $hash:ident {word $t:tt $on:tt}) => {
        concat!("[{words} + 128*((", $t, " + ", $on, ") and 15) + ")
    };
    ($vector:tt $hash:ident {$($name:tt)*}) => { $hash!($($name)*) };
    ($vector:tt $hash:ident $both:literal) => { $both };
}

/// A step of bringing 16 bytes of four lanes each into two registers, `$lane` and `$stride` lanes
/// on.
#[rustfmt::skip]
macro_rules! gather {
    ($h:ident 0, $part:tt $lane:tt $stride:tt $to:tt) => { concat!(
        two!($h "mov " ("{p}" "{o}") ", [{data} + 8*" $lane "]"),
        two!($h "vmovdqu64 xmm" $to ", [" ("{p}" "{o}") " + {offset} + 16*" $part "]"),
    ) };
    ($h:ident 1, $part:tt $lane:tt $stride:tt $to:tt) => {
        gather!($h at $part $lane $stride $to 1)
    };
    ($h:ident 2, $part:tt $lane:tt $stride:tt $to:tt) => {
        gather!($h at $part $lane $stride $to 2)
    };
    ($h:ident 3, $part:tt $lane:tt $stride:tt $to:tt) => {
        gather!($h at $part $lane $stride $to 3)
    };
    ($h:ident 4, $part:tt $lane:tt $stride:tt $to:tt) => {
        two!($h "vpshufb zmm" $to ", zmm" $to ", [{swap}]")
    };
    ($h:ident at $part:tt $lane:tt $stride:tt $to:tt $quarter:literal) => { concat!(
        two!($h "mov " ("{p}" "{o}") ", [{data} + 8*(" $lane " + " $stride "*" $quarter ")]"),
        two!(
            $h "vinserti32x4 zmm" $to ", zmm" $to
            ", [" ("{p}" "{o}") " + {offset} + 16*" $part "], " $quarter
        ),
    ) };
}

/// Takes four 32-bit words of all lanes of the next block, a quarter of the lanes at a time. The
/// steps for the last quarter also transpose the words, and put them in their places.
#[rustfmt::skip]
macro_rules! take32 {
    ($h:ident 0, $part:tt $lane:tt $to:tt) => { gather!($h 0, $part $lane 4 $to) };
    ($h:ident 2, $part:tt $lane:tt $to:tt) => { gather!($h 1, $part $lane 4 $to) };
    ($h:ident 4, $part:tt $lane:tt $to:tt) => { gather!($h 2, $part $lane 4 $to) };
    ($h:ident 6, $part:tt $lane:tt $to:tt) => { gather!($h 3, $part $lane 4 $to) };
    ($h:ident 7, $part:tt $lane:tt $to:tt) => { gather!($h 4, $part $lane 4 $to) };
    ($h:ident 8, $part:tt (3 19) $to:tt) => { concat!(
        two!($h "vpunpckldq zmm" (19 27) ", zmm" (20 28) ", zmm" (21 29)),
        two!($h "vpunpckhdq zmm" (20 28) ", zmm" (20 28) ", zmm" (21 29)),
    ) };
    ($h:ident 9, $part:tt (3 19) $to:tt) => { concat!(
        two!($h "vpunpckldq zmm" (21 29) ", zmm" (22 30) ", zmm" (23 31)),
        two!($h "vpunpckhdq zmm" (22 30) ", zmm" (22 30) ", zmm" (23 31)),
    ) };
    ($h:ident 10, $part:tt (3 19) $to:tt) => { concat!(
        two!($h "vpunpcklqdq zmm" (23 31) ", zmm" (19 27) ", zmm" (21 29)),
        two!($h "vmovdqa64 [{next} + 128*(4*" $part ") + " (0 64) "], zmm" (23 31)),
        two!($h "vpunpckhqdq zmm" (23 31) ", zmm" (19 27) ", zmm" (21 29)),
        two!($h "vmovdqa64 [{next} + 128*(4*" $part " + 1) + " (0 64) "], zmm" (23 31)),
    ) };
    ($h:ident 11, $part:tt (3 19) $to:tt) => { concat!(
        two!($h "vpunpcklqdq zmm" (23 31) ", zmm" (20 28) ", zmm" (22 30)),
        two!($h "vmovdqa64 [{next} + 128*(4*" $part " + 2) + " (0 64) "], zmm" (23 31)),
        two!($h "vpunpckhqdq zmm" (23 31) ", zmm" (20 28) ", zmm" (22 30)),
        two!($h "vmovdqa64 [{next} + 128*(4*" $part " + 3) + " (0 64) "], zmm" (23 31)),
    ) };
    ($h:ident $step:tt, $part:tt $lane:tt $to:tt) => { "" };
}

/// Takes two 64-bit words of all lanes of one vector, `$vector`, of the next block.
#[rustfmt::skip]
macro_rules! take64 {
    ($h:ident 0, $part:tt $lane:tt $vector:tt) => { gather!($h 0, $part $lane 2 (20 21)) };
    ($h:ident 2, $part:tt $lane:tt $vector:tt) => { gather!($h 1, $part $lane 2 (20 21)) };
    ($h:ident 4, $part:tt $lane:tt $vector:tt) => { gather!($h 2, $part $lane 2 (20 21)) };
    ($h:ident 6, $part:tt $lane:tt $vector:tt) => { gather!($h 3, $part $lane 2 (20 21)) };
    ($h:ident 8, $part:tt $lane:tt $vector:tt) => { gather!($h 4, $part $lane 2 (20 21)) };
    ($h:ident 10, $part:tt $lane:tt $vector:tt) => {
        "vpunpcklqdq zmm22, zmm20, zmm21\nvpunpckhqdq zmm23, zmm20, zmm21\n"
    };
    ($h:ident 12, $part:tt $lane:tt $vector:tt) => {
        two!($h "vmovdqa64 [{next} + 128*(2*" $part " + " (0 1) ") + 64*" $vector "], zmm" (22 23))
    };
    ($h:ident $step:tt, $part:tt $lane:tt $vector:tt) => { "" };
}

/// Implements the rounds of a hash by a macro that makes the code of a block: `block!(before...,
/// rows, words, none or take, operands...)`. Code that takes the next block needs operands of its
/// own.
macro_rules! rounds_of {
    ($core:ty, $v:ident, $order:ident, $block:ident ($($before:tt)*)) => {
        // SAFETY: the assembly reads and writes sixteen words of two vectors, and reads constants;
        // of the next block, it reads and writes each word once; all registers that are written are
        // named.
        unsafe impl Rounds for $core {
            type V = $v;

            #[inline(never)]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
            unsafe fn block(rows: &mut [Pair<$v>; 8], words: *mut Words) {
                $crate::arch::compile::align_frame!();
                // SAFETY: `words` has been written and is writable, by the contract of `block`, and
                // this function enables the instructions.
                unsafe { $block!($($before)* rows, words, none,) }
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
            unsafe fn block_and_take(
                rows: &mut [Pair<$v>; 8],
                words: *mut Words,
                data: *const *const u8,
                offset: usize,
                next: *mut Words,
            ) {
                // SAFETY: `words` has been written, `next` is writable and the buffers are readable
                // for the block, by the contract of `block_and_take`, and this function enables the
                // instructions.
                unsafe {
                    $block!($($before)* rows, words, take,
                        data = in(reg) data,
                        offset = in(reg) offset,
                        next = in(reg) next,
                        swap = in(reg) &raw const $order,
                        p = out(reg) _,
                        o = out(reg) _,
                    )
                }
            }
        }
    };
}
