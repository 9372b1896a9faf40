//! Everything that names an instruction: vectors, registers, and kernels compiled for an
//! instruction set.
//!
//! There is a folder for each instruction set, `<cpu>/<isa>`, which exports one table of kernels,
//! `KERNELS`; [`isas!`] below lists them. `compile` has the macros that compile the generic kernels
//! of each family, `<cpu>/common` what several instruction sets share.
//!
//! Two checks compile fewer of them. Under `cfg(loom)` no kernel runs, and only the portable ones
//! are there. Under `cfg(constant_time)` memcheck executes them, which knows no AVX-512.
//!
//! # Rules that keep kernels fast
//!
//! Each rule comes from a measurement.
//!
//! - *A kernel leaves nothing to unroll or inline to the compiler.* Rounds are functions that are
//!   always inlined with their number as a constant, and `each!` writes arrays out. A closure in
//!   `array::from_fn` is compiled without the kernel's instruction set: SHA-1 ran at two thirds of
//!   its speed on AVX2, at a fifth with SHA instructions.
//! - *What is inlined is copied before it is optimised.* Copies of what never runs were half of the
//!   lines that LLVM was given. So a round takes its number as an argument, not as a parameter of
//!   its type: there is one body to copy. What depends on a generic constant stands under
//!   `if const`. What is long and called seldom is a function of its own.
//! - *In debug builds, inlined copies add up.* The stack frame of ChaCha20-Poly1305 was several
//!   megabytes and overflowed a thread's stack. So with debug assertions its copies of Poly1305 are
//!   called, and a stage of `.ci/run` runs known answers unoptimised.
//! - *No 256-bit instruction near the SHA instructions.* SHA instructions in SSE encoding preserve
//!   the upper halves of registers, and wait for them once they are dirty: six times slower.
//!   `arch/x86_64/common/sha.rs` is compiled for SSE alone. `avx512/sha256x8.rs` keeps its vectors
//!   in registers from 16 on, whose upper halves the SHA instructions cannot see.
//! - *Spread competing instructions evenly.* A stretch with few instructions for a contended port
//!   leaves the port idle, and the rest waits for it. So the message schedule of SHA-256 on eight
//!   lanes extends across the end of a block.
//! - *Count the chain, not only the operations.* Where each vector instruction takes two cycles
//!   (AMD Zen 5), the rounds of a hash on one vector leave half of the pipes idle; a second vector
//!   fills them (`avx512/paired`).
//! - *Code fits into the first-level cache.* The compiler unrolled the rounds of SHA-512 on two
//!   vectors: 35 KB, and short messages took a third longer.
//! - *Stack frames are aligned to 64 bytes where registers of 256 or 512 bits spill.* The ABI
//!   aligns them to 16, and spilled registers then lie across cache lines and pages, for up to
//!   twice the time. The example `stack_positions` shows it, and `.ci/kernels` checks it. Elsewhere
//!   the alignment would only cost instructions and a store, which reads of a key may have to wait
//!   for: AES-ECB took 15 % longer at one position of the stack in 64.
//! - *A lane is a pointer to its state.* Kernels gather states and scatter them once a run,
//!   transposing in registers. So a lane changes hands by a few words. Sponges differ: the 25 words
//!   of each lane stay side by side in the scheduler, and only messages are transposed.

#[cfg(all(target_arch = "aarch64", not(loom)))]
pub(crate) mod aarch64 {
    //! AArch64.

    pub(crate) mod common;
    pub(crate) mod neon;
}
pub(crate) mod compile;
pub(crate) mod draw;
pub(crate) mod portable;
mod table;
#[cfg(all(target_arch = "x86_64", not(loom)))]
pub(crate) mod x86_64 {
    //! x86-64.

    pub(crate) mod avx2;
    #[cfg(not(constant_time))]
    pub(crate) mod avx512;
    pub(crate) mod common;
    pub(crate) mod sse4;
}

#[cfg(all(target_arch = "aarch64", not(loom)))]
use aarch64::common as this;
#[cfg(any(loom, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
use portable as this;
#[cfg(all(target_arch = "x86_64", not(loom)))]
use x86_64::common as this;

pub(crate) use table::Kernels;
pub(crate) use this::{FEATURES, detect, hash_expansion, prefetch, probes, sub_word};

/// Declares the instruction sets, from the most modest to the widest of a machine: name, bits of a
/// vector, the condition for its kernels, the table of kernels.
macro_rules! isas {
    ($(
        $(#[$doc:meta])*
        $isa:ident, $name:literal, $bits:literal, $([$($here:tt)+])? $($table:ident)::+;
    )*) => {
        /// An instruction set that kernels are compiled for, from the most modest to the widest of
        /// a machine.
        ///
        /// ```
        /// use broadloom_lanes::{Cpu, Isa};
        ///
        /// assert_eq!("avx2".parse(), Ok(Isa::Avx2));
        /// assert_eq!(Isa::Avx512.to_string(), "avx512");
        /// assert!(Cpu::available().any(|isa| isa == Isa::Portable));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Isa {
            $($(#[$doc])* $isa,)*
        }

        impl Isa {
            /// All of them, the most modest first.
            pub const ALL: [Isa; [$(Isa::$isa),*].len()] = [$(Isa::$isa),*];

            /// Returns its name on command lines, in JSON and in `BROADLOOM_ISA`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Isa::$isa => $name,)*
                }
            }

            /// Returns the bits of its widest vectors; 0 where there are none.
            pub const fn vector_bits(self) -> usize {
                match self {
                    $(Isa::$isa => $bits,)*
                }
            }

            /// Returns `true` if this program was compiled for its architecture.
            pub fn is_native(self) -> bool {
                self.kernels().is_some()
            }

            /// Returns the table of its kernels, if it is one of this architecture.
            pub(crate) fn kernels(self) -> Option<&'static Kernels> {
                match self {
                    $($(#[cfg($($here)+)])? Isa::$isa => Some(&$($table)::+),)*
                    #[allow(unreachable_patterns, reason = "some are another architecture's")]
                    _ => None,
                }
            }
        }
    };
}

isas! {
    /// Plain integers: any machine.
    Portable, "portable", 0, portable::KERNELS;
    /// AArch64's 128-bit vectors, with the AES and SHA-2 extensions where the CPU has them.
    Neon, "neon", 128,
        [all(target_arch = "aarch64", not(loom))] aarch64::neon::KERNELS;
    /// x86-64 with 128-bit vectors: SSE4.1; AES-NI, PCLMULQDQ and the SHA extensions where the CPU
    /// has them.
    Sse4, "sse4", 128,
        [all(target_arch = "x86_64", not(loom))] x86_64::sse4::KERNELS;
    /// x86-64 with 256-bit integer vectors; AES-NI, VAES and VPCLMULQDQ on them, and the SHA
    /// extensions where the CPU has them.
    Avx2, "avx2", 256,
        [all(target_arch = "x86_64", not(loom))] x86_64::avx2::KERNELS;
    /// x86-64 with 512-bit vectors: AVX-512 F, BW, DQ and VL; IFMA, and VAES and VPCLMULQDQ on them
    /// where the CPU has them, and what goes with [`Avx2`](Isa::Avx2).
    Avx512, "avx512", 512,
        [all(target_arch = "x86_64", not(any(loom, constant_time)))] x86_64::avx512::KERNELS;
}
