//! Describes the kernels that a CPU gets.

use super::KasumiLanes;
use crate::cpu::Cpu;
use crate::info::KernelInfo;

impl KasumiLanes {
    /// Returns the kernel of F8 and F9 on a CPU. [`kernels`](crate::kernels) lists it under the
    /// name of each.
    pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
        let kernels = cpu.kernels().kasumi;
        let (single, kernel) = (kernels[0], kernels[kernels.len() - 1]);
        KernelInfo {
            algorithm: "kasumi",
            kernel: kernel.name,
            lanes: kernel.lanes,
            single: single.name,
            few: if kernels.len() > 1 { single.lanes } else { 0 },
            reason: "bitsliced: one buffer a lane; as few lanes as there are buffers for",
        }
    }
}

/// Returns the kernels of F8 and F9 on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 2] {
    ["kasumi-f8", "kasumi-f9"].map(|name| KasumiLanes::kernel_info(cpu).named(name))
}
