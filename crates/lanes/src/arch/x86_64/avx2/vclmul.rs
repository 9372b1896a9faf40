//! GHASH by carry-less products on two blocks at once (256-bit VPCLMULQDQ), and GCM with it and
//! VAES.

use crate::arch::compile::gcm_kernel;
use crate::arch::x86_64::common::clmul::REVERSED;
use crate::kernels::aes::gcm::field::{Element, REDUCTION};
use crate::kernels::aes::gcm::hash::Field;
use core::arch::x86_64::*;

gcm_kernel!(
    /// VAES and VPCLMULQDQ, two blocks in a register.
    VCLMUL, "vaes-256", __m256i, "avx2,vaes,vpclmulqdq"
);

/// The methods need AVX2 and VPCLMULQDQ.
impl Field for __m256i {
    const TERNARY: bool = false;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(REVERSED)) }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: `from` is readable for two elements and AVX2 is enabled, by the contract of
        // `elements`.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn low_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_clmulepi64_epi128::<0x00>(self, other) }
    }

    #[inline(always)]
    unsafe fn high_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_clmulepi64_epi128::<0x11>(self, other) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn low_as_high(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_slli_si256::<8>(self) }
    }

    #[inline(always)]
    unsafe fn high_as_low(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_srli_si256::<8>(self) }
    }

    #[inline(always)]
    unsafe fn reduction() -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm256_set1_epi64x(REDUCTION.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Field`.
        unsafe {
            let (low, high) = (_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self));
            _mm256_zextsi128_si256(_mm_xor_si128(low, high))
        }
    }
}
