//! Numbers of 32 bits in 128-bit registers: four lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::x86_64::sse4::U32x4;

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x4 {
    /// Sums of the even lanes, and of the odd ones.
    type Sums = [__m128i; 2];

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: the CPU has SSE4.1, by the contract of `no_sums`.
        unsafe { [_mm_setzero_si128(); 2] }
    }
    #[inline(always)]
    fn add_products(self, other: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of SSE4.1 (see Vector).
        unsafe {
            let (a, b) = (_mm_srli_epi64::<32>(self.0), _mm_srli_epi64::<32>(other.0));
            let even = _mm_add_epi64(even, _mm_mul_epi32(self.0, other.0));
            [even, _mm_add_epi64(odd, _mm_mul_epi32(a, b))]
        }
    }
    #[inline(always)]
    fn add_products_same(self, same: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of SSE4.1 (see Vector).
        unsafe {
            let a = _mm_srli_epi64::<32>(self.0);
            let even = _mm_add_epi64(even, _mm_mul_epi32(self.0, same.0));
            [even, _mm_add_epi64(odd, _mm_mul_epi32(a, same.0))]
        }
    }
    #[inline(always)]
    fn halves([even, odd]: Self::Sums) -> (Self, Self) {
        // SAFETY: sums are made with SSE4.1 only.
        unsafe {
            let low = _mm_blend_epi16::<0b11001100>(even, _mm_slli_epi64::<32>(odd));
            let high = _mm_blend_epi16::<0b11001100>(_mm_srli_epi64::<32>(even), odd);
            (Self(low), Self(high))
        }
    }
    #[inline(always)]
    unsafe fn load_bytes(numbers: *const u8) -> Self {
        // SAFETY: the CPU has SSE4.1 and four bytes are readable, by the contract of `load_bytes`.
        Self(unsafe {
            _mm_cvtepu8_epi32(_mm_cvtsi32_si128(numbers.cast::<i32>().read_unaligned()))
        })
    }
    #[inline(always)]
    unsafe fn load_shorts(numbers: *const u16) -> Self {
        // SAFETY: the CPU has SSE4.1 and four numbers are readable, by the contract of
        // `load_shorts`.
        Self(unsafe { _mm_cvtepu16_epi32(_mm_loadl_epi64(numbers.cast())) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is proof of SSE4.1 (see Vector).
        Self(unsafe { _mm_sub_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_mullo_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let even = _mm_mul_epi32(self.0, same.0);
            let odd = _mm_mul_epi32(_mm_srli_epi64::<32>(self.0), same.0);
            _mm_blend_epi16::<0b11001100>(_mm_srli_epi64::<32>(even), odd)
        })
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_min_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_sll_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_srl_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_sra_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
}

ml_dsa_kernel!(
    /// Four operations.
    ML_DSA, "sse4", U32x4, sample::plain, sample::plain_secrets, "sse4.1,ssse3"
);
