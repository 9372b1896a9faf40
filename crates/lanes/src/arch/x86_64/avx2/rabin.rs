//! The search for fingerprints by VPCLMULQDQ on registers of 256 bits.

use core::arch::x86_64::*;

use crate::arch::compile::rabin_kernel;
use crate::arch::x86_64::common::rabin::{REVERSED, rabin_words};
use crate::kernels::rabin::constants::ByteMap;
use crate::vector::each;

rabin_words!(
    /// Four lanes.
    Words4(__m256i), 4, load, [__m256i; 2], tables, lookup, has_zero_byte, _mm256_set1_epi64x,
    _mm256_storeu_si256, _mm256_xor_si256, _mm256_and_si256, _mm256_or_si256, _mm256_sll_epi64,
    _mm256_srl_epi64, _mm256_clmulepi64_epi128, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64,
    _mm256_min_epu8
);

rabin_kernel!(
    /// Eight stripes.
    RABIN, "vpclmulqdq", Words4, "avx2,vpclmulqdq"
);

/// Loads eight words of each stripe.
///
/// # Safety
/// The conditions of `Words::load`; the instructions are those of AVX2.
#[inline(always)]
unsafe fn load(first: *const u8, stride: usize) -> [Words4; 8] {
    // SAFETY: by the contract of `Words::load` the CPU has the instructions, and every stripe is
    // readable for eight words.
    unsafe {
        let reversed = _mm256_broadcastsi128_si256(_mm_loadu_si128(REVERSED.as_ptr().cast()));
        let halves = each!(i in 2 => {
            let rows = each!(lane in 4 => {
                let row = first.add(lane * stride + 32 * i);
                _mm256_shuffle_epi8(_mm256_loadu_si256(row.cast()), reversed)
            });
            // Words 0 and 2 of two rows, and words 1 and 3.
            let even = each!(j in 2 => _mm256_unpacklo_epi64(rows[2 * j], rows[2 * j + 1]));
            let odd = each!(j in 2 => _mm256_unpackhi_epi64(rows[2 * j], rows[2 * j + 1]));
            [
                _mm256_permute2x128_si256::<0x20>(even[0], even[1]),
                _mm256_permute2x128_si256::<0x20>(odd[0], odd[1]),
                _mm256_permute2x128_si256::<0x31>(even[0], even[1]),
                _mm256_permute2x128_si256::<0x31>(odd[0], odd[1]),
            ]
        });
        each!(i in 8 => Words4(halves[i / 4][i % 4]))
    }
}

/// Loads the tables of a map.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn tables(map: &ByteMap) -> [__m256i; 2] {
    let tables = map.tables();
    // SAFETY: the CPU has AVX2, by this function's contract, and a table has sixteen bytes.
    unsafe {
        each!(i in 2 => {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(tables[i].as_ptr().cast()))
        })
    }
}

/// Looks up each byte in the tables of a map.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn lookup(bytes: __m256i, tables: [__m256i; 2]) -> __m256i {
    // SAFETY: the CPU has AVX2, by this function's contract.
    unsafe {
        let four_bits = _mm256_set1_epi8(0x0f);
        let low = _mm256_and_si256(bytes, four_bits);
        let high = _mm256_and_si256(_mm256_srli_epi64::<4>(bytes), four_bits);
        let (low, high) =
            (_mm256_shuffle_epi8(tables[0], low), _mm256_shuffle_epi8(tables[1], high));
        _mm256_xor_si256(low, high)
    }
}

/// Returns `true` if a byte of the words is zero.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn has_zero_byte(words: __m256i) -> bool {
    // SAFETY: the CPU has AVX2, by this function's contract.
    unsafe { _mm256_movemask_epi8(_mm256_cmpeq_epi8(words, _mm256_setzero_si256())) != 0 }
}
