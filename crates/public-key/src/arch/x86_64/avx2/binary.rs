//! Binary curves by PCLMULQDQ, and on two lanes by VPCLMULQDQ.

use core::arch::x86_64::*;

use crate::arch::compile::binary_kernel;
use crate::arch::x86_64::common::binary::{binary_pairs, same};

binary_pairs!(
    /// One lane, in the encodings of AVX.
    Pair(__m128i), 1, _mm_load_si128, _mm_store_si128, same, _mm_xor_si128, _mm_and_si128,
    _mm_clmulepi64_si128, _mm_shuffle_epi32, _mm_alignr_epi8, _mm_sll_epi64, _mm_srl_epi64,
    _mm_srai_epi32
);

binary_kernel!(
    /// One lane.
    BINARY, "pclmulqdq", Pair, "avx2,pclmulqdq"
);

binary_pairs!(
    /// Two lanes.
    Pairs2(__m256i), 2, _mm256_load_si256, _mm256_store_si256, _mm256_broadcastsi128_si256,
    _mm256_xor_si256, _mm256_and_si256, _mm256_clmulepi64_epi128, _mm256_shuffle_epi32,
    _mm256_alignr_epi8, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_srai_epi32
);

binary_kernel!(
    /// Two lanes.
    BINARY2, "vpclmulqdq-256", Pairs2, "avx2,vpclmulqdq"
);
