//! Selects the kernels for a CPU.

use crate::cpu::Cpu;
use crate::kernels::aes::blocks::BlocksKernel;
use crate::kernels::aes::cbc::CbcKernel;
use crate::kernels::aes::ctr::CtrKernel;
use crate::kernels::aes::gcm::GcmKernel;
use crate::kernels::aes::mac::ChainKernel;

/// Picks the kernel for CBC.
pub(super) fn cbc(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.cbc)
}

/// Picks the kernel for CFB.
pub(super) fn cfb(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.cfb)
}

/// Picks the kernel for OFB.
pub(super) fn ofb(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.ofb)
}

/// Picks the kernel for counter mode.
pub(super) fn ctr(cpu: &Cpu) -> &'static CtrKernel {
    cpu.pick(&cpu.kernels().aes.ctr)
}

/// Picks the kernel for ECB and XTS.
pub(super) fn blocks(cpu: &Cpu) -> &'static BlocksKernel {
    cpu.pick(&cpu.kernels().aes.blocks)
}

/// Picks the kernel for GCM and GMAC.
pub(super) fn gcm(cpu: &Cpu) -> &'static GcmKernel {
    cpu.pick(&cpu.kernels().aes.gcm)
}

/// Picks the kernel for CMAC, XCBC-MAC and the chains of CCM.
pub(super) fn chains(cpu: &Cpu) -> &'static ChainKernel {
    cpu.pick(&cpu.kernels().aes.chains)
}
