//! GHASH by the x86 instruction for carry-less products (PCLMULQDQ), and GCM with it and AES-NI.

use super::field::{Element, REDUCTION};
use super::hash::Field;
use super::pipeline::gcm_kernel;
use crate::aes::ni::shuffle;
use core::arch::x86_64::*;

gcm_kernel!(
    /// AES-NI and PCLMULQDQ, one block in a register.
    CLMUL, "aes-ni", 8 of __m128i, "aes,avx2,pclmulqdq"
);

/// Needs AVX2 and PCLMULQDQ.
impl Field for __m128i {
    const TERNARY: bool = false;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract.
        unsafe { _mm_shuffle_epi8(self, REVERSED) }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: there is an element, which is aligned.
        unsafe { _mm_load_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn low_products(self, other: Self) -> Self {
        // SAFETY: PCLMULQDQ is enabled where this is inlined, by the contract.
        unsafe { _mm_clmulepi64_si128::<0x00>(self, other) }
    }

    #[inline(always)]
    unsafe fn high_products(self, other: Self) -> Self {
        // SAFETY: PCLMULQDQ is enabled where this is inlined, by the contract.
        unsafe { _mm_clmulepi64_si128::<0x11>(self, other) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn low_as_high(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_slli_si128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn high_as_low(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_srli_si128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn reduction() -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_set1_epi64x(REDUCTION.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        self
    }
}

/// All bytes of a block turned round.
pub(super) const REVERSED: __m128i = shuffle([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
