//! Large numbers on AVX-512: eight of them in limbs of 28 bits, or of 52 bits where there are
//! instructions that multiply and add those (IFMA).

use core::arch::x86_64::*;

use crate::arch::compile::bignum_kernel;
use crate::arch::x86_64::common::anew;
use crate::kernels::bignum::Radix;
use crate::kernels::bignum::columns::Limbs;
use crate::kernels::bignum::select::SelectLanes;

macro_rules! lanes {
    ($limbs:ident, $radix:ident, $chunk:literal) => {
        // SAFETY: AVX-512 F instructions only; every method is `inline(always)`.
        unsafe impl SelectLanes for $limbs {
            const LANES: usize = 8;
            const RADIX: Radix = Radix::$radix;
            const CHUNK: usize = $chunk;
            const BOTH: bool = true;

            #[inline(always)]
            unsafe fn splat(word: u64) -> Self {
                // SAFETY: the CPU has AVX-512, by the contract of `splat`.
                Self(unsafe { _mm512_set1_epi64(word as i64) })
            }
            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the CPU has AVX-512 and `from` is readable for eight words, by the
                // contract of `load`.
                Self(unsafe { _mm512_loadu_si512(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: `to` is writable for eight words, by the contract of `store`.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: `self` is proof of AVX-512.
                Self(unsafe { _mm512_add_epi64(self.0, other.0) })
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe {
                    let equal = _mm512_cmpeq_epi64_mask(self.0, other.0);
                    _mm512_maskz_set1_epi64(equal, -1)
                })
            }
            #[inline(always)]
            fn join(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_or_si512(self.0, _mm512_slli_epi64::<32>(other.0)) })
            }
            #[inline(always)]
            fn split(self) -> (Self, Self) {
                // SAFETY: as above.
                unsafe {
                    let low = _mm512_set1_epi64(i64::from(u32::MAX));
                    (Self(_mm512_and_si512(self.0, low)), Self(_mm512_srli_epi64::<32>(self.0)))
                }
            }
            #[inline(always)]
            fn or_masked(self, mask: Self, other: Self) -> Self {
                /// The table of `a | b & c`.
                const OR_AND: i32 = 0xf0 | (0xcc & 0xaa);
                // SAFETY: as above.
                Self(unsafe { _mm512_ternarylogic_epi64::<OR_AND>(self.0, mask.0, other.0) })
            }
        }
    };
}

/// A limb of eight numbers. Uses AVX-512 F.
#[derive(Clone, Copy)]
struct Limbs28(__m512i);

/// Bits of a limb.
const LIMB28: i64 = (1 << 28) - 1;

lanes!(Limbs28, Bits28, 10);

// SAFETY: as above.
unsafe impl Limbs for Limbs28 {
    // Twice as many products of 56 bits, and a carry, have 64 bits.
    const ROOM: usize = 127;
    const HALVES: bool = false;

    #[inline(always)]
    fn plus_product((sum, next): (Self, Self), x: Self, y: Self) -> (Self, Self) {
        // SAFETY: as above.
        (sum.add(Self(unsafe { _mm512_mul_epu32(x.0, y.0) })), next)
    }
    #[inline(always)]
    fn limb(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi64(LIMB28)) })
    }
    #[inline(always)]
    fn above(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srli_epi64::<28>(self.0) })
    }
    #[inline(always)]
    fn anew(limbs: *const u64) -> *const u64 {
        anew(limbs)
    }
}

bignum_kernel!(
    /// Eight lanes.
    BIGNUM, "avx512", Limbs28, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

/// A limb of eight numbers. Uses AVX-512 F and IFMA.
#[derive(Clone, Copy)]
struct Limbs52(__m512i);

/// Bits of a limb.
const LIMB52: i64 = (1 << 52) - 1;

lanes!(Limbs52, Bits52, 11);

// SAFETY: AVX-512 F and IFMA instructions only; every method is `inline(always)`.
unsafe impl Limbs for Limbs52 {
    // Four times as many halves of 52 bits, and a carry, have 64 bits.
    const ROOM: usize = 1000;
    const HALVES: bool = true;

    #[inline(always)]
    fn plus_product((sum, next): (Self, Self), x: Self, y: Self) -> (Self, Self) {
        // SAFETY: `sum` is proof of AVX-512, and of IFMA in the only kernel.
        unsafe {
            let sum = _mm512_madd52lo_epu64(sum.0, x.0, y.0);
            (Self(sum), Self(_mm512_madd52hi_epu64(next.0, x.0, y.0)))
        }
    }
    #[inline(always)]
    fn limb(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi64(LIMB52)) })
    }
    #[inline(always)]
    fn above(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_srli_epi64::<52>(self.0) })
    }
    #[inline(always)]
    fn anew(limbs: *const u64) -> *const u64 {
        anew(limbs)
    }
}

bignum_kernel!(
    /// Eight lanes.
    BIGNUM_IFMA, "avx512-ifma", Limbs52,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);
