//! The kernels compiled for each instruction set, and who gets which.

use super::aead::{self, Workspace};
use super::poly::NoVectors;
#[cfg(target_arch = "x86_64")]
use super::poly::{Fused, Lanes, Limbs};
#[cfg(debug_assertions)]
use super::poly::{Number, Part, Wide};
use super::{ChaChaKernel, Message, Text, stream};
use crate::cpu::{Cpu, Isa};
use crate::isa;
use crate::vector::Vector;

/// Makes the kernel of one instruction set: vectors for keystream, and those for Poly1305.
macro_rules! chacha_kernel {
    ($(#[$doc:meta])* $module:ident, $name:literal, $vector:ty, $limbs:ty $(, $feature:literal)?) => {
        $(#[$doc])*
        mod $module {
            use super::*;

            pub(super) static KERNEL: ChaChaKernel =
                ChaChaKernel { name: $name, lanes: <$vector>::LANES, cipher, process };

            $(#[target_feature(enable = $feature)])?
            unsafe fn cipher(texts: &[Text], lanes: &mut stream::Lanes) {
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { stream::cipher::<$vector>(texts, lanes) }
            }

            $(#[target_feature(enable = $feature)])?
            unsafe fn process(messages: &[Message], workspace: &mut Workspace) {
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { aead::process::<$vector, Poly1305>(messages, workspace, cipher) }
            }

            #[cfg(not(debug_assertions))]
            type Poly1305 = $limbs;

            /// In a program that is not optimised, Poly1305 has functions of its own: each of its many copies would have a
            /// place for every value, and the stack of a thread not room enough.
            #[cfg(debug_assertions)]
            struct Poly1305;

            // SAFETY: that of the functions, which are called.
            #[cfg(debug_assertions)]
            unsafe impl Wide for Poly1305 {
                const WORTH: usize = <$limbs>::WORTH;
                const LANES: usize = <$limbs>::LANES;

                unsafe fn absorb(sum: &mut Number, r: [u64; 2], from: *const u8, blocks: usize) -> usize {
                    $(#[target_feature(enable = $feature)])?
                    unsafe fn call(sum: &mut Number, r: [u64; 2], from: *const u8, blocks: usize) -> usize {
                        // SAFETY: the contract, and the instructions are enabled here.
                        unsafe { <$limbs>::absorb(sum, r, from, blocks) }
                    }
                    // SAFETY: the contract.
                    unsafe { call(sum, r, from, blocks) }
                }

                unsafe fn absorb_each(parts: &mut [Part]) {
                    $(#[target_feature(enable = $feature)])?
                    unsafe fn call(parts: &mut [Part]) {
                        // SAFETY: the contract, and the instructions are enabled here.
                        unsafe { <$limbs>::absorb_each(parts) }
                    }
                    // SAFETY: the contract.
                    unsafe { call(parts) }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
chacha_kernel!(
    /// Sixteen blocks at once; Poly1305 with instructions that multiply and add.
    ifma, "avx512-ifma", isa::avx512::U32x16, Lanes<Fused>, "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);

#[cfg(target_arch = "x86_64")]
chacha_kernel!(
    /// Sixteen blocks at once.
    avx512, "avx512", isa::avx512::U32x16, Lanes<Limbs<isa::avx512::U64x8>>, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

#[cfg(target_arch = "x86_64")]
chacha_kernel!(
    /// Eight blocks at once.
    avx2, "avx2", isa::avx2::U32x8, Lanes<Limbs<isa::avx2::U64x4>>, "avx2,bmi1,bmi2"
);

#[cfg(target_arch = "aarch64")]
chacha_kernel!(
    /// Four blocks at once.
    neon, "neon", isa::neon::U32x4, NoVectors, "neon"
);

chacha_kernel!(
    /// A block after the other, in plain integers.
    portable, "portable", isa::portable::Plain<u32>, NoVectors
);

/// The widest vectors there are.
pub(super) fn select(cpu: &Cpu) -> &'static ChaChaKernel {
    match cpu.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 if cpu.has("avx512ifma") => &ifma::KERNEL,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => &avx512::KERNEL,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => &avx2::KERNEL,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => &neon::KERNEL,
        _ => &portable::KERNEL,
    }
}
