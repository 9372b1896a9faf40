//! Compiles the kernels of BLAKE3.

/// Makes the kernel of BLAKE3 in the lanes of a vector.
macro_rules! blake3_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $v:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) const $kernel: $crate::kernels::blake3::Blake3Kernel = {
            use $crate::kernels::blake3::{compress as body, Batch, Blake3Kernel};
            use $crate::vector::Vector;

            $(#[target_feature(enable = $features)])?
            unsafe fn compress(batch: &mut Batch, blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `Blake3Kernel`, and this function
                // enables the instructions.
                unsafe { body::<$v>(batch, blocks) }
            }

            Blake3Kernel { name: $name, lanes: <$v as Vector>::LANES, compress }
        };
    };
}
pub(in crate::arch) use blake3_kernel;
