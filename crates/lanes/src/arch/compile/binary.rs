//! Compiles the kernels of binary curves.

/// Makes the kernel of one instruction set, on these pairs of words.
macro_rules! binary_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $pairs:ty $(, $features:literal)?) => {
        // SAFETY: the instructions are those of the pairs, and are enabled.
        unsafe impl $crate::binary::element::Multiply for $pairs {
            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn product(
                a: &$crate::binary::element::Element<Self>,
                b: &$crate::binary::element::Element<Self>,
            ) -> $crate::binary::element::Element<Self> {
                $crate::arch::compile::align_frame!();
                $crate::binary::element::product(a, b)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn squared(
                a: &$crate::binary::element::Element<Self>,
                times: usize,
            ) -> $crate::binary::element::Element<Self> {
                $crate::arch::compile::align_frame!();
                $crate::binary::element::squared(a, times)
            }
        }

        $(#[$doc])*
        pub(crate) static $kernel: $crate::binary::Kernel = {
            use $crate::binary::element::Column;
            use $crate::binary::pairs::Pairs;
            use $crate::binary::points::{self, Points, Validity};
            use $crate::binary::{Kernel, Parameters};

            $(#[target_feature(enable = $features)])?
            unsafe fn multiply(
                curve: &Parameters,
                scalars: &Column,
                all: &mut Points,
                with_y: bool,
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { points::multiply::<$pairs>(curve, scalars, all, with_y) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn add(curve: &Parameters, first: &mut Points, second: &Points) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { points::add::<$pairs>(curve, first, second) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn valid(curve: &Parameters, all: &Points) -> Validity {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { points::valid::<$pairs>(curve, all) }
            }

            Kernel { name: $name, lanes: <$pairs as Pairs>::LANES, multiply, add, valid }
        };
    };
}
pub(in crate::arch) use binary_kernel;
