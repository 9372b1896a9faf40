//! Large numbers on AVX2: four of them in limbs of 28 bits.

use core::arch::x86_64::*;

use crate::arch::compile::{bignum_kernel, bignum_words_kernel};
use crate::arch::x86_64::common::anew;
use crate::kernels::bignum::Radix;
use crate::kernels::bignum::columns::Limbs;
use crate::kernels::bignum::select::SelectLanes;

/// A limb of four numbers. Uses AVX2.
#[derive(Clone, Copy)]
struct Limbs28(__m256i);

/// Bits of a limb.
const LIMB: i64 = (1 << 28) - 1;

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl SelectLanes for Limbs28 {
    const LANES: usize = 4;
    const RADIX: Radix = Radix::Bits28;
    const CHUNK: usize = 10;
    const BOTH: bool = false;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the CPU has AVX2, by the contract of `splat`.
        Self(unsafe { _mm256_set1_epi64x(word as i64) })
    }
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
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX2.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }
    #[inline(always)]
    fn equal(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_cmpeq_epi64(self.0, other.0) })
    }
    #[inline(always)]
    fn or_masked(self, mask: Self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_and_si256(mask.0, other.0)) })
    }
    #[inline(always)]
    fn join(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_slli_epi64::<32>(other.0)) })
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        // SAFETY: as above.
        unsafe {
            let low = _mm256_set1_epi64x(i64::from(u32::MAX));
            (Self(_mm256_and_si256(self.0, low)), Self(_mm256_srli_epi64::<32>(self.0)))
        }
    }
}

// SAFETY: as above.
unsafe impl Limbs for Limbs28 {
    // Twice as many products of 56 bits, and a carry, have 64 bits.
    const ROOM: usize = 127;
    const HALVES: bool = false;

    #[inline(always)]
    fn plus_product((sum, next): (Self, Self), x: Self, y: Self) -> (Self, Self) {
        // SAFETY: as above.
        (sum.add(Self(unsafe { _mm256_mul_epu32(x.0, y.0) })), next)
    }
    #[inline(always)]
    fn limb(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi64x(LIMB)) })
    }
    #[inline(always)]
    fn above(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srli_epi64::<28>(self.0) })
    }
    #[inline(always)]
    fn anew(limbs: *const u64) -> *const u64 {
        anew(limbs)
    }
}

bignum_kernel!(
    /// Four lanes.
    BIGNUM, "avx2", Limbs28, "avx2,bmi1,bmi2"
);

bignum_words_kernel!(
    /// One lane, with products that keep the flags.
    BIGNUM_ONE, "integers, bmi2", "bmi2"
);
