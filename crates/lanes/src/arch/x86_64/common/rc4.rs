//! x86-64: up to four keystreams in its sixteen registers.
//!
//! Compilers do not find the forms that make a byte eight instructions: sums in the low byte of a
//! register whose others are zero, and a byte of keystream loaded into a register that turns by
//! eight bits after each. With those, the five accesses to memory are what limits it.

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_xor_si128};

use crate::kernels::rc4::kernel::{GROUP, LaneState, MAX_LANES, Rc4Kernel, Streams};

/// Instructions of any x86-64 CPU.
pub(crate) static KERNEL: Rc4Kernel =
    Rc4Kernel { name: "x86-64", lanes: MAX_LANES, groups: &[groups1, groups2, groups3, groups4] };

// The distances from the first state in the lists of lanes below.
const _: () = assert!(LaneState::SIZE == 1088);

/// The instructions of one byte in one lane, whose state is `$state` bytes on, for entry `$entry`
/// of those from `x` on. Leaves the byte in the highest of `$stream`.
#[rustfmt::skip]
macro_rules! step {
    ($state:literal, $entry:literal, $place:literal, $stream:literal) => {
        concat!(
            "mov {a:e}, dword ptr [{x} + 4*", $entry, " + ", $state, "]\n",
            "add {", $place, ":l}, {a:l}\n",
            "mov {b:e}, dword ptr [{s} + 4*{", $place, "} + ", $state, "]\n",
            "mov dword ptr [{s} + 4*{", $place, "} + ", $state, "], {a:e}\n",
            "mov dword ptr [{x} + 4*", $entry, " + ", $state, "], {b:e}\n",
            "add {a:l}, {b:l}\n",
            "mov {", $stream, ":l}, byte ptr [{s} + 4*{a} + ", $state, "]\n",
            "ror {", $stream, "}, 8\n",
        )
    };
}

/// The instructions of eight bytes, those of eight entries, in all lanes.
macro_rules! eight {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $lanes:tt) => {
        concat!(
            each_lane!($a, $lanes),
            each_lane!($b, $lanes),
            each_lane!($c, $lanes),
            each_lane!($d, $lanes),
            each_lane!($e, $lanes),
            each_lane!($f, $lanes),
            each_lane!($g, $lanes),
            each_lane!($h, $lanes),
        )
    };
}

/// The instructions of one byte in all lanes.
macro_rules! each_lane {
    ($entry:literal, [$($state:literal $place:literal $stream:literal $wide:literal)*]) => {
        concat!($(step!($state, $entry, $place, $stream)),*)
    };
}

/// The instructions of a group in all lanes. The halves of the group meet in a vector register, so
/// that sixteen bytes of text take one load and one store: accesses to memory are the limit.
macro_rules! group {
    ([$($state:literal $place:literal $stream:literal $wide:literal)*]) => {
        concat!(
            eight!("0" "1" "2" "3" "4" "5" "6" "7", [$($state $place $stream $wide)*]),
            $("movq {", $wide, "}, {", $stream, "}\n",)*
            eight!("8" "9" "10" "11" "12" "13" "14" "15", [$($state $place $stream $wide)*]),
            $("movq {v}, {", $stream, "}\n", "punpcklqdq {", $wide, "}, {v}\n",)*
        )
    };
}

/// Makes [`Rc4Kernel::groups`] for a number of lanes.
macro_rules! groups {
    (
        $name:ident,
        $($lane:literal $state:literal $j:ident $jn:literal $k:ident $kn:literal $w:ident $wn:literal),*
    ) => {
        /// Does what [`Rc4Kernel::groups`] does, with its contract.
        unsafe fn $name(streams: &mut Streams, first: usize, groups: usize) {
            let Streams { states, places, src, dst } = streams;
            let states = states.as_mut_ptr().cast::<u32>();
            $(let mut $j = places[$lane];)*
            let mut at = first;
            for _ in 0..groups {
                $(let $w: __m128i;)*
                // SAFETY: `first + 1` is a multiple of a group's sixteen bytes, by the contract of
                // `groups`, so that the sixteen entries from `x` on lie within a state. Places and
                // sums are less than 256, so that all other accesses do, too.
                unsafe {
                    // Changes: the registers of `a`, `b` and `v`, of each lane's place, stream and
                    // sum; flags; the states. No stack.
                    asm!(
                        group!([$($state $jn $kn $wn)*]),
                        s = in(reg) states,
                        x = in(reg) states.add((at + 1) % 256),
                        a = out(reg) _,
                        b = out(reg) _,
                        v = out(xmm_reg) _,
                        $($j = inout(reg) $j, $k = inout(reg) 0_u64 => _, $w = out(xmm_reg) $w,)*
                        options(nostack),
                    );
                }
                // SAFETY: `src` is readable and `dst` writable for the group at `at`, by the
                // contract of `groups`.
                unsafe {
                    $({
                        let text = _mm_loadu_si128(src[$lane].add(at).cast());
                        _mm_storeu_si128(dst[$lane].add(at).cast(), _mm_xor_si128(text, $w));
                    })*
                }
                at += GROUP;
            }
            $(places[$lane] = $j;)*
        }
    };
}

groups!(groups1, 0 "0" j0 "j0" k0 "k0" w0 "w0");
groups!(groups2, 0 "0" j0 "j0" k0 "k0" w0 "w0", 1 "1088" j1 "j1" k1 "k1" w1 "w1");
groups!(
    groups3,
    0 "0" j0 "j0" k0 "k0" w0 "w0", 1 "1088" j1 "j1" k1 "k1" w1 "w1",
    2 "2176" j2 "j2" k2 "k2" w2 "w2"
);
groups!(
    groups4,
    0 "0" j0 "j0" k0 "k0" w0 "w0", 1 "1088" j1 "j1" k1 "k1" w1 "w1",
    2 "2176" j2 "j2" k2 "k2" w2 "w2", 3 "3264" j3 "j3" k3 "k3" w3 "w3"
);
