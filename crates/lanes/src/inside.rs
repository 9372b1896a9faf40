//! What crates of kernels of this workspace need of the inside of this one: its vectors, the
//! kernels of its hashes, and what schedulers and jobs are made of. It is no stable interface.

pub use crate::buffer::Span;
pub use crate::features::{Choice, Features};
pub use crate::job::Work;
pub use crate::kernels::MAX_TASKS;
pub use crate::manager::{Groups, Source, Ticket};
pub use crate::outcome::publish;
pub use crate::plain::Plain;
pub use crate::{align_frame, each};

/// Polynomials over the field of two elements.
pub mod field {
    pub use crate::kernels::aes::gcm::field::{product, spread};
}

/// Overwriting secrets.
pub mod wiped {
    pub use crate::wiped::{clear, clear_all, clear_stack};
}

/// Hashes, and the kernels of a CPU for them.
pub mod hash {
    use crate::cpu::Cpu;
    pub use crate::hash::write_digest;
    use crate::kernels::hash::algorithm::Hash;
    pub use crate::kernels::hash::compression::HashState;
    pub use crate::kernels::hash::kernel::SingleKernel;
    pub use crate::kernels::hash::select::HashChoice;
    pub use crate::kernels::hash::sha256::Core as Sha256Core;

    /// Returns the kernels of a hash on a CPU.
    pub fn kernels<A: Hash>(cpu: &Cpu) -> HashChoice<A::Word> {
        cpu.pick(A::kernels(&cpu.kernels().hashes))
    }
}

/// Sponges, and the kernels of a CPU for them.
pub mod sponge {
    use crate::cpu::Cpu;
    pub use crate::kernels::sponge::keccak::{Steps, WORDS, permute};
    pub use crate::kernels::sponge::kernel::{
        KeccakKernel, MAX_LANES, MAX_RATE, Rate, SpongeKernels,
    };

    /// The kernel of one lane that every machine has.
    pub const PORTABLE: KeccakKernel = crate::arch::portable::KECCAK;

    /// Returns the kernels of sponges on a CPU.
    pub fn kernels(cpu: &Cpu) -> SpongeKernels {
        cpu.pick(&cpu.kernels().sponge)
    }
}

/// Vectors.
pub mod vector {
    pub use crate::vector::MAX_LANES;
}

/// What any machine has.
pub mod portable {
    pub use crate::arch::portable::Integers;
}

/// What AArch64 has.
#[cfg(all(target_arch = "aarch64", not(loom)))]
pub mod aarch64 {
    /// NEON.
    pub mod neon {
        pub use crate::arch::aarch64::neon::keccak::{KeccakSteps, Sha3Steps};
        pub use crate::arch::aarch64::neon::vectors::U32x4;
    }
}

/// What x86-64 has.
#[cfg(all(target_arch = "x86_64", not(loom)))]
pub mod x86_64 {
    pub use crate::arch::compile::interleaved::Buffers;
    pub use crate::arch::x86_64::common::sha::{Sha256Buffer, Sha256State};

    /// SSE4.1.
    pub mod sse4 {
        pub use crate::arch::x86_64::sse4::keccak::KeccakSteps;
        pub use crate::arch::x86_64::sse4::vectors::U32x4;
    }

    /// AVX2.
    pub mod avx2 {
        pub use crate::arch::x86_64::avx2::keccak::KeccakSteps;
        pub use crate::arch::x86_64::avx2::vectors::U32x8;
    }

    /// AVX-512.
    #[cfg(not(constant_time))]
    pub mod avx512 {
        pub use crate::arch::x86_64::avx512::keccak::KeccakSteps;
        pub use crate::arch::x86_64::avx512::vectors::U32x16;
    }
}
