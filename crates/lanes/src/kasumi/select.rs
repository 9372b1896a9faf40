//! Selects the kernels for a CPU.

use crate::cpu::Cpu;
use crate::report::KernelInfo;

/// The kernels of F8 and F9 on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 2] {
    let kernels = cpu.kernels().kasumi;
    let (single, kernel) = (kernels[0], kernels[kernels.len() - 1]);
    ["kasumi-f8", "kasumi-f9"].map(|algorithm| KernelInfo {
        algorithm,
        kernel: kernel.name,
        lanes: kernel.lanes,
        single: single.name,
        few: if kernels.len() > 1 { single.lanes } else { 0 },
        reason: "bitsliced: one buffer a lane; as few lanes as there are buffers for",
    })
}
