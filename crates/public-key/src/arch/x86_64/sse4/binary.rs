//! Binary curves by PCLMULQDQ.

use core::arch::x86_64::*;

use crate::arch::compile::binary_kernel;
use crate::arch::x86_64::common::binary::{binary_pairs, same};

binary_pairs!(
    /// One lane.
    Pair(__m128i), 1, _mm_load_si128, _mm_store_si128, same, _mm_xor_si128, _mm_and_si128,
    _mm_clmulepi64_si128, _mm_shuffle_epi32, _mm_alignr_epi8, _mm_sll_epi64, _mm_srl_epi64,
    _mm_srai_epi32
);

binary_kernel!(
    /// One lane.
    BINARY, "pclmulqdq", Pair, "sse4.1,ssse3,pclmulqdq"
);
