//! Compiles the kernels of KASUMI.

/// Makes the kernel of one instruction set: the functions of `kasumi::cipher` with the
/// `target_feature` that it needs.
macro_rules! kasumi_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $bits:ty $(, $features:literal)?) => {
        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::kasumi::KasumiKernel = {
            use $crate::bits::Bits;
            use $crate::kernels::kasumi::{cipher, KasumiKernel};

            $(#[target_feature(enable = $features)])?
            unsafe fn schedule(high: *mut u64, low: *mut u64, schedule: *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `KasumiKernel`, and this function
                // enables the instructions.
                unsafe { cipher::schedule::<$bits>(high, low, schedule) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn encrypt(schedule: *const u64, blocks: *mut u64) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `KasumiKernel`, and this function
                // enables the instructions.
                unsafe { cipher::encrypt::<$bits>(schedule, blocks) }
            }

            KasumiKernel { name: $name, lanes: <$bits as Bits>::LANES, schedule, encrypt }
        };
    };
}
pub(in crate::arch) use kasumi_kernel;
