//! AES by the x86 instructions (AES-NI).

use super::pipeline::{Aes, cbc_kernel};
use core::arch::asm;
use core::arch::x86_64::*;

cbc_kernel!(
    /// AES-NI on up to eight lanes.
    AESNI, "aes-ni", __m128i, "aes"
);

impl Aes for __m128i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 16 readable bytes at any alignment, by the contract.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load_aligned(from: *const u8) -> Self {
        // SAFETY: 16 readable, aligned bytes, by the contract.
        unsafe { _mm_load_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: 16 writable bytes at any alignment, by the contract.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_xor_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn pin(mut self) -> Self {
        // SAFETY: there is no instruction in it.
        unsafe { asm!("/* {0} */", inout(xmm_reg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: AES-NI is enabled where this is inlined, by the contract.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm_aesenc_si128(self, key),
                _ => _mm_aesenclast_si128(self, key),
            }
        }
    }

    #[inline(always)]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: AES-NI is enabled where this is inlined, by the contract.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm_aesdec_si128(self, key),
                _ => _mm_aesdeclast_si128(self, key),
            }
        }
    }
}

/// SubWord (FIPS 197, 5.2): the S-box on each byte of a word of the key expansion.
#[target_feature(enable = "aes")]
pub(super) fn sub_word(word: u32) -> u32 {
    let x = _mm_aeskeygenassist_si128::<0>(_mm_set1_epi32(word.cast_signed()));
    _mm_cvtsi128_si32(x).cast_unsigned()
}
