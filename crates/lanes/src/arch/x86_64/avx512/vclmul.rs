//! GHASH by carry-less products on four blocks at once (VPCLMULQDQ on 512-bit registers), and GCM
//! with it and VAES.

use super::gcm_abreast::{self, Apart};
use super::gcm_alone;
use super::gcm_weave::{self, MANY};
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

/// The same where an operation on a register is two of half the width (AMD Zen 4): integers make
/// the counters of long texts, and most texts of up to [`TOGETHER`] bytes are processed one by one.
pub(crate) static VCLMUL512_HALVES: GcmKernel = GcmKernel { process: halves, ..VCLMUL512 };

/// The same where such an operation is one step of two cycles (AMD Zen 5): texts of middle length
/// are processed one by one, and so are short ones in small company.
pub(crate) static VCLMUL512_WHOLE: GcmKernel = GcmKernel { process: whole, ..VCLMUL512 };

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn abreast(messages: &[Message]) {
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `process` has, too.
    unsafe { gcm_abreast::process(messages, None, process::<false>) }
}

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn halves(messages: &[Message]) {
    const APART: Apart = Apart { alike: [20; 3], near: 8 };
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `one_by_one` has, too.
    unsafe { gcm_abreast::process(messages, Some(APART), one_by_one) }
}

/// Does what [`GcmKernel::process`] does, with its contract.
unsafe fn whole(messages: &[Message]) {
    const APART: Apart = Apart { alike: [0, 4, 32], near: 8 };
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `few_one_by_one` has, too.
    unsafe { gcm_abreast::process(messages, Some(APART), few_one_by_one) }
}

/// The longest text that is faster alone on AMD Zen 4 if there are other messages.
const TOGETHER: usize = 2048;

/// Does what [`GcmKernel::process`] does, with its contract: alone what fits and is faster so on
/// AMD Zen 4.
unsafe fn one_by_one(messages: &[Message]) {
    let longest = if messages.len() == 1 { usize::MAX } else { TOGETHER };
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `process` has, too.
    unsafe { divide(messages, |message| message.len <= longest, process::<true>) }
}

/// The longest text that is faster alone on AMD Zen 5, and how many messages a call has at most if
/// that holds for this very length.
const ALONE: usize = 1024;
const FEW: usize = 4;

/// Does what [`GcmKernel::process`] does, with its contract: alone what fits and is faster so on
/// AMD Zen 5.
///
/// There, to seal one of 64 texts of 512 bytes alone takes 84 % of the time that it takes
/// otherwise. A text of 960 bytes takes 92 %, one of 1,024 bytes 105 %, and one of 2,048 bytes
/// 120 %. If the first group of registers would be a single register, sealing would wait for that
/// register with little else to do, so that such a text goes with the others.
unsafe fn few_one_by_one(messages: &[Message]) {
    let count = messages.len();
    let longest = if count <= FEW { ALONE } else { ALONE - 1 };
    let is_faster = |message: &Message| {
        let waits = message.seals && message.len.div_ceil(64) % 4 == 1;
        message.len <= longest && (count == 1 || !waits)
    };
    // SAFETY: the messages fulfil the contract of `GcmKernel`, which `process` has, too.
    unsafe { divide(messages, is_faster, process::<false>) }
}

/// Processes alone what fits and `is_faster` so, and the rest by `others`.
///
/// # Safety
/// - The contract of [`GcmKernel`], for the messages.
/// - `others` has the same contract.
#[inline(always)]
unsafe fn divide(
    messages: &[Message],
    is_faster: impl Fn(&Message) -> bool,
    others: unsafe fn(&[Message]),
) {
    let mut done = 0;
    for (at, message) in messages.iter().enumerate() {
        if gcm_alone::fits(message) && is_faster(message) {
            // SAFETY: the messages fulfil the contract of `GcmKernel`, by this function's contract;
            // this one fits, and those from `done` to `at` are not processed yet.
            unsafe {
                if done < at {
                    others(&messages[done..at]);
                }
                gcm_alone::process(message);
            }
            done = at + 1;
        }
    }
    if done < messages.len() {
        // SAFETY: the remaining messages fulfil the contract of `GcmKernel`, as `others` asks.
        unsafe { others(&messages[done..]) };
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
