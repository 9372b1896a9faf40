//! Numbers of 32 bits without vectors.

use broadloom_lanes::inside::Plain;

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;

ml_dsa_kernel!(
    /// One operation.
    ML_DSA, "integers", Plain<u32>, sample::plain, sample::plain_secrets
);

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl Numbers for Plain<u32> {
    type Sums = i64;

    #[inline(always)]
    unsafe fn no_sums() -> i64 {
        0
    }
    #[inline(always)]
    fn add_products(self, other: Self, sum: i64) -> i64 {
        let [a, b] = [self, other].map(|x| i64::from(x.word().cast_signed()));
        sum + a * b
    }
    #[inline(always)]
    fn add_products_same(self, same: Self, sums: i64) -> i64 {
        self.add_products(same, sums)
    }
    #[inline(always)]
    fn halves(sum: i64) -> (Self, Self) {
        (Plain::of(sum as u32), Plain::of((sum >> 32) as u32))
    }
    #[inline(always)]
    unsafe fn load_bytes(numbers: *const u8) -> Self {
        // SAFETY: a byte is readable, by the contract of `load_bytes`.
        Plain::of(u32::from(unsafe { *numbers }))
    }
    #[inline(always)]
    unsafe fn load_shorts(numbers: *const u16) -> Self {
        // SAFETY: a number is readable, by the contract of `load_shorts`.
        Plain::of(u32::from(unsafe { *numbers }))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_sub(other.word()))
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_mul(other.word()))
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        let [a, b] = [self, same].map(|x| i64::from(x.word().cast_signed()));
        Plain::of(((a * b) >> 32) as u32)
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // Without a branch: the borrow of their difference chooses.
        let [a, b] = [self, other].map(|x| u64::from(x.word()));
        let smaller = (a.wrapping_sub(b) >> 32) as u32;
        Plain::of(a as u32 & smaller | b as u32 & !smaller)
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        Plain::of(self.word() << count)
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        Plain::of(self.word() >> count)
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        Plain::of((self.word().cast_signed() >> count).cast_unsigned())
    }
}
