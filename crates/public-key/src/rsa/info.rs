//! Describes the kernels that a CPU gets.

use broadloom_lanes::{Cpu, Isa, KernelInfo};

use super::RsaLanes;
use crate::arch;

impl RsaLanes {
    /// Returns the kernel of RSA on a CPU, as [`kernels`](crate::kernels) lists it.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.pick(&arch::kernels(cpu).rsa);
        let widest = kernels.widest();
        let reason = match cpu.isa() {
            Isa::Avx512 if widest.name == "avx512-ifma" => "products of 52 bits, eight at once",
            _ if widest.lanes > 1 => "products of 28-bit limbs in the widest vectors",
            Isa::Portable => "no vectors that this program knows, or none allowed",
            _ => "integers multiply more bits than vectors of 128 bits do",
        };
        KernelInfo {
            algorithm: "rsa",
            kernel: widest.name,
            lanes: widest.lanes,
            single: kernels.one.name,
            few: kernels.wide.first().map_or(0, |(from, _)| from - 1),
            reason,
        }
    }
}
