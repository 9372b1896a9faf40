//! Elliptic curves on AVX-512: eight lanes, with products of 32 bits a factor, or with instructions
//! that multiply and add 52 bits where there are any (IFMA).

use core::arch::x86_64::*;

use crate::arch::compile::curves_kernel;
use crate::kernels::curves::words::Words;

macro_rules! words {
    ($words:ident, $loose:literal, $sum:ty, {$($products:item)*}) => {
        // SAFETY: AVX-512 F instructions, and those that the products use, which the only kernel
        // enables; every method is `inline(always)`.
        unsafe impl Words for $words {
            const LANES: usize = 8;
            const LOOSE: bool = $loose;
            type Sum = $sum;

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
            fn splat(self, word: u64) -> Self {
                // SAFETY: `self` is proof of AVX-512.
                Self(unsafe { _mm512_set1_epi64(word as i64) })
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_add_epi64(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_sub_epi64(self.0, other.0) })
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
            fn xor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_xor_si512(self.0, other.0) })
            }
            #[inline(always)]
            fn shift_left(self, by: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
            }
            #[inline(always)]
            fn shift_right(self, by: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(by as i32)) })
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
            fn select(self, one: Self, other: Self) -> Self {
                /// The table of `a ? b : c`.
                const SELECT: i32 = (0xf0 & 0xcc) | (0x0f & 0xaa);
                // SAFETY: as above.
                Self(unsafe { _mm512_ternarylogic_epi64::<SELECT>(self.0, one.0, other.0) })
            }
            $(#[inline(always)] $products)*
        }
    };
}

/// A word of eight lanes. Uses AVX-512 F.
#[derive(Clone, Copy)]
struct Words8(__m512i);

words!(Words8, false, Self, {
    fn small_product(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mul_epu32(self.0, other.0) })
    }
    fn sum(self) -> Self {
        self
    }
    fn plus_product(sum: Self, x: Self, y: Self) -> Self {
        sum.add(x.small_product(y))
    }
    fn plus(sum: Self, word: Self) -> Self {
        sum.add(word)
    }
    fn twice(sum: Self) -> Self {
        sum.add(sum)
    }
    fn part(sum: Self, bits: u32) -> (Self, Self) {
        (sum.and(sum.splat((1 << bits) - 1)), sum.shift_right(bits))
    }
});

curves_kernel!(
    /// Eight lanes.
    CURVES, "avx512", Words8, 10, 14, 22, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

/// A word of eight lanes. Uses AVX-512 F and IFMA.
#[derive(Clone, Copy)]
struct Fused8(__m512i);

/// The sum of the lower halves of products, and that of the upper ones, which count 2^52 times.
#[derive(Clone, Copy)]
struct Halves(Fused8, Fused8);

words!(Fused8, true, Halves, {
    fn small_product(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mul_epu32(self.0, other.0) })
    }
    fn sum(self) -> Halves {
        Halves(self, self.splat(0))
    }
    fn plus_product(sum: Halves, x: Self, y: Self) -> Halves {
        // SAFETY: as above.
        unsafe {
            let low = _mm512_madd52lo_epu64(sum.0.0, x.0, y.0);
            Halves(Self(low), Self(_mm512_madd52hi_epu64(sum.1.0, x.0, y.0)))
        }
    }
    fn plus(sum: Halves, word: Self) -> Halves {
        Halves(sum.0.add(word), sum.1)
    }
    fn twice(sum: Halves) -> Halves {
        Halves(sum.0.add(sum.0), sum.1.add(sum.1))
    }
    fn part(sum: Halves, bits: u32) -> (Self, Self) {
        (sum.0, sum.1.shift_left(52 - bits))
    }
});

curves_kernel!(
    /// Eight lanes.
    CURVES_IFMA, "avx512-ifma", Fused8, 5, 8, 11,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512ifma,bmi1,bmi2"
);
