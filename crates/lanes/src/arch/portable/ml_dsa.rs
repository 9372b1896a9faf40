//! Numbers of 32 bits without vectors.

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::sample;
use crate::plain::Plain;

ml_dsa_kernel!(
    /// One operation.
    ML_DSA, "integers", Plain<u32>, sample::plain
);

// SAFETY: baseline instructions only; every method is `inline(always)`.
unsafe impl Numbers for Plain<u32> {
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_sub(other.word()))
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        Plain::of(self.word().wrapping_mul(other.word()))
    }
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|x| i64::from(x.word().cast_signed()));
        Plain::of(((a * b) >> 32) as u32)
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        self.high(same)
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
