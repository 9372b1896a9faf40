//! Vectors of 64-bit words that multiply, for Poly1305 on AVX-512.

use core::arch::x86_64::*;

use super::vectors::U64x8;
use crate::arch::x86_64::common::poly::products;
use crate::kernels::chacha::poly::limbs::Products;
use crate::kernels::chacha::poly::wide::{MAX_LANES, Words};
use crate::vector::each;

// SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
unsafe impl Words for U64x8 {
    const WORTH: usize = 32;
    const ORDER: [usize; MAX_LANES] = [0, 2, 4, 6, 1, 3, 5, 7];

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of the instruction set (see Vector).
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }

    #[inline(always)]
    unsafe fn blocks(from: *const u8) -> [Self; 2] {
        // SAFETY: the CPU has AVX-512 and `from` is readable for 128 bytes, by the contract of
        // `blocks`.
        unsafe {
            let (a, b) = (_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast()));
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn block_of_each(lanes: *const *const u8) -> [Self; 2] {
        // SAFETY: by the contract of `block_of_each`, the CPU has AVX-512, and `lanes` is readable
        // for eight pointers, each of which is readable for 16 bytes.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let [a, b] = each!(l in 2 => {
                let low = _mm256_set_m128i(row(l + 2), row(l));
                let high = _mm256_set_m128i(row(l + 6), row(l + 4));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            });
            [Self(_mm512_unpacklo_epi64(a, b)), Self(_mm512_unpackhi_epi64(a, b))]
        }
    }
}

// SAFETY: as above.
unsafe impl Products for U64x8 {
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 (see Vector).
        Self(unsafe { products_512(self.0, other.0) })
    }
}

products!(products_512, __m512i, zmm_reg, "avx512f");

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::cpu::{Cpu, Isa};
    use crate::kernels::chacha::poly::OneTimeKey;
    use crate::kernels::chacha::poly::limbs::Limbs;
    use crate::kernels::chacha::poly::tests::{check, tags};
    use crate::kernels::chacha::poly::wide::PolyLanes;

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn ours(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
        // SAFETY: the instructions are enabled here.
        unsafe { tags::<PolyLanes<Limbs<U64x8>>>(key, text) }
    }

    #[test]
    fn tags_are_right_where_sums_are_largest_and_smallest() {
        if Cpu::with_isa(Isa::Avx512).is_err() {
            std::println!("poly1305 not run: avx512f needs {}", Isa::Avx512);
            return;
        }
        // SAFETY: this machine can run it.
        unsafe { check(ours) };
        std::println!("poly1305 tested: avx512f");
    }
}
