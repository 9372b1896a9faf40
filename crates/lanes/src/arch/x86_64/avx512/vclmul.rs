//! GHASH by carry-less products on four blocks at once (VPCLMULQDQ on 512-bit registers), and GCM
//! with it and VAES.

use super::gcm_weave::{self, MANY};
use super::{gcm_abreast, gcm_alone};
use crate::arch::compile::gcm_kernel;
use crate::arch::x86_64::avx2::vclmul::VCLMUL;
use crate::arch::x86_64::common::clmul::REVERSED;
use crate::kernels::aes::gcm::field::{Element, REDUCTION};
use crate::kernels::aes::gcm::hash::Field;
use crate::kernels::aes::gcm::hash::{Groups, Text};
use crate::kernels::aes::gcm::key::HashPowers;
use core::arch::x86_64::*;

gcm_kernel!(
    /// VAES and VPCLMULQDQ, four blocks in a register; vectors make the counters of long texts.
    VCLMUL512, "vaes-512", __m512i, "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes,vpclmulqdq",
    abreast, VCLMUL.first_counter
);

/// The same where an operation on a register is two of half the width: integers make the counters
/// of long texts, and most texts of up to [`TOGETHER`] bytes are processed one by one.
pub(crate) static VCLMUL512_HALVES: GcmKernel = GcmKernel { process: halves, ..VCLMUL512 };

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn abreast(messages: &[Message]) {
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `process` has, too.
    unsafe { gcm_abreast::process::<false>(messages, process::<false>) }
}

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn halves(messages: &[Message]) {
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `one_by_one` has, too.
    unsafe { gcm_abreast::process::<true>(messages, one_by_one) }
}

/// The longest text that is faster alone if there are other messages. On AMD Zen 4, one of 64 texts
/// of 1,024 bytes takes 257 cycles of the counter alone and 286 otherwise, and one of 4,000 bytes
/// 869 and 828. A text of 4,000 bytes that has no company takes 856 and 912.
const TOGETHER: usize = 2048;

/// Does what [`GcmKernel::process`] does, with its contract: alone what fits and is faster so.
unsafe fn one_by_one(messages: &[Message]) {
    let (longest, mut done) = (if messages.len() == 1 { usize::MAX } else { TOGETHER }, 0);
    for (at, message) in messages.iter().enumerate() {
        if gcm_alone::fits(message) && message.len <= longest {
            // SAFETY: the messages fulfil the contract of `GcmKernel`, which `process` has, too;
            // this one fits, and those from `done` to `at` are not processed yet.
            unsafe {
                if done < at {
                    process::<true>(&messages[done..at]);
                }
                gcm_alone::process(message);
            }
            done = at + 1;
        }
    }
    if done < messages.len() {
        // SAFETY: the remaining messages fulfil the contract of `GcmKernel`, as `process` asks.
        unsafe { process::<true>(&messages[done..]) };
    }
}

/// Needs AVX-512 F and BW, and VPCLMULQDQ.
impl Field for __m512i {
    const TERNARY: bool = true;

    #[inline(always)]
    unsafe fn reversed(self) -> Self {
        // SAFETY: AVX-512 BW is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(REVERSED)) }
    }

    #[inline(always)]
    unsafe fn elements(from: *const Element) -> Self {
        // SAFETY: `from` is readable for four elements and AVX-512 F is enabled, by the contract of
        // `elements`.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn low_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm512_clmulepi64_epi128::<0x00>(self, other) }
    }

    #[inline(always)]
    unsafe fn high_products(self, other: Self) -> Self {
        // SAFETY: VPCLMULQDQ is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm512_clmulepi64_epi128::<0x11>(self, other) }
    }

    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Field`.
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
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Field`.
        unsafe { _mm512_set1_epi64(REDUCTION.cast_signed()) }
    }

    #[inline(always)]
    unsafe fn total(self) -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Field`.
        unsafe {
            let (low, high) = (_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            _mm512_zextsi256_si512(_mm256_xor_si256(low, high).total())
        }
    }

    /// Hashes many in assembly.
    #[inline(always)]
    unsafe fn hashed<const INTEGERS: bool>(
        groups: &mut Groups<Self>,
        powers: *const HashPowers,
        text: Text,
        count: usize,
        so_far: Self,
    ) -> Self {
        // SAFETY: the arguments fulfil the contract of `Groups::hashed`; VAES and VPCLMULQDQ are
        // enabled, by the contract of `Field`, and `weave` gets at least one group.
        unsafe {
            if count < MANY {
                groups.hashed(powers, text, count, so_far)
            } else {
                gcm_weave::weave::<INTEGERS>(groups, powers, text, count, so_far)
            }
        }
    }
}
