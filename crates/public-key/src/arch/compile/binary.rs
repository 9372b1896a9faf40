//! Compiles the kernels of binary curves.

/// Makes the kernel of one instruction set, on these pairs of words.
macro_rules! binary_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $pairs:ty $(, $features:literal)?) => {
        // SAFETY: the instructions are those of the pairs, a value of which is proof that the CPU
        // has them.
        unsafe impl $crate::kernels::binary::element::Multiply for $pairs {
            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn product(
                a: &$crate::kernels::binary::element::Element<Self>,
                b: &$crate::kernels::binary::element::Element<Self>,
            ) -> $crate::kernels::binary::element::Element<Self> {
                broadloom_lanes::inside::align_frame!();
                $crate::kernels::binary::element::product(a, b)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn squared(
                a: &$crate::kernels::binary::element::Element<Self>,
                times: usize,
            ) -> $crate::kernels::binary::element::Element<Self> {
                broadloom_lanes::inside::align_frame!();
                $crate::kernels::binary::element::squared(a, times)
            }
        }

        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::binary::kernel::BinaryKernel = {
            use $crate::kernels::binary::element::Column;
            use $crate::kernels::binary::pairs::Pairs;
            use $crate::kernels::binary::points::{self, Points, Validity};
            use $crate::kernels::binary::curve::Parameters;
            use $crate::kernels::binary::kernel::BinaryKernel;

            $(#[target_feature(enable = $features)])?
            unsafe fn multiply(
                curve: &Parameters,
                scalars: &Column,
                all: &mut Points,
                with_y: bool,
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `BinaryKernel`, and this function
                // enables the instructions.
                unsafe { points::multiply::<$pairs>(curve, scalars, all, with_y) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add(curve: &Parameters, first: &mut Points, second: &Points) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `BinaryKernel`, and this function
                // enables the instructions.
                unsafe { points::add::<$pairs>(curve, first, second) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn valid(curve: &Parameters, all: &Points) -> Validity {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `BinaryKernel`, and this function
                // enables the instructions.
                unsafe { points::valid::<$pairs>(curve, all) }
            }

            BinaryKernel { name: $name, lanes: <$pairs as Pairs>::LANES, multiply, add, valid }
        };
    };
}
pub(in crate::arch) use binary_kernel;
