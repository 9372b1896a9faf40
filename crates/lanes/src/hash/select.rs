//! Which kernels a hash gets on a CPU, and when the narrow one takes over.

use super::kernel::{HashKernel, SingleKernel};
use super::{Compression, Hash};
use crate::cpu::{Cpu, Isa};
use crate::isa;
use crate::isa::portable::Plain;
use crate::vector::Vector;

/// The kernels of one hash on one CPU.
#[derive(Clone, Copy)]
pub struct Kernels<W> {
    /// For many buffers.
    pub(crate) wide: HashKernel<W>,
    /// For few.
    pub(crate) single: SingleKernel<W>,
    /// With so many buffers or fewer `single` is the faster: `docs/performance.md`, «Crossover».
    pub(crate) few: usize,
}

impl<W> Kernels<W> {
    /// Finds the crossover: a wide kernel takes as long for one buffer as for all its lanes. Measured
    /// (docs/performance.md, «Crossover»), it is slower than one buffer alone, and slower than two by
    /// the kernel that interleaves two, unless it takes no more than two itself; three buffers fill it
    /// well enough.
    pub(crate) fn new(wide: HashKernel<W>, single: SingleKernel<W>) -> Self {
        let few = if single.two.is_some() && wide.lanes > 2 { 2 } else { 1 };
        Kernels { wide, single, few }
    }
}

/// The wide kernel of SHA-1.
pub(crate) fn wide_sha1<A: Hash<Word = u32>>(cpu: &Cpu) -> HashKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.isa() == Isa::Avx2 && cpu.has("sha") {
        return isa::x86_sha::wide_sha1::<A>();
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::wide_sha1::<A>();
    }
    wide32::<A>(cpu)
}

/// The wide kernel of SHA-224 and SHA-256.
pub(crate) fn wide_sha256<A: Hash<Word = u32>>(cpu: &Cpu) -> HashKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.isa() == Isa::Avx2 && cpu.has("sha") {
        return isa::x86_sha::wide_sha256::<A>();
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::wide_sha256::<A>();
    }
    wide32::<A>(cpu)
}

/// The wide kernel of SHA-384 and SHA-512.
pub(crate) fn wide_sha512<A: Hash<Word = u64>>(cpu: &Cpu) -> HashKernel<u64> {
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha512") {
        return isa::arm_sha::wide_sha512::<A>();
    }
    wide64::<A>(cpu)
}

/// The wide kernel of a hash with 32-bit words.
pub(crate) fn wide32<A: Hash<Word = u32>>(cpu: &Cpu) -> HashKernel<u32> {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => isa::avx512::kernel32::<A>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => isa::avx2::kernel32::<A>(),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => isa::neon::kernel32::<A>(),
        _ => isa::portable::kernel32::<A>(),
    }
}

/// The wide kernel of a hash with 64-bit words.
pub(crate) fn wide64<A: Hash<Word = u64>>(cpu: &Cpu) -> HashKernel<u64> {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => isa::avx512::kernel64::<A>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => isa::avx2::kernel64::<A>(),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => isa::neon::kernel64::<A>(),
        _ => isa::portable::kernel64::<A>(),
    }
}

/// SHA-1 for one buffer.
pub(crate) fn single_sha1(cpu: &Cpu) -> SingleKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        return isa::x86_sha::SHA1;
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::SHA1;
    }
    integers::<super::sha1::Core>(cpu)
}

/// SHA-256 for one buffer.
pub(crate) fn single_sha256(cpu: &Cpu) -> SingleKernel<u32> {
    #[cfg(target_arch = "x86_64")]
    if cpu.has("sha") {
        return isa::x86_sha::SHA256;
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha2") {
        return isa::arm_sha::SHA256;
    }
    integers::<super::sha256::Core>(cpu)
}

/// SHA-384 and SHA-512 for few buffers.
pub(crate) fn single_sha512(cpu: &Cpu) -> SingleKernel<u64> {
    #[cfg(target_arch = "aarch64")]
    if cpu.has("sha512") {
        return isa::arm_sha::SHA512;
    }
    integers::<super::sha512::Core>(cpu)
}

/// The kernel for one buffer in plain integers, with this CPU's instructions for rotation.
pub(crate) fn integers<C: Compression>(cpu: &Cpu) -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    #[cfg(target_arch = "x86_64")]
    if cpu.has("bmi1") && cpu.has("bmi2") {
        return SingleKernel { name: "integers, bmi2", one: isa::avx2::single::<C>, two: None };
    }
    let _ = cpu;
    plain::<C>()
}

/// The kernel for one buffer that every machine has.
pub(crate) fn plain<C: Compression>() -> SingleKernel<C::Word>
where
    Plain<C::Word>: Vector<Word = C::Word>,
{
    SingleKernel { name: "integers", one: isa::portable::single::<C>, two: None }
}
