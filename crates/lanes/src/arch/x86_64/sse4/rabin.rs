//! The search for fingerprints by PCLMULQDQ.

use core::arch::x86_64::*;

use crate::arch::compile::rabin_kernel;
use crate::arch::x86_64::common::rabin::{REVERSED, rabin_words};
use crate::kernels::rabin::constants::ByteMap;
use crate::vector::each;

rabin_words!(
    /// Two lanes.
    Words2(__m128i), 2, load, [__m128i; 2], tables, lookup, has_zero_byte, _mm_set1_epi64x,
    _mm_storeu_si128, _mm_xor_si128, _mm_and_si128, _mm_or_si128, _mm_sll_epi64, _mm_srl_epi64,
    _mm_clmulepi64_si128, _mm_unpacklo_epi64, _mm_unpackhi_epi64, _mm_min_epu8
);

rabin_kernel!(
    /// Four stripes.
    RABIN, "pclmulqdq", Words2, "sse4.1,ssse3,pclmulqdq"
);

/// Loads eight words of each stripe.
///
/// # Safety
/// The conditions of `Words::load`; the instructions are those of SSSE3.
#[inline(always)]
unsafe fn load(first: *const u8, stride: usize) -> [Words2; 8] {
    // SAFETY: by the contract of `Words::load` the CPU has the instructions, and every stripe is
    // readable for eight words.
    unsafe {
        let reversed = _mm_loadu_si128(REVERSED.as_ptr().cast());
        let quarters = each!(i in 4 => {
            let rows = each!(lane in 2 => {
                let row = first.add(lane * stride + 16 * i);
                _mm_shuffle_epi8(_mm_loadu_si128(row.cast()), reversed)
            });
            [_mm_unpacklo_epi64(rows[0], rows[1]), _mm_unpackhi_epi64(rows[0], rows[1])]
        });
        each!(i in 8 => Words2(quarters[i / 2][i % 2]))
    }
}

/// Loads the tables of a map.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn tables(map: &ByteMap) -> [__m128i; 2] {
    let tables = map.tables();
    // SAFETY: x86-64 has SSE2, and a table has sixteen bytes.
    unsafe { each!(i in 2 => _mm_loadu_si128(tables[i].as_ptr().cast())) }
}

/// Looks up each byte in the tables of a map.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn lookup(bytes: __m128i, tables: [__m128i; 2]) -> __m128i {
    // SAFETY: the CPU has SSSE3, by this function's contract.
    unsafe {
        let four_bits = _mm_set1_epi8(0x0f);
        let low = _mm_and_si128(bytes, four_bits);
        let high = _mm_and_si128(_mm_srli_epi64::<4>(bytes), four_bits);
        _mm_xor_si128(_mm_shuffle_epi8(tables[0], low), _mm_shuffle_epi8(tables[1], high))
    }
}

/// Returns `true` if a byte of the words is zero.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn has_zero_byte(words: __m128i) -> bool {
    // SAFETY: the CPU has SSSE3, by this function's contract.
    unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(words, _mm_setzero_si128())) != 0 }
}
