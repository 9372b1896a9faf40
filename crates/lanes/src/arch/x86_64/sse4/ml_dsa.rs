//! Numbers of 32 bits in 128-bit registers: four lanes.

use core::arch::x86_64::*;

use super::vectors::U32x4;
use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;

/// Returns the upper halves of signed products: of the even lanes of `a` and `even`, and of the odd
/// ones of `a` and the lanes at the even places of `odd`.
#[inline(always)]
fn high(U32x4(a): U32x4, even: __m128i, odd: __m128i) -> U32x4 {
    // SAFETY: `a` is proof of SSE4.1 (see Vector).
    U32x4(unsafe {
        let even = _mm_mul_epi32(a, even);
        let odd = _mm_mul_epi32(_mm_srli_epi64::<32>(a), odd);
        _mm_blend_epi16::<0b11001100>(_mm_srli_epi64::<32>(even), odd)
    })
}

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x4 {
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
    fn high(self, other: Self) -> Self {
        // SAFETY: as above.
        let odd = unsafe { _mm_srli_epi64::<32>(other.0) };
        high(self, other.0, odd)
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        high(self, same.0, same.0)
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
    ML_DSA, "sse4", U32x4, sample::plain, "sse4.1,ssse3"
);
