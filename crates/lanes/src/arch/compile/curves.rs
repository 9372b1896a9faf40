//! Compiles the kernels of elliptic curves.

/// Makes the kernel of one instruction set, with these words of each lane and so many limbs.
macro_rules! curves_kernel {
    (
        $(#[$doc:meta])* $kernel:ident, $name:literal, $words:ty, $limbs:literal
        $(, $features:literal)?
    ) => {
        // SAFETY: the instructions are those of the words, and are enabled.
        unsafe impl $crate::curves::element::Multiply
            for $crate::curves::prime25519::Fe<$words, $limbs> {
            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn product(a: &Self, b: &Self) -> Self {
                $crate::arch::compile::align_frame!();
                $crate::curves::prime25519::product(a, b)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn squared(a: &Self) -> Self {
                $crate::arch::compile::align_frame!();
                $crate::curves::prime25519::squared(a)
            }
        }

        // SAFETY: the instructions are those of the words, and are enabled.
        unsafe impl $crate::curves::element::Multiply
            for $crate::curves::prime256::Fe<$words, $limbs> {
            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn product(a: &Self, b: &Self) -> Self {
                $crate::arch::compile::align_frame!();
                $crate::curves::prime256::product(a, b)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn squared(a: &Self) -> Self {
                $crate::arch::compile::align_frame!();
                $crate::curves::prime256::squared(a)
            }
        }

        $(#[$doc])*
        pub(crate) static $kernel: $crate::curves::Kernel = {
            use $crate::curves::edwards::{self, Affine};
            use $crate::curves::kernel::{Columns, Kernel, MAX_LANES};
            use $crate::curves::p256::multiply::{self, Coordinates};
            use $crate::curves::p256::points::Rows;
            use $crate::curves::words::Words;
            use $crate::curves::x25519;

            $(#[target_feature(enable = $features)])?
            unsafe fn x25519(scalars: &Columns<4>, points: &mut Columns<4>) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { x25519::multiply::<$words, $limbs>(scalars, points) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn ed25519_base(numbers: &mut Columns<4>) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { edwards::multiply_base::<$words, $limbs>(numbers) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn ed25519_both(
                base: &mut Columns<4>,
                own: &Columns<4>,
                tables: &[&[Affine]; MAX_LANES],
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { edwards::multiply_both::<$words, $limbs>(base, own, tables) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn p256_base(numbers: &Columns<5>, products: &mut Coordinates) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { multiply::multiply_base::<$words, $limbs>(numbers, products) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn p256_point(numbers: &Columns<5>, points: &mut Coordinates) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { multiply::multiply_point::<$words, $limbs>(numbers, points) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn p256_both(
                base: &Columns<5>,
                own: &Columns<5>,
                tables: &[&Rows; MAX_LANES],
                products: &mut Coordinates,
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { multiply::multiply_both::<$words, $limbs>(base, own, tables, products) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn p256_both_anew(
                base: &Columns<5>,
                own: &Columns<5>,
                points: &mut Coordinates,
            ) {
                $crate::arch::compile::align_frame!();
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe { multiply::multiply_both_anew::<$words, $limbs>(base, own, points) }
            }

            let lanes = <$words as Words>::LANES;
            Kernel {
                name: $name,
                lanes,
                x25519,
                ed25519_base,
                ed25519_both,
                p256_base,
                p256_point,
                p256_both,
                p256_both_anew,
            }
        };
    };
}
pub(in crate::arch) use curves_kernel;
