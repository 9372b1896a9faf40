//! Vectors of 64-bit words that multiply, on x86-64.

use core::arch::asm;
use core::arch::x86_64::*;

use super::limbs::Products;
use super::wide::{MAX_LANES, Words};
use crate::isa::avx2::U64x4;
use crate::isa::avx512::U64x8;
use crate::vector::each;

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Words for U64x4 {
    // Measured on Zen 3: 16 blocks gain little, 20 a tenth.
    const WORTH: usize = 16;
    const ORDER: [usize; MAX_LANES] = [0, 2, 1, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of the instruction set (see Vector).
        Self(unsafe { _mm256_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    unsafe fn blocks(from: *const u8) -> [Self; 2] {
        // SAFETY: the caller vouches for AVX2 and for 64 bytes.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast()));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn block_of_each(lanes: *const *const u8) -> [Self; 2] {
        // SAFETY: the caller vouches for AVX2, four pointers, and 16 bytes behind each.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let (a, b) = (_mm256_set_m128i(row(2), row(0)), _mm256_set_m128i(row(3), row(1)));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }
}

// SAFETY: as above.
unsafe impl Products for U64x4 {
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { products_256(self.0, other.0) })
    }
}

// SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
unsafe impl Words for U64x8 {
    const WORTH: usize = 32;
    const ORDER: [usize; MAX_LANES] = [0, 2, 4, 6, 1, 3, 5, 7];

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of the instruction set (see Vector).
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    #[inline(always)]
    unsafe fn blocks(from: *const u8) -> [Self; 2] {
        // SAFETY: the caller vouches for AVX-512 and for 128 bytes.
        unsafe {
            let (a, b) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast()));
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn block_of_each(lanes: *const *const u8) -> [Self; 2] {
        // SAFETY: the caller vouches for AVX-512, eight pointers, and 16 bytes behind each.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let [a, b] = each!(l in 2 => {
                let low = _mm256_set_m128i(row(l + 2), row(l));
                let high = _mm256_set_m128i(row(l + 6), row(l + 4));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            });
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }
}

// SAFETY: as above.
unsafe impl Products for U64x8 {
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { products_512(self.0, other.0) })
    }
}

/// Makes a function of the instruction for products of lower halves. Its intrinsic stands for a product of
/// 64 bits whose operands have lost their upper halves; where the compiler makes those ahead, it forgets
/// about them, and takes three instructions in the place of one.
macro_rules! products {
    ($name:ident, $type:ty, $class:ident, $feature:literal) => {
        #[target_feature(enable = $feature)]
        #[inline]
        fn $name(a: $type, b: $type) -> $type {
            let product;
            // SAFETY: it touches its operands and nothing else.
            unsafe {
                asm!(
                    "vpmuludq {0}, {1}, {2}",
                    lateout($class) product,
                    in($class) a,
                    in($class) b,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            product
        }
    };
}

products!(products_256, __m256i, ymm_reg, "avx2");
products!(products_512, __m512i, zmm_reg, "avx512f");
