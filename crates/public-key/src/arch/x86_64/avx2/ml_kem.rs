//! Numbers of 16 bits in 256-bit registers: sixteen lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::each;

use crate::arch::compile::ml_kem_kernel;
use crate::kernels::ml_kem::numbers::Numbers;

/// Sixteen numbers in a register. Uses AVX2.
#[derive(Clone, Copy)]
pub(super) struct I16x16(__m256i);

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident),* $(,)?) => { $(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: `self` is proof of AVX2 (see Numbers).
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )* };
}

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Numbers for I16x16 {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(number: i16) -> Self {
        // SAFETY: the CPU has AVX2, by the contract of `splat`.
        Self(unsafe { _mm256_set1_epi16(number) })
    }
    #[inline(always)]
    unsafe fn load(numbers: *const i16) -> Self {
        // SAFETY: the CPU has AVX2 and `numbers` is readable for sixteen numbers, by the
        // contract of `load`.
        Self(unsafe { _mm256_loadu_si256(numbers.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, numbers: *mut i16) {
        // SAFETY: `numbers` is writable for sixteen numbers, by the contract of `store`.
        unsafe { _mm256_storeu_si256(numbers.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has AVX2, and `rows` is readable for
        // sixteen pointers, each of which is readable for sixteen bytes from `offset`.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*rows.add(l)).add(offset).cast());
            let columns = transpose(each!(l in 8 => _mm256_set_m128i(row(l + 8), row(l))));
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize) {
        // SAFETY: by the contract of `store_eight`, `rows` is readable for sixteen pointers,
        // each of which is writable for sixteen bytes from `offset`.
        unsafe {
            let all = transpose(each!(i in 8 => numbers[i].0));
            let to = |l: usize| (*rows.add(l)).add(offset).cast();
            each!(l in 8 => {
                _mm_storeu_si128(to(l), _mm256_castsi256_si128(all[l]));
                _mm_storeu_si128(to(l + 8), _mm256_extracti128_si256::<1>(all[l]));
            });
        }
    }
    of_two!(
        add = _mm256_add_epi16,
        sub = _mm256_sub_epi16,
        and = _mm256_and_si256,
        or = _mm256_or_si256,
        low = _mm256_mullo_epi16,
        high = _mm256_mulhi_epi16,
        high_unsigned = _mm256_mulhi_epu16,
        min_unsigned = _mm256_min_epu16,
    );
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Numbers).
        Self(unsafe { _mm256_sll_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srl_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_ten(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srai_epi16::<10>(self.0) })
    }
}

/// Turns eight rows of eight numbers into columns, in each 128 bits by themselves.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transpose(r: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the CPU has AVX2, by this function's contract.
    unsafe {
        let low = each!(i in 4 => _mm256_unpacklo_epi16(r[2 * i], r[2 * i + 1]));
        let high = each!(i in 4 => _mm256_unpackhi_epi16(r[2 * i], r[2 * i + 1]));
        // Numbers 2i and 2i + 1 of four rows.
        let pairs =
            |a: __m256i, b: __m256i| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
        let first = [pairs(low[0], low[1]), pairs(high[0], high[1])];
        let second = [pairs(low[2], low[3]), pairs(high[2], high[3])];
        each!(i in 8 => {
            let (a, b) = (first[i / 4][i / 2 % 2], second[i / 4][i / 2 % 2]);
            if i.is_multiple_of(2) {
                _mm256_unpacklo_epi64(a, b)
            } else {
                _mm256_unpackhi_epi64(a, b)
            }
        })
    }
}

ml_kem_kernel!(
    /// Sixteen operations.
    ML_KEM, "avx2", I16x16, super::super::sse4::ml_kem::sample, "avx2,bmi1,bmi2"
);
