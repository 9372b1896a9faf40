//! Numbers of 32 bits in 256-bit registers: eight lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::x86_64::avx2::U32x8;

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::ring::Q;
use crate::kernels::ml_dsa::sample::plain_secrets;
use crate::kernels::ml_kem::sample::COUNTS;

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x8 {
    /// Sums of the even lanes, and of the odd ones.
    type Sums = [__m256i; 2];

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: the CPU has AVX2, by the contract of `no_sums`.
        unsafe { [_mm256_setzero_si256(); 2] }
    }
    #[inline(always)]
    fn add_products(self, other: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        unsafe {
            let (a, b) = (_mm256_srli_epi64::<32>(self.0), _mm256_srli_epi64::<32>(other.0));
            let even = _mm256_add_epi64(even, _mm256_mul_epi32(self.0, other.0));
            [even, _mm256_add_epi64(odd, _mm256_mul_epi32(a, b))]
        }
    }
    #[inline(always)]
    fn add_products_same(self, same: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        unsafe {
            let a = _mm256_srli_epi64::<32>(self.0);
            let even = _mm256_add_epi64(even, _mm256_mul_epi32(self.0, same.0));
            [even, _mm256_add_epi64(odd, _mm256_mul_epi32(a, same.0))]
        }
    }
    #[inline(always)]
    fn halves([even, odd]: Self::Sums) -> (Self, Self) {
        // SAFETY: sums are made with AVX2 only.
        unsafe {
            let low = _mm256_blend_epi32::<0b10101010>(even, _mm256_slli_epi64::<32>(odd));
            let high = _mm256_blend_epi32::<0b10101010>(_mm256_srli_epi64::<32>(even), odd);
            (Self(low), Self(high))
        }
    }
    #[inline(always)]
    unsafe fn load_bytes(numbers: *const u8) -> Self {
        // SAFETY: the CPU has AVX2 and eight bytes are readable, by the contract of `load_bytes`.
        Self(unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(numbers.cast())) })
    }
    #[inline(always)]
    unsafe fn load_shorts(numbers: *const u16) -> Self {
        // SAFETY: the CPU has AVX2 and eight numbers are readable, by the contract of
        // `load_shorts`.
        Self(unsafe { _mm256_cvtepu16_epi32(_mm_loadu_si128(numbers.cast())) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_mullo_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let even = _mm256_mul_epi32(self.0, same.0);
            let odd = _mm256_mul_epi32(_mm256_srli_epi64::<32>(self.0), same.0);
            _mm256_blend_epi32::<0b10101010>(_mm256_srli_epi64::<32>(even), odd)
        })
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_min_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_sra_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
}

/// For each set of eight numbers, the places of those that are in it.
static TOGETHER: [[u32; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut i, mut to) = (0, 0);
        while i < 8 {
            if set >> i & 1 == 1 {
                all[set][to] = i;
                to += 1;
            }
            i += 1;
        }
        set += 1;
    }
    all
};

/// Appends the numbers below the modulus of each three bytes of a stream, eight at a time.
///
/// # Safety
/// The contract of [`Sample`](crate::kernels::ml_dsa::kernel::Sample).
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn sample(bytes: *const u8, len: usize, numbers: *mut u32, mut have: usize) -> usize {
    let spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    let spread = _mm256_broadcastsi128_si256(spread);
    let (mask, q) = (_mm256_set1_epi32(0x7f_ffff), _mm256_set1_epi32(Q.cast_signed()));
    for at in (0..len).step_by(24) {
        // SAFETY: sixteen bytes from `at` on and from twelve bytes later on are the last of the
        // stream and the slack at most. There is room for a number of every three bytes and sixteen
        // more; eight are written, of which those that are none of the stream's are written over.
        unsafe {
            let row = |at: usize| _mm_loadu_si128(bytes.add(at).cast());
            let triples = _mm256_shuffle_epi8(_mm256_set_m128i(row(at + 12), row(at)), spread);
            let candidates = _mm256_and_si256(triples, mask);
            let good = _mm256_castsi256_ps(_mm256_cmpgt_epi32(q, candidates));
            let set = _mm256_movemask_ps(good) as usize;
            let places = _mm256_loadu_si256(TOGETHER[set].as_ptr().cast());
            let together = _mm256_permutevar8x32_epi32(candidates, places);
            _mm256_storeu_si256(numbers.add(have).cast(), together);
            have += usize::from(COUNTS[set]);
        }
    }
    have
}

ml_dsa_kernel!(
    /// Eight operations.
    ML_DSA, "avx2", U32x8, sample, plain_secrets, "avx2,bmi1,bmi2"
);
