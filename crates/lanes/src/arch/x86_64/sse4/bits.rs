//! SSE4.1: 128 lanes.

use core::arch::x86_64::*;

use crate::bits::Bits;

/// 128 lanes in one 128-bit register. Uses SSE2.
#[derive(Clone, Copy)]
pub(crate) struct Bits128(__m128i);

// SAFETY: SSE2 instructions only; every method is `inline(always)`.
unsafe impl Bits for Bits128 {
    const LANES: usize = 128;

    #[inline(always)]
    unsafe fn splat(element: u64) -> Self {
        // SAFETY: the CPU has SSE2, by the contract of `splat`.
        Self(unsafe { _mm_set1_epi64x(element.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(elements: *const u64) -> Self {
        // SAFETY: the CPU has SSE2 and `elements` is readable for a register's bytes, by the
        // contract of `load`.
        Self(unsafe { _mm_loadu_si128(elements.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, elements: *mut u64) {
        // SAFETY: `elements` is writable for a register's bytes, by the contract of `store`.
        unsafe { _mm_storeu_si128(elements.cast(), self.0) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is proof of SSE2 (see Bits).
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_andnot_si128(other.0, self.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_xor_si128(self.0, _mm_set1_epi64x(-1)) })
    }
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_slli_epi64::<N>(self.0) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm_srli_epi64::<N>(self.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::tests::transposes_and_computes;
    use crate::cpu::{Cpu, Isa};

    #[target_feature(enable = "sse4.1")]
    fn check() {
        // SAFETY: this function has the instruction set.
        unsafe { transposes_and_computes::<Bits128>() }
    }

    #[test]
    fn registers_transpose_and_compute() {
        if Cpu::with_isa(Isa::Sse4).is_ok() {
            // SAFETY: the CPU has the instruction set.
            unsafe { check() }
        }
    }
}
