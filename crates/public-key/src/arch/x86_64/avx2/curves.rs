//! Elliptic curves on AVX2: four lanes, products of 32 bits a factor.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::arch::compile::curves_kernel;
use crate::kernels::curves::words::Words;

/// A word of four lanes. Uses AVX2.
#[derive(Clone, Copy)]
struct Words4(__m256i);

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Words for Words4 {
    const LANES: usize = 4;
    const LOOSE: bool = false;
    type Sum = Self;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the CPU has AVX2 and `from` is readable for four words, by the contract of
        // `load`.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: `to` is writable for four words, by the contract of `store`.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }
    #[inline(always)]
    fn splat(self, word: u64) -> Self {
        // SAFETY: `self` is proof of AVX2.
        Self(unsafe { _mm256_set1_epi64x(word as i64) })
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn shift_left(self, by: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { hidden(_mm256_cmpeq_epi64(self.0, other.0)) })
    }
    #[inline(always)]
    fn select(self, one: Self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_blendv_epi8(other.0, one.0, self.0) })
    }
    #[inline(always)]
    fn small_product(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_mul_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn sum(self) -> Self {
        self
    }
    #[inline(always)]
    fn plus_product(sum: Self, x: Self, y: Self) -> Self {
        sum.add(x.small_product(y))
    }
    #[inline(always)]
    fn plus(sum: Self, word: Self) -> Self {
        sum.add(word)
    }
    #[inline(always)]
    fn twice(sum: Self) -> Self {
        sum.add(sum)
    }
    #[inline(always)]
    fn part(sum: Self, bits: u32) -> (Self, Self) {
        (sum.and(sum.splat((1 << bits) - 1)), sum.shift_right(bits))
    }
}

/// Returns a mask, hidden from the compiler. One that knows it for a mask may store only the lanes
/// that it selects, which takes a time that depends on it.
#[target_feature(enable = "avx2")]
#[inline]
fn hidden(mut mask: __m256i) -> __m256i {
    // SAFETY: there is no instruction in it.
    unsafe {
        // Changes: nothing; the template is a comment.
        asm!("/* {0} */", inout(ymm_reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

curves_kernel!(
    /// Four lanes.
    CURVES, "avx2", Words4, 10, 14, 22, "avx2,bmi1,bmi2"
);
