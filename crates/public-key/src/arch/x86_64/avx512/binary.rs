//! Binary curves on four lanes, by VPCLMULQDQ on registers of 512 bits.

use core::arch::x86_64::*;

use crate::arch::compile::binary_kernel;
use crate::arch::x86_64::common::binary::binary_pairs;

binary_pairs!(
    /// Four lanes.
    Pairs4(__m512i), 4, _mm512_load_si512, _mm512_store_si512, _mm512_broadcast_i32x4,
    _mm512_xor_si512, _mm512_and_si512, _mm512_clmulepi64_epi128, _mm512_shuffle_epi32,
    _mm512_alignr_epi8, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_srai_epi32
);

binary_kernel!(
    /// Four lanes.
    BINARY4, "vpclmulqdq-512", Pairs4, "avx512f,avx512bw,avx512vl,vpclmulqdq"
);
