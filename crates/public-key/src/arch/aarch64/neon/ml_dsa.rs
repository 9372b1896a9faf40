//! Numbers of 32 bits in 128-bit registers: four lanes.

use core::arch::aarch64::*;

use broadloom_lanes::inside::aarch64::neon::U32x4;

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x4 {
    /// Sums of the lower two lanes, and of the upper two.
    type Sums = [int64x2_t; 2];

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: the CPU has NEON, by the contract of `no_sums`.
        unsafe { [vdupq_n_s64(0); 2] }
    }
    #[inline(always)]
    fn add_products(self, other: Self, [low, high]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of NEON (see Vector).
        unsafe {
            let (a, b) = (vreinterpretq_s32_u32(self.0), vreinterpretq_s32_u32(other.0));
            let low = vmlal_s32(low, vget_low_s32(a), vget_low_s32(b));
            [low, vmlal_high_s32(high, a, b)]
        }
    }
    #[inline(always)]
    fn add_products_same(self, same: Self, sums: Self::Sums) -> Self::Sums {
        self.add_products(same, sums)
    }
    #[inline(always)]
    fn halves([low, high]: Self::Sums) -> (Self, Self) {
        // SAFETY: sums are made with NEON only.
        unsafe {
            let (low, high) = (vreinterpretq_u32_s64(low), vreinterpretq_u32_s64(high));
            (Self(vuzp1q_u32(low, high)), Self(vuzp2q_u32(low, high)))
        }
    }
    #[inline(always)]
    unsafe fn load_bytes(numbers: *const u8) -> Self {
        // SAFETY: the CPU has NEON and four bytes are readable, by the contract of `load_bytes`.
        Self(unsafe {
            let four = u32::from_le_bytes(numbers.cast::<[u8; 4]>().read());
            vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(u64::from(four)))))
        })
    }
    #[inline(always)]
    unsafe fn load_shorts(numbers: *const u16) -> Self {
        // SAFETY: the CPU has NEON and four numbers are readable, by the contract of `load_shorts`.
        Self(unsafe { vmovl_u16(vld1_u16(numbers)) })
    }
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
    fn high_same(self, same: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let [a, b] = [vreinterpretq_s32_u32(self.0), vreinterpretq_s32_u32(same.0)];
            let low = vreinterpretq_u32_s64(vmull_s32(vget_low_s32(a), vget_low_s32(b)));
            let high = vreinterpretq_u32_s64(vmull_high_s32(a, b));
            vuzp2q_u32(low, high)
        })
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
    ML_DSA, "neon", U32x4, sample::plain, sample::plain_secrets, "neon"
);
