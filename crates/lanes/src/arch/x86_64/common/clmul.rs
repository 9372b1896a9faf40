//! GHASH by the x86 instruction for carry-less products (PCLMULQDQ).

use core::arch::x86_64::*;

use zeroize::Zeroize;

use super::aes::shuffle;
use crate::kernels::aes::gcm::field::{Element, REDUCTION};
use crate::kernels::aes::gcm::hash::{Field, Sum};
use crate::kernels::aes::gcm::key::fill;
use crate::kernels::aes::key::CipherKey;
use crate::kernels::aes::register::{Aes, Wide, encrypt};

/// Does what [`Powers`](crate::kernels::aes::gcm::key::Powers) do.
#[target_feature(enable = "aes,pclmulqdq")]
pub(in crate::arch) fn expand(key: &CipherKey, powers: &mut [Element]) {
    let mut block = [0; 16];
    // SAFETY: the instructions are enabled here, and the key is valid.
    unsafe {
        let mut x = [__m128i::zero()];
        encrypt(key, &mut x, &mut ());
        x[0].store(block.as_mut_ptr());
        fill(powers, &block, |a, b| times(a, b), |a| times(a, a));
    }
    block.zeroize();
}

/// Returns the product of two elements, divided by x^128.
///
/// # Safety
/// PCLMULQDQ is enabled where this is inlined.
#[inline(always)]
unsafe fn times(a: Element, b: Element) -> Element {
    let fold = b.folded();
    // SAFETY: PCLMULQDQ is enabled, by this function's contract; an element is as long as a
    // register.
    unsafe {
        let [a, b, fold] = [a, b, fold].map(|x| __m128i::from_number(x.number()));
        let mut sum = Sum::new();
        sum.add_products([a], [b], [fold]);
        let mut product = Element::default();
        sum.reduce_places().store(core::ptr::from_mut(&mut product).cast());
        product
    }
}

/// The methods need SSSE3 and PCLMULQDQ.
impl Field for __m128i {
    const TERNARY: bool = false;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: SSSE3 is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm_shuffle_epi8(self, REVERSED) }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: `from` is readable for an element, by the contract of `elements`, and elements
        // are aligned to 16 bytes.
        unsafe { _mm_load_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn low_products(self, other: Self) -> Self {
        // SAFETY: PCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm_clmulepi64_si128::<0x00>(self, other) }
    }

    #[inline(always)]
    unsafe fn high_products(self, other: Self) -> Self {
        // SAFETY: PCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm_clmulepi64_si128::<0x11>(self, other) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn low_as_high(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_slli_si128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn high_as_low(self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_srli_si128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn reduction() -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_set1_epi64x(REDUCTION.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        self
    }
}

/// All bytes of a block turned round.
pub(in crate::arch) const REVERSED: __m128i =
    shuffle([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
