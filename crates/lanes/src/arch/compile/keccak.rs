//! Compiles the kernels of Keccak.

/// Makes the kernel of one instruction set, whose steps are `$steps`.
macro_rules! keccak_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $steps:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(in crate::arch) const $kernel: $crate::sponge::KeccakKernel = {
            use $crate::sponge::{KeccakKernel, Rate, Steps, kernel};
            use $crate::vector::Vector;

            $(#[target_feature(enable = $features)])?
            unsafe fn absorb(states: *mut u64, data: *const *const u8, rate: Rate, blocks: usize) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { kernel::absorb::<$steps>(states, data, rate, blocks) }
            }

            KeccakKernel { name: $name, lanes: <<$steps as Steps>::V as Vector>::LANES, absorb }
        };
    };
}
pub(in crate::arch) use keccak_kernel;
