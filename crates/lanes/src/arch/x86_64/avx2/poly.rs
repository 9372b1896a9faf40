//! Vectors of 64-bit words that multiply, for Poly1305 on AVX2.

use core::arch::x86_64::*;

use super::vectors::U64x4;
use crate::arch::x86_64::common::poly::products;
use crate::kernels::chacha::poly::limbs::Products;
use crate::kernels::chacha::poly::wide::{MAX_LANES, Words};

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Words for U64x4 {
    // Measured on Zen 3: 16 blocks gain little, 20 a tenth.
    const WORTH: usize = 16;
    const ORDER: [usize; MAX_LANES] = [0, 2, 1, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of the instruction set (see Vector).
        Self(unsafe { _mm256_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    unsafe fn blocks(from: *const u8) -> [Self; 2] {
        // SAFETY: the CPU has AVX2 and `from` is readable for 64 bytes, by the contract of
        // `blocks`.
        unsafe {
            let (a, b) = (_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast()));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }

    #[inline(always)]
    unsafe fn block_of_each(lanes: *const *const u8) -> [Self; 2] {
        // SAFETY: by the contract of `block_of_each`, the CPU has AVX2, and `lanes` is readable for
        // four pointers, each of which is readable for 16 bytes.
        unsafe {
            let row = |l: usize| _mm_loadu_si128((*lanes.add(l)).cast());
            let (a, b) = (_mm256_set_m128i(row(2), row(0)), _mm256_set_m128i(row(3), row(1)));
            [Self(_mm256_unpacklo_epi64(a, b)), Self(_mm256_unpackhi_epi64(a, b))]
        }
    }
}

// SAFETY: as above.
unsafe impl Products for U64x4 {
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Vector).
        Self(unsafe { products_256(self.0, other.0) })
    }
}

products!(products_256, __m256i, ymm_reg, "avx2");

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::cpu::{Cpu, Isa};
    use crate::kernels::chacha::poly::OneTimeKey;
    use crate::kernels::chacha::poly::limbs::Limbs;
    use crate::kernels::chacha::poly::tests::{check, tags};
    use crate::kernels::chacha::poly::wide::PolyLanes;

    #[target_feature(enable = "avx2")]
    unsafe fn ours(key: &OneTimeKey, text: &[u8]) -> Vec<[u8; 16]> {
        // SAFETY: the instructions are enabled here.
        unsafe { tags::<PolyLanes<Limbs<U64x4>>>(key, text) }
    }

    #[test]
    fn tags_are_right_where_sums_are_largest_and_smallest() {
        if Cpu::with_isa(Isa::Avx2).is_err() {
            std::println!("poly1305 not run: avx2 needs {}", Isa::Avx2);
            return;
        }
        // SAFETY: this machine can run it.
        unsafe { check(ours) };
        std::println!("poly1305 tested: avx2");
    }
}
