//! Numbers of 32 bits in 512-bit registers: sixteen lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::x86_64::avx512::U32x16;

use crate::arch::compile::ml_dsa_kernel;
use crate::kernels::ml_dsa::numbers::Numbers;
use crate::kernels::ml_dsa::ring::Q;
use crate::kernels::ml_dsa::sample::{SECRETS, limit};
use crate::kernels::ml_kem::sample::COUNTS;

// SAFETY: AVX-512 instructions only; every method is `inline(always)`.
unsafe impl Numbers for U32x16 {
    /// Sums of the even lanes, and of the odd ones.
    type Sums = [__m512i; 2];

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: the CPU has AVX-512, by the contract of `no_sums`.
        unsafe { [_mm512_setzero_si512(); 2] }
    }
    #[inline(always)]
    fn add_products(self, other: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        unsafe {
            let (a, b) = (_mm512_srli_epi64::<32>(self.0), _mm512_srli_epi64::<32>(other.0));
            let even = _mm512_add_epi64(even, _mm512_mul_epi32(self.0, other.0));
            [even, _mm512_add_epi64(odd, _mm512_mul_epi32(a, b))]
        }
    }
    #[inline(always)]
    fn add_products_same(self, same: Self, [even, odd]: Self::Sums) -> Self::Sums {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        unsafe {
            let a = _mm512_srli_epi64::<32>(self.0);
            let even = _mm512_add_epi64(even, _mm512_mul_epi32(self.0, same.0));
            [even, _mm512_add_epi64(odd, _mm512_mul_epi32(a, same.0))]
        }
    }
    #[inline(always)]
    fn halves([even, odd]: Self::Sums) -> (Self, Self) {
        // SAFETY: sums are made with AVX-512 only.
        unsafe {
            let low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64::<32>(odd));
            let high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64::<32>(even), odd);
            (Self(low), Self(high))
        }
    }
    #[inline(always)]
    unsafe fn load_bytes(numbers: *const u8) -> Self {
        // SAFETY: the CPU has AVX-512 and sixteen bytes are readable, by the contract of
        // `load_bytes`.
        Self(unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(numbers.cast())) })
    }
    #[inline(always)]
    unsafe fn load_shorts(numbers: *const u16) -> Self {
        // SAFETY: the CPU has AVX-512 and sixteen numbers are readable, by the contract of
        // `load_shorts`.
        Self(unsafe { _mm512_cvtepu16_epi32(_mm256_loadu_si256(numbers.cast())) })
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn low(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mullo_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn high_same(self, same: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe {
            let even = _mm512_mul_epi32(self.0, same.0);
            let odd = _mm512_mul_epi32(_mm512_srli_epi64::<32>(self.0), same.0);
            // The upper halves at the odd places of `even` go to the even places of `odd`.
            let (even, odd) = (_mm512_castsi512_ps(even), _mm512_castsi512_ps(odd));
            _mm512_castps_si512(_mm512_mask_movehdup_ps(odd, 0x5555, even))
        })
    }
    #[inline(always)]
    fn min_unsigned(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_min_epu32(self.0, other.0) })
    }
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sll_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_signed(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sra_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
}

/// Appends the numbers below the modulus of each three bytes of a stream, sixteen at a time.
///
/// # Safety
/// The contract of [`Sample`](crate::kernels::ml_dsa::kernel::Sample).
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn sample(bytes: *const u8, len: usize, numbers: *mut u32, mut have: usize) -> usize {
    // Twelve bytes go to each quarter of a register, and three of these to each lane.
    let quarters = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    let spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    let spread = _mm512_broadcast_i32x4(spread);
    let (mask, q) = (_mm512_set1_epi32(0x7f_ffff), _mm512_set1_epi32(Q.cast_signed()));
    for at in (0..len).step_by(48) {
        // SAFETY: 64 bytes from `at` on end within the stream and the slack, as `at` is at least 24
        // bytes before the end. There is room for a number of every three bytes and sixteen more;
        // sixteen are written, of which those that are none of the stream's are written over.
        unsafe {
            let row = _mm512_loadu_si512(bytes.add(at).cast());
            let row = _mm512_permutexvar_epi32(quarters, row);
            let candidates = _mm512_and_si512(_mm512_shuffle_epi8(row, spread), mask);
            let within = if len - at < 48 { 0xff } else { 0xffff };
            let good = _mm512_mask_cmplt_epu32_mask(within, candidates, q);
            let together = _mm512_maskz_compress_epi32(good, candidates);
            _mm512_storeu_si512(numbers.add(have).cast(), together);
            let [low, high] = good.to_le_bytes().map(usize::from);
            have += usize::from(COUNTS[low]) + usize::from(COUNTS[high]);
        }
    }
    have
}

/// Appends the secret numbers of half bytes, sixteen at a time.
///
/// # Safety
/// The contract of [`SampleSecrets`](crate::kernels::ml_dsa::kernel::SampleSecrets).
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn sample_secrets(
    (bytes, len): (*const u8, usize),
    eta: u32,
    numbers: *mut u32,
    mut have: usize,
) -> usize {
    // SAFETY: the bytes are readable for the length, a multiple of eight. There is room for two
    // numbers of every byte and sixteen more; sixteen are written, of which those that are none are
    // written over.
    unsafe {
        let table = _mm512_loadu_si512(SECRETS[usize::from(eta == 4)].as_ptr().cast());
        let limit = _mm512_set1_epi32(limit(eta).cast_signed());
        for at in (0..len).step_by(8) {
            let eight = _mm_cvtepu8_epi16(_mm_loadl_epi64(bytes.add(at).cast()));
            let halves = _mm_or_si128(eight, _mm_slli_epi16::<4>(eight));
            let halves = _mm512_cvtepu8_epi32(_mm_and_si128(halves, _mm_set1_epi8(15)));
            let low = _mm512_cmplt_epu32_mask(halves, limit);
            let all = _mm512_permutexvar_epi32(halves, table);
            let together = _mm512_maskz_compress_epi32(low, all);
            _mm512_storeu_si512(numbers.add(have).cast(), together);
            // Which are low enough is public.
            let [first, second] = low.to_le_bytes().map(usize::from);
            have += usize::from(COUNTS[first]) + usize::from(COUNTS[second]);
        }
    }
    have
}

ml_dsa_kernel!(
    /// Sixteen operations.
    ML_DSA, "avx512", U32x16, sample, sample_secrets,
    "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);
