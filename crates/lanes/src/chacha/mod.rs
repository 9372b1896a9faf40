//! ChaCha20 and ChaCha20-Poly1305 (RFC 8439), and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
//!
//! Blocks of key stream are independent, so every lane takes a block: the blocks of one text, or
//! those of several short texts. The kernels are in `kernels/chacha`. `lanes` gathers texts for
//! them.

mod job;
mod lanes;

pub use job::{ChaChaJob, ChaChaPolyJob, XChaChaPolyJob};
pub use lanes::{ChaChaLanes, ChaChaPolyLanes, XChaChaPolyLanes};

use crate::cpu::Cpu;
use crate::info::KernelInfo;
use crate::kernels::chacha::kernel::ChaChaKernel;

/// Gives the lanes of an algorithm the function that describes their kernel.
macro_rules! kernel_info {
    ($($lanes:ident, $name:literal, $text:literal;)+) => { $(
        impl $lanes {
            #[doc = concat!("Returns the kernel of ", $text, " on a CPU,")]
            /// as [`kernels`](crate::kernels) lists it.
            pub fn kernel_info(cpu: &Cpu) -> KernelInfo {
                kernel_info($name, cpu)
            }
        }
    )+ };
}

kernel_info! {
    ChaChaLanes, "chacha20", "ChaCha20";
    ChaChaPolyLanes, "chacha20-poly1305", "ChaCha20-Poly1305";
    XChaChaPolyLanes, "xchacha20-poly1305", "XChaCha20-Poly1305";
}

/// Returns the kernels of all algorithms here on a CPU.
pub(crate) fn kernel_infos(cpu: &Cpu) -> [KernelInfo; 3] {
    [
        ChaChaLanes::kernel_info(cpu),
        ChaChaPolyLanes::kernel_info(cpu),
        XChaChaPolyLanes::kernel_info(cpu),
    ]
}

/// Returns the kernel of an algorithm here on a CPU.
fn kernel_info(algorithm: &'static str, cpu: &Cpu) -> KernelInfo {
    let ChaChaKernel { name, lanes, .. } = *cpu.pick(&cpu.kernels().chacha);
    let reason = match lanes {
        1 => "no vectors that this program knows, or none allowed",
        _ => {
            "the widest vectors that the CPU and the operating system offer: a block of any buffer \
             a lane"
        }
    };
    KernelInfo { algorithm, kernel: name, lanes, single: name, few: 0, reason }
}
