//! Binary curves by PMULL.

use core::arch::aarch64::*;

use crate::arch::compile::binary_kernel;
use crate::kernels::binary::pairs::{Memory, Pairs};

/// One lane.
#[derive(Clone, Copy)]
pub(in crate::arch) struct Pair(uint64x2_t);

binary_kernel!(
    /// One lane.
    BINARY, "pmull", Pair, "aes"
);

// SAFETY: NEON instructions and PMULL, which the only kernel enables.
unsafe impl Pairs for Pair {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(from: &Memory) -> Self {
        // SAFETY: there is a pair.
        Pair(unsafe { vld1q_u64(from.0.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, to: &mut Memory) {
        // SAFETY: there is a pair.
        unsafe { vst1q_u64(to.0.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn splat(self, pair: [u64; 2]) -> Self {
        // SAFETY: there is a pair.
        Pair(unsafe { vld1q_u64(pair.as_ptr()) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is part of AArch64.
        Pair(unsafe { veorq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Pair(unsafe { vandq_u64(self.0, other.0) })
    }
    #[inline]
    fn low_products(self, other: Self) -> Self {
        #[target_feature(enable = "aes")]
        #[inline]
        fn product(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
        }
        // SAFETY: `self` is proof of PMULL.
        Pair(unsafe { product(self.0, other.0) })
    }
    #[inline]
    fn high_products(self, other: Self) -> Self {
        #[target_feature(enable = "aes")]
        #[inline]
        fn product(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
            let (a, b) = (vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b));
            vreinterpretq_u64_p128(vmull_high_p64(a, b))
        }
        // SAFETY: as above.
        Pair(unsafe { product(self.0, other.0) })
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        self.middle(self)
    }
    #[inline(always)]
    fn middle(self, next: Self) -> Self {
        // SAFETY: NEON is part of AArch64.
        Pair(unsafe { vextq_u64::<1>(self.0, next.0) })
    }
    #[inline(always)]
    fn shift_left<const BY: i32>(self) -> Self {
        // SAFETY: as above.
        Pair(unsafe { vshlq_u64(self.0, vdupq_n_s64(BY.into())) })
    }
    #[inline(always)]
    fn shift_right<const BY: i32>(self) -> Self {
        // SAFETY: as above. A negative number shifts to the right.
        Pair(unsafe { vshlq_u64(self.0, vdupq_n_s64((-BY).into())) })
    }
    #[inline(always)]
    fn mask(self, upper: bool, bit: u32) -> Self {
        // SAFETY: as above.
        unsafe {
            let top = vshlq_u64(self.0, vdupq_n_s64(63 - i64::from(bit)));
            let half = match upper {
                false => vdupq_laneq_u64::<0>(top),
                true => vdupq_laneq_u64::<1>(top),
            };
            Pair(vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(half))))
        }
    }
}
