//! Which kernels a CPU gets.

use super::blocks::BlocksKernel;
use super::cbc::CbcKernel;
use super::ctr::CtrKernel;
use super::gcm::GcmKernel;
use super::mac::ChainKernel;
use crate::cpu::Cpu;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Isa;
use crate::report::KernelInfo;

/// Whether AES has instructions on the registers of AVX-512, and those are used.
#[cfg(target_arch = "x86_64")]
fn vaes_512(cpu: &Cpu) -> bool {
    cpu.isa() == Isa::Avx512 && cpu.has("vaes")
}

/// For CBC: the AES instructions where the CPU has them, else bitsliced integers. To decrypt, they are those
/// on the widest registers.
pub(super) fn cbc(cpu: &Cpu) -> &'static CbcKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) && cpu.has("aes") {
        return &super::vaes512::CBC;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") && cpu.has("aes") {
        return &super::vaes::CBC;
    }
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::AESNI;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::NEON;
    }
    &super::soft::SOFT
}

/// For counter mode: the AES instructions on the widest registers that have them, else bitsliced integers.
pub(super) fn ctr(cpu: &Cpu) -> &'static CtrKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) {
        return &super::vaes512::CTR;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") {
        return &super::vaes::CTR;
    }
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::CTR;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::CTR;
    }
    &super::ctr::soft::SOFT
}

/// For ECB and XTS: the AES instructions on the widest registers that have them, else bitsliced integers.
pub(super) fn blocks(cpu: &Cpu) -> &'static BlocksKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) {
        return &super::vaes512::BLOCKS;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") {
        return &super::vaes::BLOCKS;
    }
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::BLOCKS;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::BLOCKS;
    }
    &super::blocks::soft::SOFT
}

/// For CFB: the AES instructions where the CPU has them, else bitsliced integers. To decrypt, they are those
/// on the widest registers.
pub(super) fn cfb(cpu: &Cpu) -> &'static CbcKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) && cpu.has("aes") {
        return &super::vaes512::CFB;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") && cpu.has("aes") {
        return &super::vaes::CFB;
    }
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::CFB;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::CFB;
    }
    &super::cfb::soft::SOFT
}

/// For GCM and GMAC: the instructions for AES and for carry-less products, on the widest registers that have
/// both, else integers.
pub(super) fn gcm(cpu: &Cpu) -> &'static GcmKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) && cpu.has("vpclmulqdq") {
        return &super::gcm::vclmul512::VCLMUL512;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") && cpu.has("vpclmulqdq") {
        return &super::gcm::vclmul::VCLMUL;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("aes") && cpu.has("pclmulqdq") {
        return &super::gcm::clmul::CLMUL;
    }
    #[cfg(target_arch = "aarch64")]
    if cpu.has("aes") && cpu.has("pmull") {
        return &super::gcm::pmull::PMULL;
    }
    &super::gcm::soft::SOFT
}

/// For CMAC and the chains of CCM: the AES instructions on the widest registers that have them, else bitsliced integers.
pub(super) fn chains(cpu: &Cpu) -> &'static ChainKernel {
    #[cfg(target_arch = "x86_64")]
    if vaes_512(cpu) && cpu.has("aes") {
        return &super::mac::vaes512::VAES512;
    }
    #[cfg(target_arch = "x86_64")]
    if cpu.has("vaes") && cpu.has("aes") {
        return &super::mac::vaes::VAES;
    }
    if cpu.has("aes") {
        #[cfg(target_arch = "x86_64")]
        return &super::ni::CHAIN;
        #[cfg(target_arch = "aarch64")]
        return &super::neon::CHAIN;
    }
    &super::mac::soft::SOFT
}

/// What each mode gets on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 9] {
    let chains = |algorithm| {
        let ChainKernel { name, lanes, .. } = *chains(cpu);
        laned(algorithm, name, lanes, "the CPU has AES instructions: one buffer a lane")
    };
    let cipher = |algorithm, kernel: &CbcKernel| {
        let reason =
            "the CPU has AES instructions: one buffer a lane to encrypt, one block a lane to decrypt";
        laned(algorithm, kernel.name, kernel.lanes, reason)
    };
    [
        cipher("aes-cbc", cbc(cpu)),
        pipelined("aes-ctr", ctr(cpu).name),
        pipelined("aes-ecb", blocks(cpu).name),
        pipelined("aes-xts", blocks(cpu).name),
        cipher("aes-cfb", cfb(cpu)),
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
        _ => "the CPU has the instructions: blocks of a buffer side by side, buffers close together",
    };
    KernelInfo { algorithm, kernel, lanes: 1, single: kernel, few: 0, reason }
}

const NO_INSTRUCTIONS: &str = "no AES instructions, or none allowed: constant-time integers";
