//! AVX-512: 512 lanes. If circuits have gates of two inputs, the compiler makes one VPTERNLOG of
//! two of them.

use core::arch::x86_64::*;

use crate::bits::Bits;

/// 512 lanes in one 512-bit register. Uses AVX-512 F.
#[derive(Clone, Copy)]
pub(crate) struct Bits512(__m512i);

// SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
unsafe impl Bits for Bits512 {
    const LANES: usize = 512;
    const TERNARY: bool = true;

    #[inline(always)]
    unsafe fn splat(element: u64) -> Self {
        // SAFETY: the CPU has AVX-512 F, by the contract of `splat`.
        Self(unsafe { _mm512_set1_epi64(element.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn load(elements: *const u64) -> Self {
        // SAFETY: the CPU has AVX-512 F and `elements` is readable for a register's bytes, by the
        // contract of `load`.
        Self(unsafe { _mm512_loadu_si512(elements.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, elements: *mut u64) {
        // SAFETY: `elements` is writable for a register's bytes, by the contract of `store`.
        unsafe { _mm512_storeu_si512(elements.cast(), self.0) }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: `self` is proof of AVX-512 F (see Bits).
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_xor_si512(self.0, _mm512_set1_epi64(-1)) })
    }
    #[inline(always)]
    fn ternary<const TABLE: i32>(self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_ternarylogic_epi64::<TABLE>(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn shift_left<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(N)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::tests::transposes_and_computes;
    use crate::cpu::{Cpu, Isa};

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn check() {
        // SAFETY: this function has the instruction set.
        unsafe { transposes_and_computes::<Bits512>() }
    }

    #[test]
    fn registers_transpose_and_compute() {
        if Cpu::with_isa(Isa::Avx512).is_ok() {
            // SAFETY: the CPU has the instruction set.
            unsafe { check() }
        }
    }
}
