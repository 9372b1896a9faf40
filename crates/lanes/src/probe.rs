//! Loops of one operation class each, to calibrate what a core can do.
//!
//! A limit in cycles is an operation count over a throughput, and throughputs differ between
//! machines and between minutes. The loops here run nothing but independent operations of one
//! class, in inline assembly, so that no compiler can fold them. They take no clock: who has one
//! times [`Probe::run`] and divides.
//!
//! Twelve registers are advanced in turn, each a chain of its own. That covers a latency of four at
//! three operations a cycle, which no class here exceeds. What the registers hold at the start
//! does not matter: none of these operations takes longer for one value than for another.

/// The registers that an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// General registers of 64 bits.
    Scalar,
    /// Vectors of 128 bits.
    Vec128,
    /// Vectors of 256 bits.
    Vec256,
    /// Vectors of 512 bits.
    Vec512,
}

impl Unit {
    /// Bits of a register.
    pub const fn bits(self) -> usize {
        match self {
            Unit::Scalar => 64,
            Unit::Vec128 => 128,
            Unit::Vec256 => 256,
            Unit::Vec512 => 512,
        }
    }
}

/// A class of operations that shares execution ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Additions of 32-bit words (64-bit in [`Unit::Scalar`]).
    Add,
    /// Additions of 64-bit words.
    Add64,
    /// Exclusive or.
    Logic,
    /// Shifts of 32-bit words by a constant.
    Shift,
    /// Shifts of 64-bit words by a constant.
    Shift64,
    /// Rotations of 32-bit words by a constant (64-bit in [`Unit::Scalar`]).
    Rotate,
    /// Rotations of 64-bit words by a constant.
    Rotate64,
    /// A logic function of three inputs.
    Ternary,
    /// Moves of bytes or words within a register.
    Shuffle,
    /// Shifts and shuffles by turns.
    ShiftShuffle,
    /// Additions, logic and shifts (or rotations, where there are any) in the shares of a hash.
    Mixed,
    /// One AES round in each 128 bits of the register.
    Aes,
    /// Four SHA-1 rounds on one buffer.
    Sha1,
    /// SHA-256 rounds on one buffer: two on x86, four on AArch64.
    Sha256,
}

/// A loop of one class of operations that this CPU can run.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    unit: Unit,
    operation: Operation,
    /// Runs the loop; needs what [`probes`] checked before it made this value.
    run: unsafe fn(u64),
}

impl Probe {
    /// The registers worked on.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The class of operation.
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// Executes the loop `iterations` times (at least once) and tells how many operations that was.
    pub fn run(&self, iterations: u64) -> u64 {
        let iterations = iterations.max(1);
        // SAFETY: a Probe is made only by `probes`, after the CPU and OS were seen to have the
        // instructions of this loop.
        unsafe { (self.run)(iterations) };
        iterations * OPERATIONS
    }
}

/// Operations in one pass of a loop: four times the twelve registers.
const OPERATIONS: u64 = 48;

/// The probes that this CPU and its system can run.
pub fn probes() -> impl Iterator<Item = Probe> {
    arch::TABLE.iter().filter(|(has, _)| has()).flat_map(|(_, probes)| probes.iter().copied())
}

/// One line of assembly for each of twelve registers: `op dst, src` where `$operands` makes the
/// operands of a register.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! twelve {
    ($operands:ident, $($op:tt)+) => {
        concat!(
            $operands!("0", $($op)+), $operands!("1", $($op)+), $operands!("2", $($op)+),
            $operands!("3", $($op)+), $operands!("4", $($op)+), $operands!("5", $($op)+),
            $operands!("6", $($op)+), $operands!("7", $($op)+), $operands!("8", $($op)+),
            $operands!("9", $($op)+), $operands!("10", $($op)+), $operands!("11", $($op)+),
        )
    };
}

/// Twelve lines in which two kinds of operation alternate.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! alternate {
    ($operands:ident, $a:tt, $b:tt) => {
        concat!(
            $operands!("0", $a),
            $operands!("1", $b),
            $operands!("2", $a),
            $operands!("3", $b),
            $operands!("4", $a),
            $operands!("5", $b),
            $operands!("6", $a),
            $operands!("7", $b),
            $operands!("8", $a),
            $operands!("9", $b),
            $operands!("10", $a),
            $operands!("11", $b),
        )
    };
}

/// Twelve lines with five additions, four of logic and three shifts.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! blend {
    ($operands:ident, $add:tt, $logic:tt, $shift:tt) => {
        concat!(
            $operands!("0", $add),
            $operands!("1", $logic),
            $operands!("2", $shift),
            $operands!("3", $add),
            $operands!("4", $logic),
            $operands!("5", $add),
            $operands!("6", $shift),
            $operands!("7", $logic),
            $operands!("8", $add),
            $operands!("9", $shift),
            $operands!("10", $logic),
            $operands!("11", $add),
        )
    };
}

#[cfg(target_arch = "x86_64")]
mod arch {
    use core::arch::asm;

    use super::{Operation, Probe, Unit};

    cpufeatures::new!(has_aes, "aes");
    cpufeatures::new!(has_sha, "sha", "sse4.1");
    cpufeatures::new!(has_avx2, "avx2");
    cpufeatures::new!(has_vaes, "avx2", "vaes");
    cpufeatures::new!(has_avx512, "avx512f", "avx512bw");
    cpufeatures::new!(has_vaes512, "avx512f", "vaes");

    /// Operands of a legacy instruction: destination and one source.
    macro_rules! two {
        ($n:literal, ($op:literal, $tail:literal)) => {
            concat!($op, " xmm", $n, ", ", $tail, "\n")
        };
    }

    /// Operands of a VEX or EVEX instruction: destination, the same register, and one source.
    macro_rules! three {
        ($n:literal, ($op:literal, $reg:literal, $tail:literal)) => {
            concat!($op, " ", $reg, $n, ", ", $reg, $n, ", ", $tail, "\n")
        };
    }

    /// A loop of four times twelve lines over vector registers.
    macro_rules! vector_loop {
        ($name:ident, $features:literal, $finish:literal, $lines:expr) => {
            #[target_feature(enable = $features)]
            unsafe fn $name(iterations: u64) {
                // SAFETY: the loop touches only the registers named as clobbered and runs
                // `iterations` (not zero) times; its instructions are those of the enabled
                // features.
                unsafe {
                    asm!(
                        ".p2align 5",
                        "2:",
                        $lines, $lines, $lines, $lines,
                        "dec {count}",
                        "jnz 2b",
                        $finish,
                        count = inout(reg) iterations => _,
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                        out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                        out("xmm15") _,
                        options(nomem, nostack),
                    );
                }
            }
        };
    }

    macro_rules! sse {
        ($name:ident, $features:literal, $op:tt) => {
            vector_loop!($name, $features, "", twelve!(two, $op));
        };
    }

    macro_rules! avx {
        ($name:ident, $features:literal, $op:tt) => {
            vector_loop!($name, $features, "vzeroupper", twelve!(three, $op));
        };
    }

    sse!(add_128, "sse2", ("paddd", "xmm15"));
    sse!(add64_128, "sse2", ("paddq", "xmm15"));
    sse!(logic_128, "sse2", ("pxor", "xmm15"));
    sse!(shift_128, "sse2", ("psrld", "7"));
    sse!(shift64_128, "sse2", ("psrlq", "7"));
    sse!(shuffle_128, "sse2", ("punpckldq", "xmm15"));
    vector_loop!(shift_shuffle_128, "sse2", "", alternate!(two, ("psrld", "7"), ("punpckldq", "xmm15")));
    vector_loop!(
        mixed_128,
        "sse2",
        "",
        blend!(two, ("paddd", "xmm15"), ("pxor", "xmm15"), ("psrld", "7"))
    );
    sse!(aes_128, "aes", ("aesenc", "xmm15"));
    sse!(sha1_128, "sha", ("sha1rnds4", "xmm15, 0"));
    sse!(sha256_128, "sha", ("sha256rnds2", "xmm15"));

    avx!(add_256, "avx2", ("vpaddd", "ymm", "ymm15"));
    avx!(add64_256, "avx2", ("vpaddq", "ymm", "ymm15"));
    avx!(logic_256, "avx2", ("vpxor", "ymm", "ymm15"));
    avx!(shift_256, "avx2", ("vpsrld", "ymm", "7"));
    avx!(shift64_256, "avx2", ("vpsrlq", "ymm", "7"));
    avx!(shuffle_256, "avx2", ("vpshufb", "ymm", "ymm15"));
    vector_loop!(
        shift_shuffle_256,
        "avx2",
        "vzeroupper",
        alternate!(three, ("vpsrld", "ymm", "7"), ("vpshufb", "ymm", "ymm15"))
    );
    vector_loop!(
        mixed_256,
        "avx2",
        "vzeroupper",
        blend!(three, ("vpaddd", "ymm", "ymm15"), ("vpxor", "ymm", "ymm15"), ("vpsrld", "ymm", "7"))
    );
    avx!(aes_256, "avx2,vaes", ("vaesenc", "ymm", "ymm15"));

    avx!(add_512, "avx512f", ("vpaddd", "zmm", "zmm15"));
    avx!(add64_512, "avx512f", ("vpaddq", "zmm", "zmm15"));
    avx!(logic_512, "avx512f", ("vpxord", "zmm", "zmm15"));
    avx!(shift_512, "avx512f", ("vpsrld", "zmm", "7"));
    avx!(shift64_512, "avx512f", ("vpsrlq", "zmm", "7"));
    avx!(rotate_512, "avx512f", ("vprold", "zmm", "7"));
    avx!(rotate64_512, "avx512f", ("vprolq", "zmm", "7"));
    avx!(ternary_512, "avx512f", ("vpternlogd", "zmm", "zmm15, 0x96"));
    avx!(shuffle_512, "avx512f,avx512bw", ("vpshufb", "zmm", "zmm15"));
    vector_loop!(
        shift_shuffle_512,
        "avx512f,avx512bw",
        "vzeroupper",
        alternate!(three, ("vpsrld", "zmm", "7"), ("vpshufb", "zmm", "zmm15"))
    );
    vector_loop!(
        mixed_512,
        "avx512f",
        "vzeroupper",
        blend!(
            three,
            ("vpaddd", "zmm", "zmm15"),
            ("vpternlogd", "zmm", "zmm15, 0x96"),
            ("vprold", "zmm", "7")
        )
    );
    avx!(aes_512, "avx512f,vaes", ("vaesenc", "zmm", "zmm15"));

    /// Six lines over general registers, by three kinds of operation in turn.
    macro_rules! six {
        ($a:literal, $b:literal, $c:literal) => {
            concat!(
                $a,
                " rax, ",
                "r11\n",
                $b,
                " rcx, ",
                "r11\n",
                $c,
                " rdx, 7\n",
                $a,
                " rsi, ",
                "r11\n",
                $b,
                " rdi, ",
                "r11\n",
                $c,
                " r8, 7\n",
            )
        };
    }

    /// A loop of eight times six lines over general registers.
    macro_rules! scalar_loop {
        ($name:ident, $lines:expr) => {
            unsafe fn $name(iterations: u64) {
                // SAFETY: the loop touches only general registers named as clobbered, runs
                // `iterations` (not zero) times and uses only base instructions.
                unsafe {
                    asm!(
                        ".p2align 5",
                        "2:",
                        $lines, $lines, $lines, $lines, $lines, $lines, $lines, $lines,
                        "dec {count}",
                        "jnz 2b",
                        count = inout(reg) iterations => _,
                        out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
                        out("rdi") _, out("r8") _, out("r11") _,
                        options(nomem, nostack),
                    );
                }
            }
        };
    }

    scalar_loop!(add_scalar, six!("add", "add", "add"));
    scalar_loop!(
        rotate_scalar,
        concat!(
            "rol rax, 7\n",
            "rol rcx, 7\n",
            "rol rdx, 7\n",
            "rol rsi, 7\n",
            "rol rdi, 7\n",
            "rol r8, 7\n",
        )
    );
    scalar_loop!(mixed_scalar, six!("add", "xor", "rol"));

    fn always() -> bool {
        true
    }

    macro_rules! probes {
        ($unit:ident: $($operation:ident => $run:ident),+ $(,)?) => {
            &[$(Probe { unit: Unit::$unit, operation: Operation::$operation, run: $run }),+]
        };
    }

    /// Probes by what they need of the CPU.
    pub(super) const TABLE: &[(fn() -> bool, &[Probe])] = &[
        (always, probes!(Scalar: Add => add_scalar, Rotate => rotate_scalar, Mixed => mixed_scalar)),
        (
            always,
            probes!(Vec128:
                Add => add_128, Add64 => add64_128, Logic => logic_128, Shift => shift_128,
                Shift64 => shift64_128, Shuffle => shuffle_128, ShiftShuffle => shift_shuffle_128,
                Mixed => mixed_128,
            ),
        ),
        (has_aes::get, probes!(Vec128: Aes => aes_128)),
        (has_sha::get, probes!(Vec128: Sha1 => sha1_128, Sha256 => sha256_128)),
        (
            has_avx2::get,
            probes!(Vec256:
                Add => add_256, Add64 => add64_256, Logic => logic_256, Shift => shift_256,
                Shift64 => shift64_256, Shuffle => shuffle_256, ShiftShuffle => shift_shuffle_256,
                Mixed => mixed_256,
            ),
        ),
        (has_vaes::get, probes!(Vec256: Aes => aes_256)),
        (
            has_avx512::get,
            probes!(Vec512:
                Add => add_512, Add64 => add64_512, Logic => logic_512, Shift => shift_512,
                Shift64 => shift64_512, Rotate => rotate_512, Rotate64 => rotate64_512,
                Ternary => ternary_512, Shuffle => shuffle_512, ShiftShuffle => shift_shuffle_512,
                Mixed => mixed_512,
            ),
        ),
        (has_vaes512::get, probes!(Vec512: Aes => aes_512)),
    ];
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use core::arch::asm;

    use super::{Operation, Probe, Unit};

    cpufeatures::new!(has_aes, "aes");
    cpufeatures::new!(has_sha2, "sha2");

    /// Operands of a vector instruction: destination, the same register, and one source.
    macro_rules! three {
        ($n:literal, ($op:literal, $shape:literal, $tail:literal)) => {
            concat!($op, " v", $n, $shape, ", v", $n, $shape, ", ", $tail, "\n")
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
                    asm!(
                        ".p2align 5",
                        "2:",
                        $lines, $lines, $lines, $lines,
                        "subs {count}, {count}, #1",
                        "b.ne 2b",
                        count = inout(reg) iterations => _,
                        out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                        out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                        out("v8") _, out("v9") _, out("v10") _, out("v11") _,
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
    vector_loop!(aes_128, "neon,aes", twelve!(aes_round, ()));
    vector_loop!(sha1_128, "neon,sha2", twelve!(hash_rounds, ("sha1c", "s30")));
    vector_loop!(sha256_128, "neon,sha2", twelve!(hash_rounds, ("sha256h", "q30")));

    /// A loop of eight times six lines over general registers.
    macro_rules! scalar_loop {
        ($name:ident, $a:literal, $b:literal, $c:literal) => {
            scalar_loop!(@lines $name, concat!(
                $a, "x9, x9, x15\n", $b, "x10, x10, x15\n", $c,
                $a, "x12, x12, x15\n", $b, "x13, x13, x15\n", "ror x14, x14, #7\n",
            ));
        };
        (@lines $name:ident, $lines:expr) => {
            unsafe fn $name(iterations: u64) {
                // SAFETY: the loop touches only general registers named as clobbered, runs
                // `iterations` (not zero) times and uses only base instructions.
                unsafe {
                    asm!(
                        ".p2align 5",
                        "2:",
                        $lines, $lines, $lines, $lines, $lines, $lines, $lines, $lines,
                        "subs {count}, {count}, #1",
                        "b.ne 2b",
                        count = inout(reg) iterations => _,
                        out("x9") _, out("x10") _, out("x11") _, out("x12") _,
                        out("x13") _, out("x14") _, out("x15") _,
                        options(nomem, nostack),
                    );
                }
            }
        };
    }

    scalar_loop!(@lines add_scalar, concat!(
        "add x9, x9, x15\n", "add x10, x10, x15\n", "add x11, x11, x15\n",
        "add x12, x12, x15\n", "add x13, x13, x15\n", "add x14, x14, x15\n",
    ));
    scalar_loop!(@lines rotate_scalar, concat!(
        "ror x9, x9, #7\n", "ror x10, x10, #7\n", "ror x11, x11, #7\n",
        "ror x12, x12, #7\n", "ror x13, x13, #7\n", "ror x14, x14, #7\n",
    ));
    scalar_loop!(mixed_scalar, "add ", "eor ", "ror x11, x11, #7\n");

    fn always() -> bool {
        true
    }

    macro_rules! probes {
        ($unit:ident: $($operation:ident => $run:ident),+ $(,)?) => {
            &[$(Probe { unit: Unit::$unit, operation: Operation::$operation, run: $run }),+]
        };
    }

    /// Probes by what they need of the CPU.
    pub(super) const TABLE: &[(fn() -> bool, &[Probe])] = &[
        (always, probes!(Scalar: Add => add_scalar, Rotate => rotate_scalar, Mixed => mixed_scalar)),
        (
            always,
            probes!(Vec128:
                Add => add_128, Add64 => add64_128, Logic => logic_128, Shift => shift_128,
                Shift64 => shift64_128, Ternary => ternary_128, Shuffle => shuffle_128,
                ShiftShuffle => shift_shuffle_128, Mixed => mixed_128,
            ),
        ),
        (has_aes::get, probes!(Vec128: Aes => aes_128)),
        (has_sha2::get, probes!(Vec128: Sha1 => sha1_128, Sha256 => sha256_128)),
    ];
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use super::Probe;

    /// No loops are written for this architecture: nothing can be calibrated on it.
    pub(super) const TABLE: &[(fn() -> bool, &[Probe])] = &[];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_counts_what_it_runs() {
        for probe in probes() {
            assert_eq!(probe.run(3), 3 * OPERATIONS, "{probe:?}");
            assert_eq!(probe.run(0), OPERATIONS, "{probe:?}");
        }
    }

    #[test]
    fn no_probe_is_listed_twice() {
        let all = || probes().map(|probe| (probe.unit(), probe.operation()));
        for (index, pair) in all().enumerate() {
            assert_eq!(all().position(|other| other == pair), Some(index), "{pair:?}");
        }
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn the_base_classes_are_always_there() {
        for wanted in [
            (Unit::Scalar, Operation::Mixed),
            (Unit::Vec128, Operation::Mixed),
            (Unit::Vec128, Operation::Shift64),
        ] {
            assert!(probes().any(|probe| (probe.unit(), probe.operation()) == wanted), "{wanted:?}");
        }
    }
}
