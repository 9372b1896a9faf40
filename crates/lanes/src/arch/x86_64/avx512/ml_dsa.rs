//! Numbers of 32 bits in 512-bit registers: sixteen lanes.

use core::arch::x86_64::*;

use super::vectors::U32x16;
use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;

/// Returns the upper halves of signed products: of the even lanes of `a` and `even`, and of the odd
/// ones of `a` and the lanes at the even places of `odd`.
#[inline(always)]
fn high(U32x16(a): U32x16, even: __m512i, odd: __m512i) -> U32x16 {
    // SAFETY: `a` is proof of AVX-512 (see Vector).
    U32x16(unsafe {
        let even = _mm512_mul_epi32(a, even);
        let odd = _mm512_mul_epi32(_mm512_srli_epi64::<32>(a), odd);
        _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64::<32>(even), odd)
    })
}

// SAFETY: AVX-512 instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x16 {
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mullo_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        // SAFETY: as above.
        let odd = unsafe { _mm512_srli_epi64::<32>(other.0) };
        high(self, other.0, odd)
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        high(self, same.0, same.0)
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_min_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sra_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
}

ml_dsa_kernel!(
    /// Sixteen operations.
    ML_DSA, "avx512", U32x16, super::super::avx2::ml_dsa::sample,
    "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);
