//! Which kernels a CPU gets.

use super::KasumiKernel;
use super::cipher::kasumi_kernel;
use crate::cpu::{Cpu, Isa};
use crate::report::KernelInfo;

kasumi_kernel!(
    /// 64 lanes in an integer.
    integers, "bitsliced", u64
);

#[cfg(target_arch = "x86_64")]
kasumi_kernel!(
    /// 256 lanes.
    avx2, "avx2 bitsliced", crate::bits::avx2::Bits256, "avx2"
);

#[cfg(target_arch = "x86_64")]
kasumi_kernel!(
    /// 256 lanes, and three-operand gates.
    avx512vl, "avx512vl bitsliced", crate::bits::avx2::Bits256, "avx512f,avx512bw,avx512vl"
);

#[cfg(target_arch = "x86_64")]
kasumi_kernel!(
    /// 512 lanes.
    avx512, "avx512 bitsliced", crate::bits::avx512::Bits512, "avx512f,avx512bw,avx512vl"
);

#[cfg(target_arch = "aarch64")]
kasumi_kernel!(
    /// 128 lanes.
    neon, "neon bitsliced", crate::bits::neon::Bits128, "neon"
);

/// Kernels by the number of lanes, the fewest first: the first that has a lane for every buffer is used.
pub(super) fn kernels(cpu: &Cpu) -> &'static [&'static KasumiKernel] {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => const { &[&integers::KERNEL, &avx512vl::KERNEL, &avx512::KERNEL] },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => const { &[&integers::KERNEL, &avx2::KERNEL] },
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => const { &[&integers::KERNEL, &neon::KERNEL] },
        _ => const { &[&integers::KERNEL] },
    }
}

/// What F8 and F9 get on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 2] {
    let kernels = kernels(cpu);
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
