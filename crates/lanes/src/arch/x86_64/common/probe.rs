//! The loops for x86-64.

use core::arch::asm;

use crate::features::Feature::*;
use crate::features::Features;
use crate::loops::{Needs, Operation, Probe, Unit, alternate, blend, twelve};

/// Operands of a legacy instruction: destination and one source.
macro_rules! two {
    ($n:literal, ($op:literal, $tail:literal)) => {
        concat!($op, " xmm", $n, ", ", $tail, "\n")
    };
}

/// Operands of a VEX or EVEX instruction: destination, and sources that are never written.
macro_rules! three {
    ($n:literal, ($op:literal, $reg:literal, $tail:literal)) => {
        concat!($op, " ", $reg, $n, ", ", $reg, "14, ", $tail, "\n")
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
                // Changes: vector registers 0 to 15, the upper halves too; the register of `count`;
                // flags. No memory, no stack.
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
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
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
vector_loop!(
    shift_shuffle_128,
    "sse2",
    "",
    alternate!(two, ("psrld", "7"), ("punpckldq", "xmm15"))
);
vector_loop!(
    mixed_128,
    "sse2",
    "",
    blend!(two, ("paddd", "xmm15"), ("pxor", "xmm15"), ("psrld", "7"))
);
sse!(multiply_128, "sse2", ("pmuludq", "xmm15"));
sse!(carry_less_128, "pclmulqdq", ("pclmulqdq", "xmm15, 0"));
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
avx!(multiply_256, "avx2", ("vpmuludq", "ymm", "ymm15"));
avx!(carry_less_256, "avx2,vpclmulqdq", ("vpclmulqdq", "ymm", "ymm15, 0"));
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
avx!(multiply_512, "avx512f", ("vpmuludq", "zmm", "zmm15"));
avx!(fused_512, "avx512f,avx512ifma", ("vpmadd52luq", "zmm", "zmm15"));
avx!(carry_less_512, "avx512f,vpclmulqdq", ("vpclmulqdq", "zmm", "zmm15, 0"));
avx!(aes_512, "avx512f,vaes", ("vaesenc", "zmm", "zmm15"));

/// Eight lines over general registers.
macro_rules! eight {
    ($a:literal, $b:literal, $c:literal) => {
        concat!(
            $a,
            " rax, r11\n",
            $b,
            " rcx, r11\n",
            $c,
            $a,
            " rsi, r11\n",
            $b,
            " rdi, r11\n",
            $a,
            " r8, r11\n",
            $b,
            " r9, r11\n",
            $a,
            " r10, r11\n",
        )
    };
}

/// A loop of six times eight lines over general registers.
macro_rules! scalar_loop {
    ($name:ident, $lines:expr) => {
        unsafe fn $name(iterations: u64) {
            // SAFETY: the loop touches only general registers named as clobbered, runs
            // `iterations` (not zero) times and uses only base instructions.
            unsafe {
                // Changes: the registers that are named, that of `count`, and flags. No memory, no
                // stack.
                asm!(
                    ".p2align 5",
                    "2:",
                    $lines, $lines, $lines, $lines, $lines, $lines,
                    "dec {count}",
                    "jnz 2b",
                    count = inout(reg) iterations => _,
                    out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _,
                    out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

scalar_loop!(add_scalar, eight!("add", "add", "add rdx, r11\n"));
scalar_loop!(mixed_scalar, eight!("add", "xor", "rol rdx, 7\n"));
scalar_loop!(multiply_scalar, eight!("imul", "imul", "imul rdx, r11\n"));
scalar_loop!(
    rotate_scalar,
    concat!(
        "rol rax, 7\n",
        "rol rcx, 7\n",
        "rol rdx, 7\n",
        "rol rsi, 7\n",
        "rol rdi, 7\n",
        "rol r8, 7\n",
        "rol r9, 7\n",
        "rol r10, 7\n",
    )
);

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
            Shift64 => shift64_128, Shuffle => shuffle_128, ShiftShuffle => shift_shuffle_128,
            Mixed => mixed_128, Multiply => multiply_128,
        ),
    ),
    (Features::of(&[Aes]), probes!(Vec128: Aes => aes_128)),
    (Features::of(&[Pclmulqdq]), probes!(Vec128: CarryLess => carry_less_128)),
    (Features::of(&[Sha, Sse41]), probes!(Vec128: Sha1 => sha1_128, Sha256 => sha256_128)),
    (
        Features::of(&[Avx2]),
        probes!(Vec256:
            Add => add_256, Add64 => add64_256, Logic => logic_256, Shift => shift_256,
            Shift64 => shift64_256, Shuffle => shuffle_256, ShiftShuffle => shift_shuffle_256,
            Mixed => mixed_256, Multiply => multiply_256,
        ),
    ),
    (Features::of(&[Avx2, Vaes]), probes!(Vec256: Aes => aes_256)),
    (Features::of(&[Avx2, Vpclmulqdq]), probes!(Vec256: CarryLess => carry_less_256)),
    (
        Features::of(&[Avx512f, Avx512bw]),
        probes!(Vec512:
            Add => add_512, Add64 => add64_512, Logic => logic_512, Shift => shift_512,
            Shift64 => shift64_512, Rotate => rotate_512, Rotate64 => rotate64_512,
            Ternary => ternary_512, Shuffle => shuffle_512, ShiftShuffle => shift_shuffle_512,
            Mixed => mixed_512, Multiply => multiply_512,
        ),
    ),
    (Features::of(&[Avx512f, Avx512ifma]), probes!(Vec512: Fused => fused_512)),
    (Features::of(&[Avx512f, Vaes]), probes!(Vec512: Aes => aes_512)),
    (Features::of(&[Avx512f, Vpclmulqdq]), probes!(Vec512: CarryLess => carry_less_512)),
];
