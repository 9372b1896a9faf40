//! AES by the ARMv8 instructions.

use core::arch::aarch64::*;
use core::arch::asm;
use core::mem::transmute;

use crate::arch::compile::{
    blocks_kernel, cbc_kernel, cfb_kernel, chain_kernel, ctr_kernel, ofb_lanes_kernel,
};
use crate::kernels::aes::blocks::next_tweak;
use crate::kernels::aes::bytes::{load_bytes, store_bytes};
use crate::kernels::aes::register::{Aes, Decrypt, Lanewise, Wide};

cbc_kernel!(
    /// ARMv8 AES on up to eight lanes.
    NEON, "armv8-aes", uint8x16_t, "aes"
);

ctr_kernel!(
    /// ARMv8 AES, one block in a register.
    CTR, "armv8-aes", 8 of uint8x16_t, "aes", frame: natural
);

blocks_kernel!(
    /// ARMv8 AES, one block in a register.
    BLOCKS, "armv8-aes", 8 of uint8x16_t, "aes", frame: natural
);

cfb_kernel!(
    /// ARMv8 AES on up to eight lanes.
    CFB, "armv8-aes", uint8x16_t, "aes", BLOCKS
);

ofb_lanes_kernel!(
    /// ARMv8 AES on up to eight lanes.
    OFB, "armv8-aes", uint8x16_t, "aes"
);

chain_kernel!(
    /// ARMv8 AES on up to eight lanes.
    CHAIN, "armv8-aes", uint8x16_t, "aes"
);

impl Lanewise for uint8x16_t {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: `from` is readable for a pointer, and that for 16 bytes from `at` on, by the
        // contract of `gather`.
        unsafe { Self::load((*from).add(at)) }
    }
}

/// AESE and AESD add their key first, so a round with key `k` is the step of the *next* key's
/// instruction; the last key is left for a plain XOR.
impl Aes for uint8x16_t {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 bytes at any alignment, by the contract of `Aes`.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn round_key(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 bytes, by the contract of `round_key`, and `load` asks
        // for no more.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: `to` is writable for 16 bytes at any alignment, by the contract of `Aes`.
        unsafe { vst1q_u8(to, self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract of `Aes`.
        unsafe { veorq_u8(self, other) }
    }

    #[inline(always)]
    unsafe fn pin(mut self) -> Self {
        // Changes: nothing; the template is a comment.
        // SAFETY: the template is a comment, so there is no instruction in it.
        unsafe { asm!("/* {0:v} */", inout(vreg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline]
    #[target_feature(enable = "aes")]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: the AES extension is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                _ if step + 1 < rounds => vaesmcq_u8(vaeseq_u8(self, key)),
                _ if step < rounds => vaeseq_u8(self, key),
                _ => self.xor(key),
            }
        }
    }
}

impl Decrypt for uint8x16_t {
    #[inline]
    #[target_feature(enable = "aes")]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: the AES extension is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                _ if step + 1 < rounds => vaesimcq_u8(vaesdq_u8(self, key)),
                _ if step < rounds => vaesdq_u8(self, key),
                _ => self.xor(key),
            }
        }
    }
}

impl Wide for uint8x16_t {
    const BLOCKS: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract of `Aes`.
        unsafe { vdupq_n_u8(0) }
    }

    #[inline(always)]
    unsafe fn from_number(number: u128) -> Self {
        // SAFETY: both are 16 bytes, of any value.
        unsafe { transmute(number) }
    }

    #[inline(always)]
    unsafe fn load_one(from: *const u8) -> Self {
        // SAFETY: the pointer is valid for these bytes, by the contract of `Wide`.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: the pointer is valid for these bytes, by the contract of `Wide`.
        unsafe { Self::from_number(load_bytes(from, len)) }
    }

    #[inline(always)]
    unsafe fn store_one(self, to: *mut u8) {
        // SAFETY: the pointer is valid for these bytes, by the contract of `Wide`.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) {
        // SAFETY: `to` is writable for `len` bytes, by the contract of `store_part`; both types are
        // 16 bytes, of any value.
        unsafe { store_bytes(transmute::<uint8x16_t, u128>(self), to, len) }
    }

    #[inline(always)]
    unsafe fn counters(self) -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract of `Wide`.
        unsafe { vrev32q_u8(self) }
    }

    #[inline(always)]
    unsafe fn count(self, blocks: u32) -> Self {
        // SAFETY: NEON is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            let places = vsetq_lane_u32::<3>(blocks, vdupq_n_u32(0));
            vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(self), places))
        }
    }

    #[inline(always)]
    unsafe fn counter_blocks(self) -> Self {
        // SAFETY: NEON is enabled; the reversal is its own inverse.
        unsafe { self.counters() }
    }

    #[inline(always)]
    unsafe fn next_tweaks(self) -> Self {
        // SAFETY: NEON is enabled; both are 16 bytes, of any value.
        unsafe { Self::from_number(next_tweak(transmute::<uint8x16_t, u128>(self))) }
    }

    #[inline(always)]
    unsafe fn with_block(self, _: usize, block: Self) -> Self {
        block
    }

    #[inline(always)]
    unsafe fn block(self, _: usize) -> Self {
        self
    }
}
