//! Compiles the search for fingerprints.

/// Makes the kernel of one instruction set, on these words.
macro_rules! rabin_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $words:ty, $features:literal) => {
        $(#[$doc])*
        pub(in crate::arch) static $kernel: $crate::rabin::Kernel = {
            use $crate::rabin::words::Words;
            use $crate::rabin::{Constants, Kernel, Tables, kernel};

            #[target_feature(enable = $features)]
            unsafe fn find(
                constants: &Constants,
                tables: &Tables,
                start: *const u8,
                len: usize,
            ) -> Option<usize> {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { kernel::find::<$words>(constants, tables, start, len) }
            }

            Kernel { name: $name, stripes: 2 * <$words as Words>::LANES, find }
        };
    };
}
pub(in crate::arch) use rabin_kernel;
