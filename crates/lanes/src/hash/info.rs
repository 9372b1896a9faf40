//! Describes the kernels that a CPU gets.

use super::HashLanes;
use crate::cpu::{Cpu, Isa};
use crate::info::KernelInfo;
use crate::kernels::hash::algorithm::Hash;

impl<A: Hash> HashLanes<A> {
    /// Returns the kernel of the hash on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.pick(A::kernels(&cpu.kernels().hashes));
        let reason = match (kernels.wide.name, cpu.isa()) {
            ("sha-ni, avx512", _) => {
                "the SHA instructions and 256-bit vectors at once beat 512-bit vectors, which this \
                 CPU halves"
            }
            ("sha-ni", _) => "the SHA instructions on interleaved buffers beat vectors",
            (_, Isa::Avx512) if kernels.middle[0].is_some() => {
                "512-bit vectors for many buffers, the SHA instructions on interleaved ones for few"
            }
            ("armv8-sha2" | "armv8-sha512", _) => {
                "the SHA instructions on interleaved buffers beat 128-bit vectors"
            }
            (_, Isa::Portable) => "no vectors that this program knows, or none allowed",
            _ => "the widest vectors that the CPU and the operating system offer",
        };
        let (single, few) = match kernels.middle[0] {
            Some(middle) => (middle.kernel.name, middle.up_to),
            None => (kernels.single.name, kernels.few),
        };
        KernelInfo {
            algorithm: A::NAME,
            kernel: kernels.wide.name,
            lanes: kernels.wide.lanes,
            single,
            few,
            reason,
        }
    }
}
