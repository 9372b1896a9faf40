//! The kernels, and which of them a CPU gets.

use super::{DesKernel, cipher};
use crate::cpu::{Cpu, Isa};
use crate::report::KernelInfo;

/// Compiles the kernel for the registers `$bits` of an instruction set.
macro_rules! kernel {
    ($module:ident, $name:literal, $bits:ty $(, $features:literal)?) => {
        mod $module {
            use super::{DesKernel, cipher};
            use crate::bits::Bits;

            pub(super) const KERNEL: DesKernel = DesKernel {
                name: $name,
                lanes: <$bits>::LANES,
                slice_keys,
                slice_key,
                cipher: run,
            };

            /// [`DesKernel::slice_keys`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn slice_keys(words: *const u64, slices: *mut u64) {
                // SAFETY: the caller's; this function has the instruction set.
                unsafe { cipher::slice_keys::<$bits>(words, slices) }
            }

            /// [`DesKernel::slice_key`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn slice_key(word: u64, slices: *mut u64) {
                // SAFETY: the caller's; this function has the instruction set.
                unsafe { cipher::slice_key::<$bits>(word, slices) }
            }

            /// [`DesKernel::cipher`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn run(slices: *const u64, passes: usize, decrypt: bool, blocks: *mut u64) {
                // SAFETY: the caller's; this function has the instruction set.
                unsafe { cipher::cipher::<$bits>(slices, passes, decrypt, blocks) }
            }
        }
    };
}

kernel!(portable, "bitsliced", u64);
#[cfg(target_arch = "aarch64")]
kernel!(neon, "neon", crate::bits::neon::Bits128, "neon");
#[cfg(target_arch = "x86_64")]
kernel!(avx2, "avx2", crate::bits::avx2::Bits256, "avx2");
#[cfg(target_arch = "x86_64")]
kernel!(avx512_half, "avx512", crate::bits::avx2::Bits256, "avx512f,avx512vl");
#[cfg(target_arch = "x86_64")]
kernel!(avx512, "avx512", crate::bits::avx512::Bits512, "avx512f,avx512vl");

/// The kernels for this CPU, the narrowest first. Where registers of one width cost as much as those of half
/// the width, as everywhere but for 512 bits, only the widest are worth having.
pub(super) fn kernels(cpu: &Cpu) -> &'static [DesKernel] {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => const { &[avx512_half::KERNEL, avx512::KERNEL] },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => const { &[avx2::KERNEL] },
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => const { &[neon::KERNEL] },
        _ => const { &[portable::KERNEL] },
    }
}

/// What DES and triple DES get on this CPU.
pub(crate) fn kernel_info(cpu: &Cpu) -> KernelInfo {
    let kernels = kernels(cpu);
    let [narrowest, .., widest] = kernels else {
        let [DesKernel { name, lanes, .. }] = *kernels else { unreachable!("there is a kernel") };
        let reason = match cpu.isa() {
            Isa::Portable => "bitsliced on integers: a lane a bit, constant time",
            _ => "bitsliced on the widest vectors there are: a lane a bit, constant time",
        };
        return KernelInfo { algorithm: "des", kernel: name, lanes, single: name, few: 0, reason };
    };
    KernelInfo {
        algorithm: "des",
        kernel: widest.name,
        lanes: widest.lanes,
        single: narrowest.name,
        few: narrowest.lanes,
        reason: "bitsliced: a lane a bit, constant time; 256-bit vectors as long as they hold all blocks",
    }
}
