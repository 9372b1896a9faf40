//! AES by the ARMv8 instructions.

use super::pipeline::{Aes, cbc_kernel};
use core::arch::aarch64::*;
use core::arch::asm;

cbc_kernel!(
    /// ARMv8 AES on up to eight lanes.
    NEON, "armv8-aes", uint8x16_t, "aes"
);

/// AESE and AESD add their key first, so a round with key `k` is the step of the *next* key's
/// instruction; the last key is left for a plain XOR.
impl Aes for uint8x16_t {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 16 readable bytes at any alignment, by the contract.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn load_aligned(from: *const u8) -> Self {
        // SAFETY: the contract of `load` is the weaker one.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: 16 writable bytes at any alignment, by the contract.
        unsafe { vst1q_u8(to, self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract.
        unsafe { veorq_u8(self, other) }
    }

    #[inline(always)]
    unsafe fn pin(mut self) -> Self {
        // SAFETY: there is no instruction in it.
        unsafe { asm!("/* {0} */", inout(vreg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: the AES extension is enabled where this is inlined, by the contract.
        unsafe {
            match step {
                _ if step + 1 < rounds => vaesmcq_u8(vaeseq_u8(self, key)),
                _ if step < rounds => vaeseq_u8(self, key),
                _ => self.xor(key),
            }
        }
    }

    #[inline(always)]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: the AES extension is enabled where this is inlined, by the contract.
        unsafe {
            match step {
                _ if step + 1 < rounds => vaesimcq_u8(vaesdq_u8(self, key)),
                _ if step < rounds => vaesdq_u8(self, key),
                _ => self.xor(key),
            }
        }
    }
}
