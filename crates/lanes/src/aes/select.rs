//! Which CBC kernel a CPU gets.

use super::cbc::CbcKernel;
use crate::cpu::Cpu;
use crate::report::KernelInfo;

/// The AES instructions where the CPU has them, else bitsliced integers.
pub(super) fn kernel(cpu: &Cpu) -> &'static CbcKernel {
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::AESNI;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::NEON;
    }
    &super::soft::SOFT
}

/// What AES-CBC gets on this CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let CbcKernel { name, lanes, .. } = *kernel(cpu);
    let reason = if cpu.has("aes") {
        "the CPU has AES instructions: one buffer a lane to encrypt, one block a lane to decrypt"
    } else {
        "no AES instructions, or none allowed: constant-time integers"
    };
    KernelInfo { algorithm: "aes-cbc", kernel: name, lanes, single: name, few: 0, reason }
}
