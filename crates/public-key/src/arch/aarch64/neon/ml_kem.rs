//! Numbers of 16 bits in 128-bit registers: eight lanes.

use core::arch::aarch64::*;

use broadloom_lanes::inside::each;

use crate::arch::compile::ml_kem_kernel;
use crate::kernels::ml_kem::numbers::Numbers;
use crate::kernels::ml_kem::sample;

/// Eight numbers in a register. Uses NEON.
#[derive(Clone, Copy)]
pub(super) struct I16x8(int16x8_t);

macro_rules! of_two {
    ($($name:ident = $intrinsic:ident),* $(,)?) => { $(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: `self` is proof of NEON (see Numbers).
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )* };
}

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Numbers for I16x8 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(number: i16) -> Self {
        // SAFETY: the CPU has NEON, by the contract of `splat`.
        Self(unsafe { vdupq_n_s16(number) })
    }
    #[inline(always)]
    unsafe fn load(numbers: *const i16) -> Self {
        // SAFETY: the CPU has NEON and `numbers` is readable for eight numbers, by the contract of
        // `load`.
        Self(unsafe { vld1q_s16(numbers) })
    }
    #[inline(always)]
    unsafe fn store(self, numbers: *mut i16) {
        // SAFETY: `numbers` is writable for eight numbers, by the contract of `store`.
        unsafe { vst1q_s16(numbers, self.0) }
    }
    #[inline(always)]
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has NEON, and `rows` is readable for
        // eight pointers, each of which is readable for sixteen bytes from `offset`.
        unsafe {
            let row = |l: usize| vreinterpretq_s16_u8(vld1q_u8((*rows.add(l)).add(offset)));
            let columns = transpose(each!(l in 8 => row(l)));
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize) {
        // SAFETY: by the contract of `store_eight`, `rows` is readable for eight pointers, each of
        // which is writable for sixteen bytes from `offset`.
        unsafe {
            let all = transpose(each!(i in 8 => numbers[i].0));
            each!(l in 8 => {
                vst1q_u8((*rows.add(l)).add(offset), vreinterpretq_u8_s16(all[l]));
            });
        }
    }
    of_two!(add = vaddq_s16, sub = vsubq_s16, and = vandq_s16, or = vorrq_s16, low = vmulq_s16,);
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        // SAFETY: `self` is proof of NEON (see Numbers).
        Self(unsafe {
            let low = vmull_s16(vget_low_s16(self.0), vget_low_s16(other.0));
            let high = vmull_high_s16(self.0, other.0);
            vuzp2q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high))
        })
    }
    #[inline(always)]
    fn high_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let [a, b] = [vreinterpretq_u16_s16(self.0), vreinterpretq_u16_s16(other.0)];
            let low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
            let high = vmull_high_u16(a, b);
            vuzp2q_s16(vreinterpretq_s16_u32(low), vreinterpretq_s16_u32(high))
        })
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let [a, b] = [vreinterpretq_u16_s16(self.0), vreinterpretq_u16_s16(other.0)];
            vreinterpretq_s16_u16(vminq_u16(a, b))
        })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { vshlq_s16(self.0, vdupq_n_s16(count as i16)) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above. A shift left by a negative number is one to the right.
        Self(unsafe {
            let shifted = vshlq_u16(vreinterpretq_u16_s16(self.0), vdupq_n_s16(-(count as i16)));
            vreinterpretq_s16_u16(shifted)
        })
    }
    #[inline(always)]
    fn right_ten(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { vshrq_n_s16::<10>(self.0) })
    }
}

/// Turns eight rows of eight numbers into columns.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn transpose(r: [int16x8_t; 8]) -> [int16x8_t; 8] {
    // SAFETY: the CPU has NEON, by this function's contract.
    unsafe {
        let low = each!(i in 4 => vreinterpretq_s32_s16(vzip1q_s16(r[2 * i], r[2 * i + 1])));
        let high = each!(i in 4 => vreinterpretq_s32_s16(vzip2q_s16(r[2 * i], r[2 * i + 1])));
        // Numbers 2i and 2i + 1 of four rows.
        let pairs = |a: int32x4_t, b: int32x4_t| {
            [vreinterpretq_s64_s32(vzip1q_s32(a, b)), vreinterpretq_s64_s32(vzip2q_s32(a, b))]
        };
        let first = [pairs(low[0], low[1]), pairs(high[0], high[1])];
        let second = [pairs(low[2], low[3]), pairs(high[2], high[3])];
        each!(i in 8 => {
            let (a, b) = (first[i / 4][i / 2 % 2], second[i / 4][i / 2 % 2]);
            let both = if i.is_multiple_of(2) { vzip1q_s64(a, b) } else { vzip2q_s64(a, b) };
            vreinterpretq_s16_s64(both)
        })
    }
}

ml_kem_kernel!(
    /// Eight operations.
    ML_KEM, "neon", I16x8, sample::plain, "neon"
);
