//! Compiles the kernels of DES.

/// Compiles the kernel for the registers `$bits` of an instruction set.
macro_rules! des_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $bits:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) const $kernel: $crate::kernels::des::DesKernel = {
            use $crate::bits::Bits;
            use $crate::kernels::des::{cipher, DesKernel};

            /// [`DesKernel::slice_keys`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn slice_keys(words: *const u64, slices: *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `DesKernel`, and this function
                // enables the instructions.
                unsafe { cipher::slice_keys::<$bits>(words, slices) }
            }

            /// [`DesKernel::slice_key`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn slice_key(word: u64, slices: *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `DesKernel`, and this function
                // enables the instructions.
                unsafe { cipher::slice_key::<$bits>(word, slices) }
            }

            /// [`DesKernel::cipher`], with its contract.
            $(#[target_feature(enable = $features)])?
            unsafe fn run(slices: *const u64, passes: usize, decrypt: bool, blocks: *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `DesKernel`, and this function
                // enables the instructions.
                unsafe { cipher::cipher::<$bits>(slices, passes, decrypt, blocks) }
            }

            DesKernel {
                name: $name,
                lanes: <$bits>::LANES,
                slice_keys,
                slice_key,
                cipher: run,
            }
        };
    };
}
pub(in crate::arch) use des_kernel;
