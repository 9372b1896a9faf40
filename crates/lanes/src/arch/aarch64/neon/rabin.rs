//! The search for fingerprints by PMULL.

use core::arch::aarch64::*;

use crate::arch::compile::rabin_kernel;
use crate::kernels::rabin::constants::ByteMap;
use crate::kernels::rabin::words::{MAX_LANES, RabinWords};
use crate::vector::each;

/// Two lanes.
#[derive(Clone, Copy)]
pub(in crate::arch) struct Words2(uint64x2_t);

rabin_kernel!(
    /// Four stripes.
    RABIN, "pmull", Words2, "aes"
);

/// Returns the products of both words.
#[target_feature(enable = "aes")]
#[inline]
fn products(a: uint64x2_t, b: uint64x2_t) -> [uint64x2_t; 2] {
    let low = vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b));
    let high = vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b));
    [vreinterpretq_u64_p128(low), vreinterpretq_u64_p128(high)]
}

// SAFETY: NEON instructions and PMULL, which the only kernel enables.
unsafe impl RabinWords for Words2 {
    type Map = [uint8x16_t; 2];
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: NEON is part of AArch64.
        Words2(unsafe { vdupq_n_u64(word) })
    }
    #[inline(always)]
    unsafe fn map(map: &ByteMap) -> [uint8x16_t; 2] {
        let tables = map.tables();
        // SAFETY: as above; there are sixteen bytes.
        unsafe { each!(i in 2 => vld1q_u8(tables[i].as_ptr())) }
    }
    #[inline(always)]
    unsafe fn load(first: *const u8, stride: usize) -> [Self; 8] {
        // SAFETY: NEON is part of AArch64, and every stripe is readable for eight words, by the
        // contract of `RabinWords::load`.
        unsafe {
            let quarters = each!(i in 4 => {
                let rows = each!(lane in 2 => {
                    let row = vld1q_u8(first.add(lane * stride + 16 * i));
                    vreinterpretq_u64_u8(vrev64q_u8(row))
                });
                [vzip1q_u64(rows[0], rows[1]), vzip2q_u64(rows[0], rows[1])]
            });
            each!(i in 8 => Words2(quarters[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    fn store(self, to: &mut [u64; MAX_LANES]) {
        // SAFETY: as above; there are two words.
        unsafe { vst1q_u64(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        Words2(unsafe { veorq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Words2(unsafe { vandq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Words2(unsafe { vorrq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn shift_left<const BY: i32>(self) -> Self {
        // SAFETY: as above.
        Words2(unsafe { vshlq_u64(self.0, vdupq_n_s64(BY.into())) })
    }
    #[inline(always)]
    fn shift_right<const BY: i32>(self) -> Self {
        // SAFETY: as above. A negative number shifts to the right.
        Words2(unsafe { vshlq_u64(self.0, vdupq_n_s64((-BY).into())) })
    }
    #[inline(always)]
    fn product(self, other: Self) -> [Self; 2] {
        // SAFETY: `self` is proof of PMULL.
        unsafe {
            let [even, odd] = products(self.0, other.0);
            [Words2(vzip1q_u64(even, odd)), Words2(vzip2q_u64(even, odd))]
        }
    }
    #[inline(always)]
    fn mapped(self, [low, high]: [uint8x16_t; 2]) -> Self {
        // SAFETY: NEON is part of AArch64.
        unsafe {
            let bytes = vreinterpretq_u8_u64(self.0);
            let low = vqtbl1q_u8(low, vandq_u8(bytes, vdupq_n_u8(0x0f)));
            let high = vqtbl1q_u8(high, vshrq_n_u8::<4>(bytes));
            Words2(vreinterpretq_u64_u8(veorq_u8(low, high)))
        }
    }
    #[inline(always)]
    fn min_bytes(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_u8_u64(self.0), vreinterpretq_u8_u64(other.0));
            Words2(vreinterpretq_u64_u8(vminq_u8(a, b)))
        }
    }
    #[inline(always)]
    fn has_zero_byte(self) -> bool {
        // SAFETY: as above.
        unsafe { vminvq_u8(vreinterpretq_u8_u64(self.0)) == 0 }
    }
}
