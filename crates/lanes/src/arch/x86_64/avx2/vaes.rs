//! AES by the x86 instructions on two blocks at once (256-bit VAES).

use core::arch::asm;
use core::arch::x86_64::*;

use super::ni;
use crate::arch::compile::{align_frame, blocks_kernel, ctr_kernel};
use crate::arch::x86_64::common::aes::{COUNTER_LAST, TWEAK_BACK, TWEAK_OUT, TWEAK_WHERE};
use crate::kernels::aes::abreast::{self, Abreast, Added, Course, Mode};
use crate::kernels::aes::blocks::pipeline;
use crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::ofb::ofb_kernel;
use crate::kernels::aes::register::{Aes, Decrypt, Wide};

ctr_kernel!(
    /// VAES, two blocks in a register.
    CTR, "vaes-256", 8 of __m256i, "avx2,vaes", frame: aligned
);

blocks_kernel!(
    /// VAES, two blocks in a register.
    BLOCKS, "vaes-256", 8 of __m256i, "avx2,vaes", frame: aligned
);

/// VAES on up to sixteen lanes to encrypt, two in a register, and on two blocks to decrypt.
pub(in crate::arch) static CFB: CbcKernel = CbcKernel {
    name: "vaes-256",
    lanes: MAX_LANES,
    narrow: abreast::narrow::<__m256i>(),
    encrypt: cfb_encrypt,
    decrypt: BLOCKS.cfb_decrypt,
};

ofb_kernel!(
    /// VAES on up to sixteen lanes, two in a register.
    OFB, "vaes-256", MAX_LANES, abreast::narrow::<__m256i>(), ofb_encrypt
);

/// The kernel of CBC, with the lanes of [`CFB`].
pub(in crate::arch) static CBC: CbcKernel = CbcKernel {
    name: "vaes-256",
    lanes: MAX_LANES,
    narrow: abreast::narrow::<__m256i>(),
    encrypt: cbc_encrypt,
    decrypt: cbc_decrypt,
};

pub(in crate::arch) struct Cbc;

impl Course for Cbc {
    const ADDED: Added = Added::Before;
    const STORES: bool = true;
}

impl Mode for Cbc {
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize) {
        // SAFETY: lanes `first..first + n` are as the contract of `Mode` asks, and `n` is 1 to 8;
        // VAES kernels are only chosen for CPUs that have AES-NI.
        unsafe { ni::encrypt_from(set, first, n, blocks) }
    }
}

pub(in crate::arch) struct Cfb;

impl Course for Cfb {
    const ADDED: Added = Added::Behind;
    const STORES: bool = true;
}

impl Mode for Cfb {
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize) {
        // SAFETY: lanes `first..first + n` are as the contract of `Mode` asks, and `n` is 1 to 8;
        // VAES kernels are only chosen for CPUs that have AES-NI.
        unsafe { ni::cfb_encrypt_from(set, first, n, blocks) }
    }
}

pub(in crate::arch) struct Ofb;

impl Course for Ofb {
    const ADDED: Added = Added::Aside;
    const STORES: bool = false;
}

impl Mode for Ofb {
    unsafe fn encrypt_by_ni(set: &mut CbcLaneSet, first: usize, n: usize, blocks: usize) {
        // SAFETY: lanes `first..first + n` are as the contract of `Mode` asks, and `n` is 1 to 8;
        // VAES kernels are only chosen for CPUs that have AES-NI.
        unsafe { ni::ofb_encrypt_from(set, first, n, blocks) }
    }
}

/// Does what [`CbcKernel::encrypt`] does, with its contract.
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn cbc_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Cbc, __m256i>(set, n, blocks) }
}

/// Does what [`CbcKernel::encrypt`] does for CFB, with its contract.
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn cfb_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Cfb, __m256i>(set, n, blocks) }
}

/// Does what [`CbcKernel::encrypt`] does for OFB, with its contract.
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn ofb_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Ofb, __m256i>(set, n, blocks) }
}

/// Does what [`CbcKernel::decrypt`] does, with its contract.
#[target_feature(enable = "avx2,vaes")]
unsafe fn cbc_decrypt(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { pipeline::cbc::<__m256i, 8>(key, iv, src, dst, blocks) }
}

/// Needs AVX2 and VAES.
impl Abreast for __m256i {
    const SPARE: bool = false;
    const WORTH_IT: usize = 5;

    #[inline(always)]
    unsafe fn scatter(self, to: *const *mut u8, at: usize) {
        // SAFETY: `to` is readable for two pointers, each writable for a block from `at` on, by the
        // contract of `scatter`; AVX2 is enabled.
        unsafe {
            _mm256_castsi256_si128(self).store((*to).add(at));
            _mm256_extracti128_si256::<1>(self).store((*to.add(1)).add(at));
        }
    }
}

/// Needs AVX2 and VAES.
impl Aes for __m256i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 32 bytes at any alignment, by the contract of `Aes`; AVX2
        // is enabled.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn round_key(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 aligned bytes, by the contract of `round_key`; AVX2 is
        // enabled.
        unsafe { _mm256_broadcastsi128_si256(_mm_load_si128(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: `to` is writable for 32 bytes at any alignment, by the contract of `Aes`; AVX2 is
        // enabled.
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Aes`.
        unsafe { _mm256_xor_si256(self, other) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn pin(mut self) -> Self {
        // Changes: nothing; the template is a comment.
        // SAFETY: the template is a comment, so there is no instruction in it.
        unsafe { asm!("/* {0} */", inout(ymm_reg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: VAES is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm256_aesenc_epi128(self, key),
                _ => _mm256_aesenclast_epi128(self, key),
            }
        }
    }
}

impl Decrypt for __m256i {
    #[inline(always)]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: VAES is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm256_aesdec_epi128(self, key),
                _ => _mm256_aesdeclast_epi128(self, key),
            }
        }
    }
}

impl Wide for __m256i {
    const BLOCKS: usize = 2;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    unsafe fn from_number(number: u128) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe { _mm256_zextsi128_si256(__m128i::from_number(number)) }
    }

    #[inline(always)]
    unsafe fn load_one(from: *const u8) -> Self {
        // SAFETY: the pointer is valid for these bytes and AVX2 is enabled, by the contract of
        // `Wide`.
        unsafe { _mm256_zextsi128_si256(__m128i::load(from)) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: the pointer is valid for these bytes and AVX2 is enabled, by the contract of
        // `Wide`.
        unsafe {
            if len < 16 {
                return _mm256_zextsi128_si256(__m128i::load_part(from, len));
            }
            let high = __m128i::load_part(from.add(16), len - 16);
            _mm256_set_m128i(high, __m128i::load(from))
        }
    }

    #[inline(always)]
    unsafe fn store_one(self, to: *mut u8) {
        // SAFETY: the pointer is valid for these bytes and AVX2 is enabled, by the contract of
        // `Wide`.
        unsafe { _mm256_castsi256_si128(self).store(to) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) {
        // SAFETY: the pointer is valid for these bytes and AVX2 is enabled, by the contract of
        // `Wide`.
        unsafe {
            let low = _mm256_castsi256_si128(self);
            if len < 16 {
                return low.store_part(to, len);
            }
            low.store(to);
            _mm256_extracti128_si256::<1>(self).store_part(to.add(16), len - 16);
        }
    }

    #[inline(always)]
    unsafe fn counters(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            let first = _mm256_broadcastsi128_si256(_mm256_castsi256_si128(self));
            add(first.counter_blocks(), 0, 1)
        }
    }

    #[inline(always)]
    unsafe fn count(self, blocks: u32) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe { add(self, blocks, blocks) }
    }

    #[inline(always)]
    unsafe fn counter_blocks(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            let places = _mm256_broadcastsi128_si256(COUNTER_LAST);
            _mm256_shuffle_epi8(self, places)
        }
    }

    #[inline(always)]
    unsafe fn next_tweaks(self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            let [out, back, at] = [TWEAK_OUT, TWEAK_BACK, TWEAK_WHERE];
            let out = _mm256_shuffle_epi8(
                _mm256_srli_epi64::<62>(self),
                _mm256_broadcastsi128_si256(out),
            );
            let places = _mm256_or_si256(out, _mm256_broadcastsi128_si256(at));
            let back = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(back), places);
            _mm256_slli_epi64::<2>(self).xor(back)
        }
    }

    #[inline(always)]
    unsafe fn with_block(self, place: usize, block: Self) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            match place {
                0 => _mm256_blend_epi32::<0x0f>(self, block),
                _ => _mm256_inserti128_si256::<1>(self, _mm256_castsi256_si128(block)),
            }
        }
    }

    #[inline(always)]
    unsafe fn block(self, place: usize) -> Self {
        // SAFETY: AVX2 is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            _mm256_zextsi128_si256(match place {
                0 => _mm256_castsi256_si128(self),
                _ => _mm256_extracti128_si256::<1>(self),
            })
        }
    }
}

/// Adds to the counters in the low and the high block.
///
/// # Safety
/// AVX2 is enabled where this is inlined.
#[inline(always)]
unsafe fn add(counters: __m256i, low: u32, high: u32) -> __m256i {
    // SAFETY: AVX2 is enabled where this is inlined, by this function's contract.
    unsafe {
        let (low, high) = (low.cast_signed(), high.cast_signed());
        _mm256_add_epi32(counters, _mm256_set_epi32(high, 0, 0, 0, low, 0, 0, 0))
    }
}
