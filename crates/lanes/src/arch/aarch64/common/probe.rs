//! The loops for AArch64.

use core::arch::asm;

use crate::features::Feature::*;
use crate::features::Features;
use crate::loops::{Needs, Operation, Probe, Unit, alternate, blend, twelve};

/// Operands of a vector instruction: destination, and sources that are never written.
macro_rules! three {
    ($n:literal, ($op:literal, $shape:literal, $tail:literal)) => {
        concat!($op, " v", $n, $shape, ", v30", $shape, ", ", $tail, "\n")
    };
}

/// Operands of an instruction whose results are twice as wide as its sources.
macro_rules! long {
    ($n:literal, ($op:literal, $wide:literal, $narrow:literal)) => {
        concat!($op, " v", $n, $wide, ", v30", $narrow, ", v31", $narrow, "\n")
    };
}

/// Operands of an AES round, a fused pair of instructions.
macro_rules! aes_round {
    ($n:literal, ()) => {
        concat!("aese v", $n, ".16b, v31.16b\n", "aesmc v", $n, ".16b, v", $n, ".16b\n",)
    };
}

/// Operands of four rounds of a hash on one buffer.
macro_rules! hash_rounds {
    ($n:literal, ($op:literal, $source:literal)) => {
        concat!($op, " q", $n, ", ", $source, ", v31.4s\n")
    };
}

/// A loop of four times twelve lines over vector registers.
macro_rules! vector_loop {
    ($name:ident, $features:literal, $lines:expr) => {
        #[target_feature(enable = $features)]
        unsafe fn $name(iterations: u64) {
            // SAFETY: the loop touches only the registers named as clobbered and runs
            // `iterations` (not zero) times; its instructions are those of the enabled
            // features.
            unsafe {
                // Changes: v0 to v12, v30 and v31; the register of `count`; flags. No memory, no
                // stack.
                asm!(
                    ".p2align 5",
                    "2:",
                    $lines, $lines, $lines, $lines,
                    "subs {count}, {count}, #1",
                    "b.ne 2b",
                    count = inout(reg) iterations => _,
                    out("v12") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v8") _, out("v9") _, out("v10") _, out("v11") _,
                    out("v30") _, out("v31") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

vector_loop!(add_128, "neon", twelve!(three, ("add", ".4s", "v31.4s")));
vector_loop!(add64_128, "neon", twelve!(three, ("add", ".2d", "v31.2d")));
vector_loop!(logic_128, "neon", twelve!(three, ("eor", ".16b", "v31.16b")));
vector_loop!(shift_128, "neon", twelve!(three, ("shl", ".4s", "#7")));
vector_loop!(shift64_128, "neon", twelve!(three, ("shl", ".2d", "#7")));
vector_loop!(ternary_128, "neon", twelve!(three, ("bsl", ".16b", "v31.16b")));
vector_loop!(shuffle_128, "neon", twelve!(three, ("zip1", ".4s", "v31.4s")));
vector_loop!(
    shift_shuffle_128,
    "neon",
    alternate!(three, ("shl", ".4s", "#7"), ("zip1", ".4s", "v31.4s"))
);
vector_loop!(
    mixed_128,
    "neon",
    blend!(three, ("add", ".4s", "v31.4s"), ("eor", ".16b", "v31.16b"), ("shl", ".4s", "#7"))
);
vector_loop!(multiply_128, "neon", twelve!(long, ("umull", ".2d", ".2s")));
vector_loop!(carry_less_128, "neon,aes", twelve!(long, ("pmull", ".1q", ".1d")));
vector_loop!(aes_128, "neon,aes", twelve!(aes_round, ()));
vector_loop!(sha1_128, "neon,sha2", twelve!(hash_rounds, ("sha1c", "s30")));
vector_loop!(sha256_128, "neon,sha2", twelve!(hash_rounds, ("sha256h", "q30")));

/// A loop of eight times six lines over general registers, by three kinds of operation in turn.
macro_rules! scalar_loop {
    ($name:ident, $a:literal, $b:literal, $c:literal) => {
        unsafe fn $name(iterations: u64) {
            // SAFETY: the loop touches only general registers named as clobbered, runs
            // `iterations` (not zero) times and uses only base instructions.
            unsafe {
                // Changes: x9 to x13 and x16, the register of `count`, and flags. No memory, no
                // stack.
                asm!(
                    ".p2align 5",
                    "2:",
                    ".rept 8",
                    concat!($a, " x9, x15, x14\n", $b, " x10, x15, x14\n"),
                    concat!($c, " x11, x15, x14\n", $a, " x12, x15, x14\n"),
                    concat!($b, " x13, x15, x14\n", $c, " x16, x15, x14\n"),
                    ".endr",
                    "subs {count}, {count}, #1",
                    "b.ne 2b",
                    count = inout(reg) iterations => _,
                    out("x9") _, out("x10") _, out("x11") _, out("x12") _, out("x13") _,
                    out("x14") _, out("x15") _, out("x16") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

scalar_loop!(add_scalar, "add", "add", "add");
scalar_loop!(multiply_scalar, "mul", "mul", "mul");
scalar_loop!(rotate_scalar, "ror", "ror", "ror");
scalar_loop!(mixed_scalar, "add", "eor", "ror");

macro_rules! probes {
    ($unit:ident: $($operation:ident => $run:ident),+ $(,)?) => {
        &[$(Probe { unit: Unit::$unit, operation: Operation::$operation, run: $run }),+]
    };
}

/// Probes by what they need of the CPU.
pub(crate) const TABLE: &[Needs] = &[
    (
        Features::NONE,
        probes!(Scalar:
            Add => add_scalar, Rotate => rotate_scalar, Mixed => mixed_scalar,
            Multiply => multiply_scalar,
        ),
    ),
    (
        Features::NONE,
        probes!(Vec128:
            Add => add_128, Add64 => add64_128, Logic => logic_128, Shift => shift_128,
            Shift64 => shift64_128, Ternary => ternary_128, Shuffle => shuffle_128,
            ShiftShuffle => shift_shuffle_128, Mixed => mixed_128, Multiply => multiply_128,
        ),
    ),
    (Features::of(&[Aes]), probes!(Vec128: Aes => aes_128)),
    (Features::of(&[Pmull]), probes!(Vec128: CarryLess => carry_less_128)),
    (Features::of(&[Sha2]), probes!(Vec128: Sha1 => sha1_128, Sha256 => sha256_128)),
];
