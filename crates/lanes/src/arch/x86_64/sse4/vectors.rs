//! SSE4.1: four 32-bit lanes, or two 64-bit lanes.

use core::arch::x86_64::*;

use crate::arch::compile::wide_kernels;
use crate::kernels::hash::kernel::Built;
use crate::vector::{Vector, each};

/// Four 32-bit lanes in one 128-bit register. Uses SSE4.1.
#[derive(Clone, Copy)]
pub struct U32x4(pub __m128i);

/// Two 64-bit lanes in one 128-bit register. Uses SSE4.1.
#[derive(Clone, Copy)]
pub struct U64x2(pub(super) __m128i);

macro_rules! lane_wise {
    ($word:ty, $lanes:literal, $splat:ident, $add:ident, $left:ident, $right:ident) => {
        type Word = $word;
        const LANES: usize = $lanes;

        #[inline(always)]
        unsafe fn splat(word: $word) -> Self {
            // SAFETY: the CPU has SSE4.1, by the contract of `splat`.
            Self(unsafe { $splat(word.cast_signed()) })
        }
        #[inline(always)]
        unsafe fn load(words: *const $word) -> Self {
            // SAFETY: the CPU has SSE4.1 and `words` is readable for `LANES` words, by the contract
            // of `load`.
            Self(unsafe { _mm_loadu_si128(words.cast()) })
        }
        #[inline(always)]
        unsafe fn store(self, words: *mut $word) {
            // SAFETY: `words` is writable for `LANES` words, by the contract of `store`.
            unsafe { _mm_storeu_si128(words.cast(), self.0) }
        }
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            // SAFETY: `self` is proof of SSE4.1 (see Vector).
            Self(unsafe { $add(self.0, o.0) })
        }
        #[inline(always)]
        fn xor(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_xor_si128(self.0, o.0) })
        }
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_and_si128(self.0, o.0) })
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_or_si128(self.0, o.0) })
        }
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_xor_si128(self.0, _mm_set1_epi8(-1)) })
        }
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $right::<N>(self.0) })
        }
        /// Rotates by a permutation if `N` is whole bytes, and otherwise by two shifts.
        #[inline(always)]
        fn rotate_right<const N: i32>(self) -> Self {
            // SAFETY: as above; the table has sixteen bytes.
            Self(unsafe {
                if N % 8 == 0 {
                    let places =
                        const { bytes_right::<{ <$word>::BITS as usize / 8 }>(N as usize / 8) };
                    _mm_shuffle_epi8(self.0, _mm_loadu_si128(places.as_ptr().cast()))
                } else {
                    let left = <$word>::BITS as i32 - N;
                    let left = $left(self.0, _mm_cvtsi32_si128(left));
                    _mm_or_si128($right::<N>(self.0), left)
                }
            })
        }
    };
}

/// Returns the permutation that rotates every word of `BYTES` bytes right by `bytes` bytes.
const fn bytes_right<const BYTES: usize>(bytes: usize) -> [u8; 16] {
    let (mut places, mut i) = ([0; 16], 0);
    while i < 16 {
        places[i] = (i / BYTES * BYTES + (i + bytes) % BYTES) as u8;
        i += 1;
    }
    places
}

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Vector for U32x4 {
    lane_wise!(u32, 4, _mm_set1_epi32, _mm_add_epi32, _mm_sll_epi32, _mm_srli_epi32);

    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has SSE4.1, and `lanes` is readable for
        // four pointers, each of which is readable for 64 bytes from `offset`.
        unsafe {
            let swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            let quarters = each!(q in 4 => transpose4(each!(l in 4 => {
                let bytes = _mm_loadu_si128((*lanes.add(l)).add(offset + 16 * q).cast());
                if BIG_ENDIAN { _mm_shuffle_epi8(bytes, swap) } else { bytes }
            })));
            each!(i in 16 => Self(quarters[i / 4][i % 4]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u32) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has SSE4.1, and `lanes` is readable for four
        // pointers, each of which is readable for eight words.
        unsafe {
            let half =
                |at| transpose4(each!(l in 4 => _mm_loadu_si128((*lanes.add(l)).add(at).cast())));
            let (low, high) = (half(0), half(4));
            each!(i in 8 => Self(if i < 4 { low[i] } else { high[i - 4] }))
        }
    }
    #[inline(always)]
    unsafe fn gather_four(lanes: *const *const u32) -> [Self; 4] {
        // SAFETY: by the contract of `gather_four`, the CPU has SSE4.1, and `lanes` is readable for
        // four pointers, each of which is readable for four words.
        unsafe {
            let columns = transpose4(each!(l in 4 => _mm_loadu_si128((*lanes.add(l)).cast())));
            each!(i in 4 => Self(columns[i]))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u32) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for four pointers, each of
        // which is writable for eight words.
        unsafe {
            let low = transpose4(each!(i in 4 => words[i].0));
            let high = transpose4(each!(i in 4 => words[i + 4].0));
            each!(l in 4 => _mm_storeu_si128((*lanes.add(l)).cast(), low[l]));
            each!(l in 4 => _mm_storeu_si128((*lanes.add(l)).add(4).cast(), high[l]));
        }
    }
}

// SAFETY: SSE4.1 instructions only; every method is `inline(always)`.
unsafe impl Vector for U64x2 {
    lane_wise!(u64, 2, _mm_set1_epi64x, _mm_add_epi64, _mm_sll_epi64, _mm_srli_epi64);

    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(
        lanes: *const *const u8,
        offset: usize,
    ) -> [Self; 16] {
        // SAFETY: by the contract of `load_block`, the CPU has SSE4.1, and `lanes` is readable for
        // two pointers, each of which is readable for 128 bytes from `offset`.
        unsafe {
            let swap = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
            let eighths = each!(e in 8 => transpose2(each!(l in 2 => {
                let bytes = _mm_loadu_si128((*lanes.add(l)).add(offset + 16 * e).cast());
                if BIG_ENDIAN { _mm_shuffle_epi8(bytes, swap) } else { bytes }
            })));
            each!(i in 16 => Self(eighths[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    unsafe fn gather(lanes: *const *const u64) -> [Self; 8] {
        // SAFETY: by the contract of `gather`, the CPU has SSE4.1, and `lanes` is readable for two
        // pointers, each of which is readable for eight words.
        unsafe {
            let pairs = each!(p in 4 => transpose2(each!(l in 2 =>
                _mm_loadu_si128((*lanes.add(l)).add(2 * p).cast()))));
            each!(i in 8 => Self(pairs[i / 2][i % 2]))
        }
    }
    #[inline(always)]
    unsafe fn scatter(words: &[Self; 8], lanes: *const *mut u64) {
        // SAFETY: by the contract of `scatter`, `lanes` is readable for two pointers, each of which
        // is writable for eight words.
        unsafe {
            each!(p in 4 => {
                let pair = transpose2([words[2 * p].0, words[2 * p + 1].0]);
                each!(l in 2 => _mm_storeu_si128((*lanes.add(l)).add(2 * p).cast(), pair[l]));
            });
        }
    }
}

/// Turns four rows of four 32-bit words into columns.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn transpose4(r: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: the CPU has SSE2, by this function's contract.
    unsafe {
        let (a, b) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[0], r[1]));
        let (c, d) = (_mm_unpacklo_epi32(r[2], r[3]), _mm_unpackhi_epi32(r[2], r[3]));
        [
            _mm_unpacklo_epi64(a, c),
            _mm_unpackhi_epi64(a, c),
            _mm_unpacklo_epi64(b, d),
            _mm_unpackhi_epi64(b, d),
        ]
    }
}

/// Turns two rows of two 64-bit words into columns.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
pub(super) unsafe fn transpose2([a, b]: [__m128i; 2]) -> [__m128i; 2] {
    // SAFETY: the CPU has SSE2, by this function's contract.
    unsafe { [_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)] }
}

wide_kernels!("sse4", Built, ["sse4.1"], U32x4, U64x2);
