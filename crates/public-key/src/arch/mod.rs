//! Everything that names an instruction: registers, and kernels compiled for an instruction set.
//!
//! There is a folder for each instruction set, `<cpu>/<isa>`, which exports one table of kernels,
//! `KERNELS`; [`kernels`] chooses among them. `compile` has the macros that compile the generic
//! kernels of each family, `<cpu>/common` what several instruction sets share. The vectors are
//! those of `broadloom-lanes`, and the rules that keep kernels fast stand at the head of its
//! `arch`.
//!
//! Two checks compile fewer of them. Under `cfg(loom)` no kernel runs, and only the portable ones
//! are there. Under `cfg(constant_time)` memcheck executes them, which knows no AVX-512.

#[cfg(all(target_arch = "aarch64", not(loom)))]
pub(crate) mod aarch64 {
    //! AArch64.

    pub(crate) mod neon;
}
mod compile;
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

use broadloom_lanes::{Cpu, Isa};

pub(crate) use table::Kernels;

/// Returns the table of the instruction set that a CPU uses. Only an instruction set of this
/// architecture can be in a [`Cpu`].
pub(crate) fn kernels(cpu: &Cpu) -> &'static Kernels {
    match cpu.isa() {
        #[cfg(all(target_arch = "aarch64", not(loom)))]
        Isa::Neon => &aarch64::neon::KERNELS,
        #[cfg(all(target_arch = "x86_64", not(loom)))]
        Isa::Sse4 => &x86_64::sse4::KERNELS,
        #[cfg(all(target_arch = "x86_64", not(loom)))]
        Isa::Avx2 => &x86_64::avx2::KERNELS,
        #[cfg(all(target_arch = "x86_64", not(any(loom, constant_time))))]
        Isa::Avx512 => &x86_64::avx512::KERNELS,
        _ => &portable::KERNELS,
    }
}
