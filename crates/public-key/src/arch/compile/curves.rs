//! Compiles the kernels of elliptic curves.

/// Makes the kernel of one instruction set, with these words of each lane, and these numbers of
/// limbs for 256 bits, for 384 and for 521.
macro_rules! curves_kernel {
    (
        $(#[$doc:meta])* $kernel:ident, $name:literal, $words:ty, $limbs:literal, $limbs384:literal,
        $limbs521:literal $(, $features:literal)?
    ) => {
        $crate::arch::compile::curves::products!(
            prime25519, $crate::kernels::curves::prime25519::Prime25519, $words, $limbs
            $(, $features)?
        );
        $crate::arch::compile::curves::products!(
            montgomery, $crate::kernels::curves::weierstrass::p256::Prime256, $words, $limbs
            $(, $features)?
        );
        $crate::arch::compile::curves::products!(
            montgomery, $crate::kernels::curves::weierstrass::secp256k1::PrimeK1, $words, $limbs
            $(, $features)?
        );
        $crate::arch::compile::curves::products!(
            montgomery, $crate::kernels::curves::weierstrass::p384::Prime384, $words, $limbs384
            $(, $features)?
        );
        $crate::arch::compile::curves::products!(
            montgomery, $crate::kernels::curves::weierstrass::p521::Prime521, $words, $limbs521
            $(, $features)?
        );

        $(#[$doc])*
        pub(crate) static $kernel: $crate::kernels::curves::kernel::CurveKernel = {
            use $crate::kernels::curves::columns::{Columns, MAX_LANES};
            use $crate::kernels::curves::edwards::{self, Affine};
            use $crate::kernels::curves::kernel::CurveKernel;
            use $crate::kernels::curves::words::Words;
            use $crate::kernels::curves::x25519;

            $(#[target_feature(enable = $features)])?
            unsafe fn x25519(scalars: &Columns<4>, points: &mut Columns<4>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `CurveKernel`, and this function
                // enables the instructions.
                unsafe { x25519::multiply::<$words, $limbs>(scalars, points) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn ed25519_base(numbers: &mut Columns<4>) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `CurveKernel`, and this function
                // enables the instructions.
                unsafe { edwards::multiply_base::<$words, $limbs>(numbers) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn ed25519_both(
                base: &mut Columns<4>,
                own: &Columns<4>,
                tables: &[&[Affine]; MAX_LANES],
            ) {
                broadloom_lanes::inside::align_frame!();
                // SAFETY: the arguments fulfil the contract of `CurveKernel`, and this function
                // enables the instructions.
                unsafe { edwards::multiply_both::<$words, $limbs>(base, own, tables) }
            }

            CurveKernel {
                name: $name,
                lanes: <$words as Words>::LANES,
                x25519,
                ed25519_base,
                ed25519_both,
                p256: $crate::arch::compile::curves::points!(
                    $crate::kernels::curves::weierstrass::p256::P256, 4, 5, $words, $limbs
                    $(, $features)?
                ),
                p384: $crate::arch::compile::curves::points!(
                    $crate::kernels::curves::weierstrass::p384::P384, 6, 7, $words, $limbs384
                    $(, $features)?
                ),
                p521: $crate::arch::compile::curves::points!(
                    $crate::kernels::curves::weierstrass::p521::P521, 9, 10, $words, $limbs521
                    $(, $features)?
                ),
                secp256k1: $crate::arch::compile::curves::points!(
                    $crate::kernels::curves::weierstrass::secp256k1::Secp256k1,
                    4, 5, $words, $limbs $(, $features)?
                ),
            }
        };
    };
}
pub(in crate::arch) use curves_kernel;

/// Compiles the products modulo a prime, whose bodies are in a module.
macro_rules! products {
    ($module:ident, $prime:ty, $words:ty, $limbs:literal $(, $features:literal)?) => {
        // SAFETY: the instructions are those of the words, a value of which is proof that the CPU
        // has them.
        unsafe impl $crate::kernels::curves::element::Multiply
            for $crate::kernels::curves::element::Element<$prime, $words, $limbs>
        {
            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn product(a: &Self, b: &Self) -> Self {
                broadloom_lanes::inside::align_frame!();
                $crate::kernels::curves::$module::product(a, b)
            }

            $(#[target_feature(enable = $features)])?
            #[inline(never)]
            unsafe fn squared(a: &Self) -> Self {
                broadloom_lanes::inside::align_frame!();
                $crate::kernels::curves::$module::squared(a)
            }
        }
    };
}
pub(in crate::arch) use products;

/// Makes the products of points of a curve, whose coordinates have so many words, and numbers with
/// their digits so many.
macro_rules! points {
    (
        $curve:ty, $coordinate:literal, $digits:literal, $words:ty, $limbs:literal
        $(, $features:literal)?
    ) => {{
        use $crate::kernels::curves::columns::{Columns, MAX_LANES};
        use $crate::kernels::curves::kernel::PointKernel;
        use $crate::kernels::curves::weierstrass::curve::Rows;
        use $crate::kernels::curves::weierstrass::multiply::{self, Coordinates};

        $(#[target_feature(enable = $features)])?
        unsafe fn base(numbers: &Columns<$digits>, products: &mut Coordinates<$coordinate>) {
            broadloom_lanes::inside::align_frame!();
            // SAFETY: the arguments fulfil the contract of `PointKernel`, and this function enables
            // the instructions.
            unsafe {
                multiply::multiply_base::<$curve, $words, $limbs, $coordinate, $digits>(
                    numbers, products,
                );
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn point(numbers: &Columns<$digits>, points: &mut Coordinates<$coordinate>) {
            broadloom_lanes::inside::align_frame!();
            // SAFETY: the arguments fulfil the contract of `PointKernel`, and this function enables
            // the instructions.
            unsafe {
                multiply::multiply_point::<$curve, $words, $limbs, $coordinate, $digits>(
                    numbers, points,
                );
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn both(
            base: &Columns<$digits>,
            own: &Columns<$digits>,
            tables: &[&Rows<$coordinate>; MAX_LANES],
            products: &mut Coordinates<$coordinate>,
        ) {
            broadloom_lanes::inside::align_frame!();
            // SAFETY: the arguments fulfil the contract of `PointKernel`, and this function enables
            // the instructions.
            unsafe {
                multiply::multiply_both::<$curve, $words, $limbs, $coordinate, $digits>(
                    base, own, tables, products,
                );
            }
        }

        $(#[target_feature(enable = $features)])?
        unsafe fn both_anew(
            base: &Columns<$digits>,
            own: &Columns<$digits>,
            points: &mut Coordinates<$coordinate>,
        ) {
            broadloom_lanes::inside::align_frame!();
            // SAFETY: the arguments fulfil the contract of `PointKernel`, and this function enables
            // the instructions.
            unsafe {
                multiply::multiply_both_anew::<$curve, $words, $limbs, $coordinate, $digits>(
                    base, own, points,
                );
            }
        }

        PointKernel::<$coordinate, $digits> { base, point, both, both_anew }
    }};
}
pub(in crate::arch) use points;
