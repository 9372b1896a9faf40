//! GHASH by the ARMv8 instructions for polynomial products (PMULL), and GCM with them and AES.

use crate::arch::compile::gcm_kernel;
use crate::kernels::aes::gcm::field::{Element, REDUCTION};
use crate::kernels::aes::gcm::hash::Field;
use core::arch::aarch64::*;

gcm_kernel!(
    /// ARMv8 AES and PMULL, one block in a register.
    PMULL, "armv8-aes", uint8x16_t, "aes"
);

impl Field for uint8x16_t {
    const TERNARY: bool = false;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract of `Field`.
        unsafe { vrev64q_u8(self).swapped() }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: there is an element.
        unsafe { vld1q_u8(from.cast()) }
    }

    #[inline]
    #[target_feature(enable = "aes")]
    unsafe fn low_products(self, other: Self) -> Self {
        let (a, b) = (vreinterpretq_u64_u8(self), vreinterpretq_u64_u8(other));
        vreinterpretq_u8_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
    }

    #[inline]
    #[target_feature(enable = "aes")]
    unsafe fn high_products(self, other: Self) -> Self {
        let (a, b) = (vreinterpretq_p64_u8(self), vreinterpretq_p64_u8(other));
        vreinterpretq_u8_p128(vmull_high_p64(a, b))
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: NEON is enabled.
        unsafe { vextq_u8::<8>(self, self) }
    }

    #[inline(always)]
    unsafe fn low_as_high(self) -> Self {
        // SAFETY: NEON is enabled.
        unsafe { vextq_u8::<8>(vdupq_n_u8(0), self) }
    }

    #[inline(always)]
    unsafe fn high_as_low(self) -> Self {
        // SAFETY: NEON is enabled.
        unsafe { vextq_u8::<8>(self, vdupq_n_u8(0)) }
    }

    #[inline(always)]
    unsafe fn reduction() -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe { vreinterpretq_u8_u64(vdupq_n_u64(REDUCTION)) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        self
    }
}
