//! Numbers of 16 bits in 512-bit registers: thirty-two lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::each;

use crate::arch::compile::ml_kem_kernel;
use crate::kernels::ml_kem::numbers::Numbers;
use crate::kernels::ml_kem::ring::Q;
use crate::kernels::ml_kem::sample::COUNTS;

/// Thirty-two numbers in a register. Uses AVX-512 F and BW.
#[derive(Clone, Copy)]
pub(super) struct I16x32(__m512i);

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident),* $(,)?) => { $(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: `self` is proof of AVX-512 F and BW (see Numbers).
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )* };
}

// SAFETY: AVX-512 F and BW instructions only; every method is `inline(always)`.
unsafe impl Numbers for I16x32 {
    const LANES: usize = 32;

    #[inline(always)]
    unsafe fn splat(number: i16) -> Self {
        // SAFETY: the CPU has AVX-512 F and BW, by the contract of `splat`.
        Self(unsafe { _mm512_set1_epi16(number) })
    }
    #[inline(always)]
    unsafe fn load(numbers: *const i16) -> Self {
        // SAFETY: the CPU has AVX-512 F and BW and `numbers` is readable for thirty-two numbers, by
        // the contract of `load`.
        Self(unsafe { _mm512_loadu_si512(numbers.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, numbers: *mut i16) {
        // SAFETY: `numbers` is writable for thirty-two numbers, by the contract of `store`.
        unsafe { _mm512_storeu_si512(numbers.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has AVX-512 F and BW, and `rows` is
        // readable for thirty-two pointers, each of which is readable for sixteen bytes from
        // `offset`.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*rows.add(l)).add(offset).cast());
            let columns = transpose(each!(l in 8 => {
                let low = _mm256_set_m128i(row(l + 8), row(l));
                let high = _mm256_set_m128i(row(l + 24), row(l + 16));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            }));
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize) {
        // SAFETY: by the contract of `store_eight`, `rows` is readable for thirty-two pointers,
        // each of which is writable for sixteen bytes from `offset`.
        unsafe {
            let all = transpose(each!(i in 8 => numbers[i].0));
            let to = |l: usize| (*rows.add(l)).add(offset).cast();
            each!(l in 8 => {
                _mm_storeu_si128(to(l), _mm512_castsi512_si128(all[l]));
                _mm_storeu_si128(to(l + 8), _mm512_extracti32x4_epi32::<1>(all[l]));
                _mm_storeu_si128(to(l + 16), _mm512_extracti32x4_epi32::<2>(all[l]));
                _mm_storeu_si128(to(l + 24), _mm512_extracti32x4_epi32::<3>(all[l]));
            });
        }
    }
    of_two!(
        add = _mm512_add_epi16,
        sub = _mm512_sub_epi16,
        and = _mm512_and_si512,
        or = _mm512_or_si512,
        low = _mm512_mullo_epi16,
        high = _mm512_mulhi_epi16,
        high_unsigned = _mm512_mulhi_epu16,
        min_unsigned = _mm512_min_epu16,
    );
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: `self` is proof of AVX-512 F and BW (see Numbers).
        Self(unsafe { _mm512_sll_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srl_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_ten(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srai_epi16::<10>(self.0) })
    }
}

/// Turns eight rows of eight numbers into columns, in each 128 bits by themselves.
///
/// # Safety
/// The CPU has AVX-512 F and BW.
#[inline(always)]
unsafe fn transpose(r: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the CPU has AVX-512 F and BW, by this function's contract.
    unsafe {
        let low = each!(i in 4 => _mm512_unpacklo_epi16(r[2 * i], r[2 * i + 1]));
        let high = each!(i in 4 => _mm512_unpackhi_epi16(r[2 * i], r[2 * i + 1]));
        // Numbers 2i and 2i + 1 of four rows.
        let pairs =
            |a: __m512i, b: __m512i| [_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)];
        let first = [pairs(low[0], low[1]), pairs(high[0], high[1])];
        let second = [pairs(low[2], low[3]), pairs(high[2], high[3])];
        each!(i in 8 => {
            let (a, b) = (first[i / 4][i / 2 % 2], second[i / 4][i / 2 % 2]);
            if i.is_multiple_of(2) {
                _mm512_unpacklo_epi64(a, b)
            } else {
                _mm512_unpackhi_epi64(a, b)
            }
        })
    }
}

/// Appends the numbers below 3329 of each twelve bits of a stream, sixteen at a time.
///
/// # Safety
/// The contract of [`Sample`](crate::kernels::ml_kem::kernel::Sample).
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
unsafe fn sample(bytes: *const u8, len: usize, numbers: *mut i16, mut have: usize) -> usize {
    let spread = _mm_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11);
    let spread = _mm256_broadcastsi128_si256(spread);
    let (mask, q) = (_mm256_set1_epi16(0xfff), _mm256_set1_epi16(Q));
    for at in (0..len).step_by(24) {
        // SAFETY: sixteen bytes from `at` on and from twelve bytes later on are the last of the
        // stream and the slack at most. There is room for two numbers of every three bytes and
        // sixteen more; sixteen are written, of which those that are none of the stream's are
        // written over.
        unsafe {
            let row = |at: usize| _mm_loadu_si128(bytes.add(at).cast());
            let pairs = _mm256_shuffle_epi8(_mm256_set_m128i(row(at + 12), row(at)), spread);
            let (even, odd) = (_mm256_and_si256(pairs, mask), _mm256_srli_epi16::<4>(pairs));
            let all = _mm256_blend_epi16::<0b10101010>(even, odd);
            let good = _mm256_cmplt_epu16_mask(all, q);
            let wide = _mm512_maskz_compress_epi32(good, _mm512_cvtepu16_epi32(all));
            _mm256_storeu_si256(numbers.add(have).cast(), _mm512_cvtepi32_epi16(wide));
            let [low, high] = good.to_le_bytes().map(|set| usize::from(COUNTS[usize::from(set)]));
            have += low + high;
        }
    }
    have
}

ml_kem_kernel!(
    /// Thirty-two operations.
    ML_KEM, "avx512", I16x32, sample, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);
