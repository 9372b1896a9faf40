//! Pairs of words in x86 registers, for carry-less products (PCLMULQDQ, VPCLMULQDQ).

use core::arch::x86_64::__m128i;

/// Returns the register, for a macro that spreads one over wider ones.
///
/// # Safety
/// There is no condition; the functions that it stands in for need an instruction set.
#[inline(always)]
pub(in crate::arch) unsafe fn same(register: __m128i) -> __m128i {
    register
}

/// Makes pairs of words of `$lanes` lanes in a register.
macro_rules! binary_pairs {
    (
        $(#[$doc:meta])* $pairs:ident($register:ty), $lanes:literal, $load:ident, $store:ident,
        $spread:ident, $xor:ident, $and:ident, $clmul:ident, $shuffle:ident, $align:ident,
        $left:ident, $right:ident, $sign:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::arch) struct $pairs($register);

        // SAFETY: the impl uses instructions of the register's width and carry-less products, which
        // the only kernel enables; every method is `inline(always)`.
        unsafe impl $crate::kernels::binary::pairs::Pairs for $pairs {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(from: &$crate::kernels::binary::pairs::Memory) -> Self {
                // SAFETY: the CPU has the instructions, by the contract of `Pairs::load`, and
                // `Memory` has room for the most lanes that there are.
                $pairs(unsafe { $load(from.0.as_ptr().cast()) })
            }
            #[inline(always)]
            fn store(self, to: &mut $crate::kernels::binary::pairs::Memory) {
                // SAFETY: `self` is proof of the instructions, and `Memory` has room for the most
                // lanes that there are.
                unsafe { $store(to.0.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn splat(self, [low, high]: [u64; 2]) -> Self {
                // SAFETY: `self` is proof of the instructions.
                unsafe {
                    $pairs($spread(_mm_set_epi64x(high.cast_signed(), low.cast_signed())))
                }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn low_products(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $clmul::<0x00>(self.0, other.0) })
            }
            #[inline(always)]
            fn high_products(self, other: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $clmul::<0x11>(self.0, other.0) })
            }
            #[inline(always)]
            fn swapped(self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $shuffle::<0b01_00_11_10>(self.0) })
            }
            #[inline(always)]
            fn middle(self, next: Self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $align::<8>(next.0, self.0) })
            }
            #[inline(always)]
            fn shift_left<const BY: i32>(self) -> Self {
                // SAFETY: `self` is proof of the instructions. The compiler makes an immediate
                // operand of the number.
                $pairs(unsafe { $left(self.0, _mm_cvtsi32_si128(BY)) })
            }
            #[inline(always)]
            fn shift_right<const BY: i32>(self) -> Self {
                // SAFETY: `self` is proof of the instructions.
                $pairs(unsafe { $right(self.0, _mm_cvtsi32_si128(BY)) })
            }
            #[inline(always)]
            fn mask(self, upper: bool, bit: u32) -> Self {
                // SAFETY: `self` is proof of the instructions.
                unsafe {
                    let top = $left(self.0, _mm_cvtsi32_si128(63 - bit.cast_signed()));
                    let halves = match upper {
                        false => $shuffle::<0b01_01_01_01>(top),
                        true => $shuffle::<0b11_11_11_11>(top),
                    };
                    $pairs($sign::<31>(halves))
                }
            }
        }
    };
}
pub(in crate::arch) use binary_pairs;
