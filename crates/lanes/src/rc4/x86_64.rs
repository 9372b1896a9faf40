//! x86-64: up to four keystreams in its sixteen registers.
//!
//! Compilers do not find the forms that make a byte eight instructions: sums in the low byte of a register whose
//! others are zero, and a byte of keystream loaded into a register that turns by eight bits after each. With
//! those, the five accesses to memory are what limits it.

use core::arch::asm;

use super::kernel::{GROUP, Kernel, MAX_LANES, Streams};

/// Instructions of any x86-64 CPU.
pub(super) static KERNEL: Kernel =
    Kernel { name: "x86-64", lanes: MAX_LANES, groups: &[groups1, groups2, groups3, groups4] };

/// The instructions of one byte in one lane, whose state is `$state` bytes on, for entry `$entry` of those from
/// `x` on. Leaves the byte in the highest of `$stream`.
macro_rules! step {
    ($state:literal, $entry:literal, $place:literal, $stream:literal) => {
        concat!(
            "mov {a:e}, dword ptr [{x} + 4*",
            $entry,
            " + ",
            $state,
            "]\n",
            "add {",
            $place,
            ":l}, {a:l}\n",
            "mov {b:e}, dword ptr [{s} + 4*{",
            $place,
            "} + ",
            $state,
            "]\n",
            "mov dword ptr [{s} + 4*{",
            $place,
            "} + ",
            $state,
            "], {a:e}\n",
            "mov dword ptr [{x} + 4*",
            $entry,
            " + ",
            $state,
            "], {b:e}\n",
            "add {a:l}, {b:l}\n",
            "mov {",
            $stream,
            ":l}, byte ptr [{s} + 4*{a} + ",
            $state,
            "]\n",
            "ror {",
            $stream,
            "}, 8\n",
        )
    };
}

/// The instructions of a group in all lanes.
macro_rules! group {
    ($($state:literal $place:literal $stream:literal),*) => {
        concat!(
            $(step!($state, "0", $place, $stream),)*
            $(step!($state, "1", $place, $stream),)*
            $(step!($state, "2", $place, $stream),)*
            $(step!($state, "3", $place, $stream),)*
            $(step!($state, "4", $place, $stream),)*
            $(step!($state, "5", $place, $stream),)*
            $(step!($state, "6", $place, $stream),)*
            $(step!($state, "7", $place, $stream),)*
        )
    };
}

/// Makes [`Kernel::groups`] for a number of lanes.
macro_rules! groups {
    ($name:ident, $($lane:literal $state:literal $j:ident $jn:literal $k:ident $kn:literal),*) => {
        /// [`Kernel::groups`], with its contract.
        unsafe fn $name(streams: &mut Streams, first: usize, groups: usize) {
            let Streams { states, places, src, dst } = streams;
            let states = states.as_mut_ptr().cast::<u32>();
            $(let mut $j = places[$lane];)*
            let mut at = first;
            for _ in 0..groups {
                $(let mut $k = 0_u64;)*
                // SAFETY: eight entries from `x` on are within a state, as `first` is what the contract
                // says; places and sums are less than 256.
                unsafe {
                    asm!(
                        group!($($state $jn $kn),*),
                        s = in(reg) states,
                        x = in(reg) states.add((at + 1) % 256),
                        a = out(reg) _,
                        b = out(reg) _,
                        $($j = inout(reg) $j, $k = inout(reg) $k,)*
                        options(nostack),
                    );
                }
                // SAFETY: the contract: a group can be read and written.
                unsafe {
                    $({
                        let text = src[$lane].add(at).cast::<u64>().read_unaligned();
                        dst[$lane].add(at).cast::<u64>().write_unaligned(text ^ $k);
                    })*
                }
                at += GROUP;
            }
            $(places[$lane] = $j;)*
        }
    };
}

groups!(groups1, 0 "0" j0 "j0" k0 "k0");
groups!(groups2, 0 "0" j0 "j0" k0 "k0", 1 "1024" j1 "j1" k1 "k1");
groups!(groups3, 0 "0" j0 "j0" k0 "k0", 1 "1024" j1 "j1" k1 "k1", 2 "2048" j2 "j2" k2 "k2");
groups!(groups4, 0 "0" j0 "j0" k0 "k0", 1 "1024" j1 "j1" k1 "k1", 2 "2048" j2 "j2" k2 "k2", 3 "3072" j3 "j3" k3 "k3");
