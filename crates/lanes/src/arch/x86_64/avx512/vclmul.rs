//! GHASH by carry-less products on four blocks at once (VPCLMULQDQ on 512-bit registers), and GCM
//! with it and VAES.

use super::gcm_weave::{self, MANY};
use crate::aes::gcm::field::{Element, REDUCTION};
use crate::aes::gcm::hash::Field;
use crate::aes::gcm::key::HashPowers;
use crate::aes::gcm::pipeline::{Groups, Text};
use crate::arch::compile::gcm_kernel;
use crate::arch::x86_64::avx2::vclmul::VCLMUL;
use crate::arch::x86_64::common::clmul::REVERSED;
use core::arch::x86_64::*;

gcm_kernel!(
    /// VAES and VPCLMULQDQ, four blocks in a register; vectors make the counters of long texts.
    VCLMUL512, "vaes-512", __m512i, "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq",
    abreast::<false>, VCLMUL.first_counter
);

/// The same where an operation on a register is two of half the width: integers make the counters
/// of long texts.
pub(crate) static VCLMUL512_HALVES: GcmKernel = GcmKernel { process: abreast::<true>, ..VCLMUL512 };

/// [`GcmKernel::process`], with its contract. `INTEGERS` is of [`Field::hashed`].
unsafe fn abreast<const INTEGERS: bool>(messages: &[Message]) {
    // SAFETY: the contract.
    unsafe { super::gcm_abreast::process(messages, process::<INTEGERS>) }
}

/// Needs AVX-512 F and BW, and VPCLMULQDQ.
impl Field for __m512i {
    const TERNARY: bool = true;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: AVX-512 BW is enabled where this is inlined, by the contract.
        unsafe { _mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(REVERSED)) }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: there are four elements; AVX-512 F is enabled.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn low_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract.
        unsafe { _mm512_clmulepi64_epi128::<0x00>(self, other) }
    }

    #[inline(always)]
    unsafe fn high_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract.
        unsafe { _mm512_clmulepi64_epi128::<0x11>(self, other) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: AVX-512 F is enabled.
        unsafe { _mm512_shuffle_epi32::<0b01_00_11_10>(self) }
    }

    #[inline(always)]
    unsafe fn low_as_high(self) -> Self {
        // SAFETY: AVX-512 BW is enabled.
        unsafe { _mm512_bslli_epi128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn high_as_low(self) -> Self {
        // SAFETY: AVX-512 BW is enabled.
        unsafe { _mm512_bsrli_epi128::<8>(self) }
    }

    #[inline(always)]
    unsafe fn reduction() -> Self {
        // SAFETY: AVX-512 F is enabled.
        unsafe { _mm512_set1_epi64(REDUCTION.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        // SAFETY: AVX-512 F is enabled.
        unsafe {
            let (low, high) = (_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            _mm512_zextsi256_si512(_mm256_xor_si256(low, high).total())
        }
    }

    /// Many in assembly.
    #[inline(always)]
    unsafe fn hashed<const INTEGERS: bool>(
        groups: &mut Groups<Self>,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        so_far: Self,
    ) -> Self {
        // SAFETY: the contract; VAES and VPCLMULQDQ are enabled.
        unsafe {
            if count < MANY {
                groups.hashed(powers, text, count, so_far)
            } else {
                gcm_weave::weave::<INTEGERS>(groups, powers, text, count, so_far)
            }
        }
    }
}
