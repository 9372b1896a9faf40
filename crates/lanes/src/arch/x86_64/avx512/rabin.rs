//! The search for fingerprints by VPCLMULQDQ and GFNI on registers of 512 bits.

use core::arch::x86_64::*;

use crate::arch::compile::rabin_kernel;
use crate::arch::x86_64::common::rabin::{REVERSED, rabin_words};
use crate::kernels::rabin::constants::ByteMap;
use crate::vector::each;

rabin_words!(
    /// Eight lanes.
    Words8(__m512i), 8, load, __m512i, matrix, apply, has_zero_byte, _mm512_set1_epi64, store,
    _mm512_xor_si512, _mm512_and_si512, _mm512_or_si512, _mm512_sll_epi64, _mm512_srl_epi64,
    _mm512_clmulepi64_epi128, _mm512_unpacklo_epi64, _mm512_unpackhi_epi64, _mm512_min_epu8
);

rabin_kernel!(
    /// Sixteen stripes.
    RABIN, "vpclmulqdq-512", Words8, "avx512f,avx512bw,avx512dq,avx512vl,gfni,vpclmulqdq"
);

/// Loads eight words of each stripe.
///
/// # Safety
/// The conditions of `Words::load`; the instructions are those of AVX-512 F and BW.
#[inline(always)]
unsafe fn load(first: *const u8, stride: usize) -> [Words8; 8] {
    // SAFETY: by the contract of `Words::load` the CPU has the instructions, and every stripe is
    // readable for eight words.
    unsafe {
        let reversed = _mm512_broadcast_i32x4(_mm_loadu_si128(REVERSED.as_ptr().cast()));
        let rows = each!(lane in 8 => {
            let row = first.add(lane * stride);
            _mm512_shuffle_epi8(_mm512_loadu_si512(row.cast()), reversed)
        });
        // Words 0, 2, 4 and 6 of two rows, and words 1, 3, 5 and 7.
        let even = each!(i in 4 => _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]));
        let odd = each!(i in 4 => _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]));
        let ([w0, w2, w4, w6], [w1, w3, w5, w7]) = (transposed(even), transposed(odd));
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }
}

/// Returns the columns of four rows of four pairs of words.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn transposed([a, b, c, d]: [__m512i; 4]) -> [Words8; 4] {
    // SAFETY: the CPU has AVX-512 F, by this function's contract.
    unsafe {
        let (low_ab, low_cd) =
            (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0x44>(c, d));
        let (high_ab, high_cd) =
            (_mm512_shuffle_i64x2::<0xee>(a, b), _mm512_shuffle_i64x2::<0xee>(c, d));
        [
            Words8(_mm512_shuffle_i64x2::<0x88>(low_ab, low_cd)),
            Words8(_mm512_shuffle_i64x2::<0xdd>(low_ab, low_cd)),
            Words8(_mm512_shuffle_i64x2::<0x88>(high_ab, high_cd)),
            Words8(_mm512_shuffle_i64x2::<0xdd>(high_ab, high_cd)),
        ]
    }
}

/// Loads the matrix of a map.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn matrix(map: &ByteMap) -> __m512i {
    // SAFETY: the CPU has AVX-512 F, by this function's contract.
    unsafe { _mm512_set1_epi64(map.matrix().cast_signed()) }
}

/// Multiplies each byte by a matrix.
///
/// # Safety
/// The CPU has AVX-512 F and GFNI.
#[inline(always)]
unsafe fn apply(bytes: __m512i, matrix: __m512i) -> __m512i {
    // SAFETY: the CPU has AVX-512 F and GFNI, by this function's contract.
    unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(bytes, matrix) }
}

/// Stores words.
///
/// # Safety
/// - The CPU has AVX-512 F.
/// - `to` is writable for eight words, at any alignment.
#[inline(always)]
unsafe fn store(to: *mut __m512i, words: __m512i) {
    // SAFETY: `to` is writable for eight words and the CPU has AVX-512 F, by this function's
    // contract.
    unsafe { _mm512_storeu_si512(to, words) }
}

/// Returns `true` if a byte of the words is zero.
///
/// # Safety
/// The CPU has AVX-512 BW.
#[inline(always)]
unsafe fn has_zero_byte(words: __m512i) -> bool {
    // SAFETY: the CPU has AVX-512 BW, by this function's contract.
    unsafe { _mm512_testn_epi8_mask(words, words) != 0 }
}
