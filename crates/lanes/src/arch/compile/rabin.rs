//! Compiles the search for fingerprints.

/// Makes the kernel of one instruction set, on these words.
macro_rules! rabin_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $words:ty, $features:literal) => {
        $(#[$doc])*
        pub(in crate::arch) static $kernel: $crate::kernels::rabin::kernel::RabinKernel = {
            use $crate::kernels::rabin::words::RabinWords;
            use $crate::kernels::rabin::constants::Constants;
            use $crate::kernels::rabin::kernel::{self, RabinKernel};
            use $crate::kernels::rabin::tables::Tables;

            #[target_feature(enable = $features)]
            unsafe fn find(
                constants: &Constants,
                tables: &Tables,
                start: *const u8,
                len: usize,
            ) -> Option<usize> {
                $crate::arch::compile::align_frame!();
                // SAFETY: the arguments fulfil the contract of `RabinKernel`, and this function
                // enables the instructions.
                unsafe { kernel::find::<$words>(constants, tables, start, len) }
            }

            RabinKernel { name: $name, stripes: 2 * <$words as RabinWords>::LANES, find }
        };
    };
}
pub(in crate::arch) use rabin_kernel;
