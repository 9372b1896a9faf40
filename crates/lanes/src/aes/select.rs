//! Selects the kernels for a CPU.

use super::blocks::BlocksKernel;
use super::cbc::CbcKernel;
use super::ctr::CtrKernel;
use super::gcm::GcmKernel;
use super::mac::ChainKernel;
use crate::cpu::Cpu;
use crate::features::Choice;
use crate::report::KernelInfo;

/// The kernels of AES in one instruction set.
pub(crate) struct AesKernels {
    /// CBC, a lane for each buffer to encrypt.
    pub cbc: Choice<&'static CbcKernel>,
    /// CFB, as CBC.
    pub cfb: Choice<&'static CbcKernel>,
    /// OFB, as CBC.
    pub ofb: Choice<&'static CbcKernel>,
    /// Counter mode.
    pub ctr: Choice<&'static CtrKernel>,
    /// ECB and XTS.
    pub blocks: Choice<&'static BlocksKernel>,
    /// GCM and GMAC.
    pub gcm: Choice<&'static GcmKernel>,
    /// CMAC, XCBC-MAC and the chains of CCM.
    pub chains: Choice<&'static ChainKernel>,
}

/// For CBC.
pub(super) fn cbc(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.cbc)
}

/// For CFB.
pub(super) fn cfb(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.cfb)
}

/// For OFB.
pub(super) fn ofb(cpu: &Cpu) -> &'static CbcKernel {
    cpu.pick(&cpu.kernels().aes.ofb)
}

/// For counter mode.
pub(super) fn ctr(cpu: &Cpu) -> &'static CtrKernel {
    cpu.pick(&cpu.kernels().aes.ctr)
}

/// For ECB and XTS.
pub(super) fn blocks(cpu: &Cpu) -> &'static BlocksKernel {
    cpu.pick(&cpu.kernels().aes.blocks)
}

/// For GCM and GMAC.
pub(super) fn gcm(cpu: &Cpu) -> &'static GcmKernel {
    cpu.pick(&cpu.kernels().aes.gcm)
}

/// For CMAC, XCBC-MAC and the chains of CCM.
pub(super) fn chains(cpu: &Cpu) -> &'static ChainKernel {
    cpu.pick(&cpu.kernels().aes.chains)
}

/// The kernels of each mode on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 10] {
    let chains = |algorithm| {
        let ChainKernel { name, lanes, .. } = *chains(cpu);
        laned(algorithm, name, lanes, "the CPU has AES instructions: one buffer a lane")
    };
    let cipher = |algorithm, kernel: &CbcKernel| {
        let reason = "the CPU has AES instructions: one buffer a lane to encrypt, one block a lane \
                      to decrypt";
        laned(algorithm, kernel.name, kernel.lanes, reason)
    };
    [
        cipher("aes-cbc", cbc(cpu)),
        pipelined("aes-ctr", ctr(cpu).name),
        pipelined("aes-ecb", blocks(cpu).name),
        pipelined("aes-xts", blocks(cpu).name),
        cipher("aes-cfb", cfb(cpu)),
        laned(
            "aes-ofb",
            ofb(cpu).name,
            ofb(cpu).lanes,
            "the CPU has AES instructions: one buffer a lane",
        ),
        pipelined("aes-gcm", gcm(cpu).name),
        chains("aes-ccm"),
        chains("aes-cmac"),
        chains("aes-xcbc"),
    ]
}

/// A kernel with a lane for each buffer.
fn laned(
    algorithm: &'static str,
    kernel: &'static str,
    lanes: usize,
    reason: &'static str,
) -> KernelInfo {
    let reason = if kernel == "bitsliced" { NO_INSTRUCTIONS } else { reason };
    KernelInfo { algorithm, kernel, lanes, single: kernel, few: 0, reason }
}

/// A kernel that works on the blocks of one buffer side by side.
fn pipelined(algorithm: &'static str, kernel: &'static str) -> KernelInfo {
    let reason = match kernel {
        "bitsliced" => NO_INSTRUCTIONS,
        _ => {
            "the CPU has the instructions: blocks of a buffer side by side, buffers close together"
        }
    };
    KernelInfo { algorithm, kernel, lanes: 1, single: kernel, few: 0, reason }
}

const NO_INSTRUCTIONS: &str = "no AES instructions, or none allowed: constant-time integers";
