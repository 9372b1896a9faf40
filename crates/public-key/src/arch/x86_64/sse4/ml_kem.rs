//! Numbers of 16 bits in 128-bit registers: eight lanes.

use core::arch::x86_64::*;

use broadloom_lanes::inside::each;

use crate::arch::compile::ml_kem_kernel;
use crate::kernels::ml_kem::numbers::Numbers;
use crate::kernels::ml_kem::ring::Q;
use crate::kernels::ml_kem::sample::{COUNTS, TOGETHER};

/// Eight numbers in a register. Uses SSE4.1.
#[derive(Clone, Copy)]
pub(super) struct I16x8(__m128i);

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident = $intrinsic:ident),* $(,)?) => { $(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: `self` is proof of SSE4.1 (see Numbers).
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )* };
}

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Numbers for I16x8 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(number: i16) -> Self {
        // SAFETY: the CPU has SSE4.1, by the contract of `splat`.
        Self(unsafe { _mm_set1_epi16(number) })
    }
    #[inline(always)]
    unsafe fn load(numbers: *const i16) -> Self {
        // SAFETY: the CPU has SSE4.1 and `numbers` is readable for eight numbers, by the
        // contract of `load`.
        Self(unsafe { _mm_loadu_si128(numbers.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, numbers: *mut i16) {
        // SAFETY: `numbers` is writable for eight numbers, by the contract of `store`.
        unsafe { _mm_storeu_si128(numbers.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn load_eight(rows: *const *const u8, offset: usize) -> [Self; 8] {
        // SAFETY: by the contract of `load_eight`, the CPU has SSE4.1, and `rows` is readable for
        // eight pointers, each of which is readable for sixteen bytes from `offset`.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*rows.add(l)).add(offset).cast());
            let columns = transpose(each!(l in 8 => row(l)));
            each!(i in 8 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn store_eight(numbers: [Self; 8], rows: *const *mut u8, offset: usize) {
        // SAFETY: by the contract of `store_eight`, `rows` is readable for eight pointers,
        // each of which is writable for sixteen bytes from `offset`.
        unsafe {
            let all = transpose(each!(i in 8 => numbers[i].0));
            each!(l in 8 => {
                _mm_storeu_si128((*rows.add(l)).add(offset).cast(), all[l]);
            });
        }
    }
    of_two!(
        add = _mm_add_epi16,
        sub = _mm_sub_epi16,
        and = _mm_and_si128,
        or = _mm_or_si128,
        low = _mm_mullo_epi16,
        high = _mm_mulhi_epi16,
        high_unsigned = _mm_mulhi_epu16,
        min_unsigned = _mm_min_epu16,
    );
    #[inline(always)]
    fn left(self, count: u32) -> Self {
        // SAFETY: `self` is proof of SSE4.1 (see Numbers).
        Self(unsafe { _mm_sll_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right(self, count: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_srl_epi16(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
    }
    #[inline(always)]
    fn right_ten(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_srai_epi16::<10>(self.0) })
    }
}

/// Turns eight rows of eight numbers into columns, in each 128 bits by themselves.
///
/// # Safety
/// The CPU has SSE4.1.
#[inline(always)]
unsafe fn transpose(r: [__m128i; 8]) -> [__m128i; 8] {
    // SAFETY: the CPU has SSE4.1, by this function's contract.
    unsafe {
        let low = each!(i in 4 => _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]));
        let high = each!(i in 4 => _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]));
        // Numbers 2i and 2i + 1 of four rows.
        let pairs = |a: __m128i, b: __m128i| [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
        let first = [pairs(low[0], low[1]), pairs(high[0], high[1])];
        let second = [pairs(low[2], low[3]), pairs(high[2], high[3])];
        each!(i in 8 => {
            let (a, b) = (first[i / 4][i / 2 % 2], second[i / 4][i / 2 % 2]);
            if i.is_multiple_of(2) { _mm_unpacklo_epi64(a, b) } else { _mm_unpackhi_epi64(a, b) }
        })
    }
}

/// Appends the numbers below 3329 of each twelve bits of a stream, eight at a time.
///
/// # Safety
/// The contract of [`Sample`](crate::kernels::ml_kem::kernel::Sample).
#[target_feature(enable = "sse4.1,ssse3")]
pub(in crate::arch) unsafe fn sample(
    bytes: *const u8,
    len: usize,
    numbers: *mut i16,
    mut have: usize,
) -> usize {
    let spread = _mm_setr_epi8(0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11);
    let (mask, q) = (_mm_set1_epi16(0xfff), _mm_set1_epi16(Q));
    for at in (0..len).step_by(12) {
        // SAFETY: sixteen bytes from `at` on are the last twelve of the stream and the slack at
        // most. There is room for two numbers of every three bytes and sixteen more; eight are
        // written, of which those that are none of the stream's are written over.
        unsafe {
            let pairs = _mm_shuffle_epi8(_mm_loadu_si128(bytes.add(at).cast()), spread);
            let (even, odd) = (_mm_and_si128(pairs, mask), _mm_srli_epi16::<4>(pairs));
            let all = _mm_blend_epi16::<0b10101010>(even, odd);
            let good = _mm_cmpgt_epi16(q, all);
            let set = _mm_movemask_epi8(_mm_packs_epi16(good, good)) & 0xff;
            let together = _mm_loadu_si128(TOGETHER[set as usize].as_ptr().cast());
            _mm_storeu_si128(numbers.add(have).cast(), _mm_shuffle_epi8(all, together));
            have += usize::from(COUNTS[set as usize]);
        }
    }
    have
}

ml_kem_kernel!(
    /// Eight operations.
    ML_KEM, "sse4", I16x8, sample, "sse4.1,ssse3"
);
