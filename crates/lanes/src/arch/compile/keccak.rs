//! Compiles the kernels of Keccak.

/// Makes the kernel of one instruction set, whose steps are `$steps`.
macro_rules! keccak_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $steps:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) const $kernel: $crate::kernels::sponge::kernel::KeccakKernel = {
            use $crate::kernels::sponge::keccak::{self, Steps};
            use $crate::kernels::sponge::kernel::{self, KeccakKernel, Rate};
            use $crate::vector::Vector;

            $(#[target_feature(enable = $features)])?
            unsafe fn absorb(states: *mut u64, data: *const *const u8, rate: Rate, blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `KeccakKernel`, and this function
                // enables the instructions.
                unsafe { kernel::absorb::<$steps>(states, data, rate, blocks) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn extract(states: *const u64, eights: usize, rows: *const *mut u64) {
                // SAFETY: as above.
                unsafe { kernel::extract::<<$steps as Steps>::V>(states, eights, rows) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn squeeze(states: *mut u64, rate: Rate, blocks: usize, rows: *const *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: as above.
                unsafe {
                    kernel::squeeze::<$steps>(
                        states,
                        rate,
                        blocks,
                        rows,
                        #[inline(always)]
                        |s| keccak::permute::<$steps>(s),
                    )
                }
            }

            let lanes = <<$steps as Steps>::V as Vector>::LANES;
            KeccakKernel { name: $name, lanes, absorb, extract, squeeze }
        };
    };
}
pub(in crate::arch) use keccak_kernel;
