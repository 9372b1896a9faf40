//! AVX2: 256 lanes. Compiled for AVX-512 VL, pairs of gates become one instruction there, too.

use core::arch::x86_64::*;

use crate::bits::Bits;

/// 256 lanes in one 256-bit register. Uses AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Bits256(__m256i);

// SAFETY: AVX2 instructions only; every method is `inline(always)`.
unsafe impl Bits for Bits256 {
    const LANES: usize = 256;

    #[inline(always)]
    unsafe fn splat(element: u64) -> Self {
        // SAFETY: the CPU has AVX2, by the contract of `splat`.
        Self(unsafe { _mm256_set1_epi64x(element.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(elements: *const u64) -> Self {
        // SAFETY: the CPU has AVX2 and `elements` is readable for a register's bytes, by the
        // contract of `load`.
        Self(unsafe { _mm256_loadu_si256(elements.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, elements: *mut u64) {
        // SAFETY: `elements` is writable for a register's bytes, by the contract of `store`.
        unsafe { _mm256_storeu_si256(elements.cast(), self.0) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX2 (see Bits).
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(-1)) })
    }
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_slli_epi64::<N>(self.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_srli_epi64::<N>(self.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::tests::transposes_and_computes;
    use crate::cpu::{Cpu, Isa};

    #[target_feature(enable = "avx2")]
    fn check() {
        // SAFETY: this function has the instruction set.
        unsafe { transposes_and_computes::<Bits256>() }
    }

    #[test]
    fn registers_transpose_and_compute() {
        if Cpu::with_isa(Isa::Avx2).is_ok() {
            // SAFETY: the CPU has the instruction set.
            unsafe { check() }
        }
    }
}
