//! One block of AES in a register, with the x86 instructions for a round (AES-NI).

use core::arch::asm;
use core::arch::x86_64::*;

use crate::kernels::aes::bytes::{load_bytes, store_bytes};
use crate::kernels::aes::register::{Aes, Decrypt, Lanewise, Wide};

impl Lanewise for __m128i {
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: `from` is readable for a pointer, and that for 16 bytes from `at` on, by the
        // contract of `gather`.
        unsafe { Self::load((*from).add(at)) }
    }
}

impl Aes for __m128i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 bytes at any alignment, by the contract of `Aes`.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn round_key(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 aligned bytes, by the contract of `round_key`.
        unsafe { _mm_load_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: `to` is writable for 16 bytes at any alignment, by the contract of `Aes`.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_xor_si128(self, other) }
    }

    #[inline(always)]
    unsafe fn pin(mut self) -> Self {
        // Changes: nothing; the template is a comment.
        // SAFETY: the template is a comment, so there is no instruction in it.
        unsafe { asm!("/* {0} */", inout(xmm_reg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: AES-NI is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm_aesenc_si128(self, key),
                _ => _mm_aesenclast_si128(self, key),
            }
        }
    }
}

impl Decrypt for __m128i {
    #[inline(always)]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: AES-NI is enabled where this is inlined, by the contract of `Decrypt`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm_aesdec_si128(self, key),
                _ => _mm_aesdeclast_si128(self, key),
            }
        }
    }
}

/// The methods also need SSE4.1.
impl Wide for __m128i {
    const BLOCKS: usize = 1;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_setzero_si128() }
    }

    #[inline(always)]
    unsafe fn from_number(number: u128) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
    }

    #[inline(always)]
    unsafe fn load_one(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 bytes, by the contract of `load_one`.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: `from` is readable for `len` bytes, fewer than 16, by the contract of
        // `load_part`.
        unsafe { Self::from_number(load_bytes(from, len)) }
    }

    #[inline(always)]
    unsafe fn store_one(self, to: *mut u8) {
        // SAFETY: `to` is writable for 16 bytes, by the contract of `store_one`.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) {
        // SAFETY: `to` is writable for `len` bytes, fewer than 16, by the contract of `store_part`;
        // SSE4.1 is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            let (low, high) = (_mm_cvtsi128_si64(self), _mm_extract_epi64::<1>(self));
            let bytes = u128::from(high.cast_unsigned()) << 64 | u128::from(low.cast_unsigned());
            store_bytes(bytes, to, len);
        }
    }

    #[inline(always)]
    unsafe fn counters(self) -> Self {
        // SAFETY: SSSE3, a part of SSE4.1, is enabled where this is inlined, by the contract of
        // `Aes`.
        unsafe { _mm_shuffle_epi8(self, COUNTER_LAST) }
    }

    #[inline(always)]
    unsafe fn count(self, blocks: u32) -> Self {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_add_epi32(self, _mm_set_epi32(blocks.cast_signed(), 0, 0, 0)) }
    }

    #[inline(always)]
    unsafe fn counter_blocks(self) -> Self {
        // SAFETY: SSE4.1 is enabled, by the contract of `Aes`; the shuffle is its own inverse.
        unsafe { self.counters() }
    }

    #[inline(always)]
    unsafe fn next_tweaks(self) -> Self {
        // SAFETY: SSE4.1 is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            let out = _mm_shuffle_epi8(_mm_srli_epi64::<63>(self), TWEAK_OUT);
            let back = _mm_shuffle_epi8(TWEAK_BACK, _mm_or_si128(out, TWEAK_WHERE));
            _mm_slli_epi64::<1>(self).xor(back)
        }
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

/// Turns the last four bytes round.
pub(in crate::arch) const COUNTER_LAST: __m128i =
    shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 14, 13, 12]);

/// Where the bits that leave the halves of a tweak come back in: those of the high half in two
/// bytes at the start, since they do so times `x^7 + x^2 + x + 1`; those of the low half above it.
pub(in crate::arch) const TWEAK_OUT: __m128i =
    shuffle([8, 8, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255]);

/// The part of the table that each of those bytes is looked up in; the others become zero.
pub(in crate::arch) const TWEAK_WHERE: __m128i =
    shuffle([0, 4, 255, 255, 255, 255, 255, 255, 8, 255, 255, 255, 255, 255, 255, 255]);

/// The low bytes and the high bytes of the multiples of that polynomial, and the numbers
/// themselves: for up to two bits.
pub(in crate::arch) const TWEAK_BACK: __m128i =
    shuffle([0, 0x87, 0x0e, 0x89, 0, 0, 1, 1, 0, 1, 2, 3, 0, 0, 0, 0]);

/// Returns the operand of a byte shuffle.
pub(in crate::arch) const fn shuffle(places: [u8; 16]) -> __m128i {
    // SAFETY: any bytes make a vector.
    unsafe { core::mem::transmute(places) }
}

/// Applies SubWord (FIPS 197, 5.2): the S-box on each byte of a word of the key expansion.
#[target_feature(enable = "aes")]
pub(in crate::arch) fn sub_word(word: u32) -> u32 {
    let x = _mm_aeskeygenassist_si128::<0>(_mm_set1_epi32(word.cast_signed()));
    _mm_cvtsi128_si32(x).cast_unsigned()
}
