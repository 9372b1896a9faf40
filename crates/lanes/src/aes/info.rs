//! Describes the kernels that a CPU gets.

use super::select::{blocks, cbc, cfb, chains, ctr, gcm, ofb};
use super::{
    CbcLanes, CcmLanes, CfbLanes, CmacLanes, CtrLanes, EcbLanes, GcmLanes, OfbLanes, XtsLanes,
};
use crate::cpu::Cpu;
use crate::info::KernelInfo;
use crate::kernels::aes::cbc::CbcKernel;
use crate::kernels::aes::mac::ChainKernel;

/// Gives the lanes of a mode the function that describes their kernel.
macro_rules! kernel_info {
    ($($lanes:ident, $text:literal => |$cpu:ident| $info:expr;)+) => { $(
        impl $lanes {
            #[doc = concat!("Returns the kernel of ", $text, " on a CPU,")]
            /// as [`kernels`](crate::kernels) lists it.
            pub fn kernel_info($cpu: &Cpu) -> KernelInfo {
                $info
            }
        }
    )+ };
}

kernel_info! {
    CbcLanes, "CBC" => |cpu| both_ways("aes-cbc", cbc(cpu));
    CtrLanes, "counter mode" => |cpu| pipelined("aes-ctr", ctr(cpu).name);
    EcbLanes, "ECB" => |cpu| pipelined("aes-ecb", blocks(cpu).name);
    XtsLanes, "XTS" => |cpu| pipelined("aes-xts", blocks(cpu).name);
    CfbLanes, "CFB" => |cpu| both_ways("aes-cfb", cfb(cpu));
    OfbLanes, "OFB" => |cpu| laned("aes-ofb", ofb(cpu).name, ofb(cpu).lanes, A_BUFFER_A_LANE);
    GcmLanes, "GCM and GMAC" => |cpu| pipelined("aes-gcm", gcm(cpu).name);
    CcmLanes, "CCM" => |cpu| chained("aes-ccm", chains(cpu));
    CmacLanes, "CMAC, which is that of XCBC-MAC," => |cpu| chained("aes-cmac", chains(cpu));
}

/// Returns the kernels of each mode on this CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 10] {
    [
        CbcLanes::kernel_info(cpu),
        CtrLanes::kernel_info(cpu),
        EcbLanes::kernel_info(cpu),
        XtsLanes::kernel_info(cpu),
        CfbLanes::kernel_info(cpu),
        OfbLanes::kernel_info(cpu),
        GcmLanes::kernel_info(cpu),
        CcmLanes::kernel_info(cpu),
        CmacLanes::kernel_info(cpu),
        CmacLanes::kernel_info(cpu).named("aes-xcbc"),
    ]
}

/// Returns a kernel with a lane for each chain of a MAC.
fn chained(algorithm: &'static str, kernel: &ChainKernel) -> KernelInfo {
    laned(algorithm, kernel.name, kernel.lanes, A_BUFFER_A_LANE)
}

/// Returns a kernel with a lane for each buffer to encrypt, and for each block to decrypt.
fn both_ways(algorithm: &'static str, kernel: &CbcKernel) -> KernelInfo {
    let reason = "the CPU has AES instructions: one buffer a lane to encrypt, one block a lane to \
                  decrypt";
    laned(algorithm, kernel.name, kernel.lanes, reason)
}

/// Returns a kernel with a lane for each buffer.
fn laned(
    algorithm: &'static str,
    kernel: &'static str,
    lanes: usize,
    reason: &'static str,
) -> KernelInfo {
    let reason = if kernel == "bitsliced" { NO_INSTRUCTIONS } else { reason };
    KernelInfo { algorithm, kernel, lanes, single: kernel, few: 0, reason }
}

/// Returns a kernel that works on the blocks of one buffer side by side.
fn pipelined(algorithm: &'static str, kernel: &'static str) -> KernelInfo {
    let reason = match kernel {
        "bitsliced" => NO_INSTRUCTIONS,
        _ => {
            "the CPU has the instructions: blocks of a buffer side by side, buffers close together"
        }
    };
    KernelInfo { algorithm, kernel, lanes: 1, single: kernel, few: 0, reason }
}

const A_BUFFER_A_LANE: &str = "the CPU has AES instructions: one buffer a lane";

const NO_INSTRUCTIONS: &str = "no AES instructions, or none allowed: constant-time integers";
