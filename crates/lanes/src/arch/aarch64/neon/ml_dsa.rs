//! Numbers of 32 bits in 128-bit registers: four lanes.

use core::arch::aarch64::*;

use super::vectors::U32x4;
use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x4 {
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is proof of NEON (see Vector).
        Self(unsafe { vsubq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vmulq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let [a, b] = [vreinterpretq_s32_u32(self.0), vreinterpretq_s32_u32(other.0)];
            let low = vreinterpretq_u32_s64(vmull_s32(vget_low_s32(a), vget_low_s32(b)));
            let high = vreinterpretq_u32_s64(vmull_high_s32(a, b));
            vuzp2q_u32(low, high)
        })
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        self.high(same)
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vminq_u32(self.0, other.0) })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above. A shift left by a negative number is one to the right.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(-count.cast_signed())) })
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let shifted =
                vshlq_s32(vreinterpretq_s32_u32(self.0), vdupq_n_s32(-count.cast_signed()));
            vreinterpretq_u32_s32(shifted)
        })
    }
}

ml_dsa_kernel!(
    /// Four operations.
    ML_DSA, "neon", U32x4, sample::plain, "neon"
);
