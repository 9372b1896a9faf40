//! AES by the x86 instructions on four blocks at once (VAES on 512-bit registers).
//!
//! Groups are of four registers: as many blocks as eight of the registers with two have.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::arch::compile::{align_frame, blocks_kernel, ctr_kernel};
use crate::arch::x86_64::avx2::vaes::{Cbc, Cfb, Ofb};
use crate::arch::x86_64::common::aes::COUNTER_LAST;
use crate::kernels::aes::abreast::{self, Abreast};
use crate::kernels::aes::blocks::pipeline;
use crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::ofb::ofb_kernel;
use crate::kernels::aes::register::{Aes, Decrypt, Wide};

/// Bytes of a block. A load under a mask waits until every store before it has left the buffer of
/// stores that wrote near it, even to bytes that the mask leaves out. So a block is loaded and
/// stored without one: short texts often lie side by side.
const BLOCK: usize = 16;

ctr_kernel!(
    /// VAES, four blocks in a register.
    CTR, "vaes-512", 4 of __m512i, "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes",
    frame: natural
);

blocks_kernel!(
    /// VAES, four blocks in a register.
    BLOCKS, "vaes-512", 4 of __m512i, "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes",
    frame: natural
);

/// VAES on up to sixteen lanes to encrypt, four in a register, and on four blocks to decrypt.
pub(in crate::arch) static CFB: CbcKernel = CbcKernel {
    name: "vaes-512",
    lanes: MAX_LANES,
    narrow: abreast::narrow::<__m512i>(),
    encrypt: cfb_encrypt,
    decrypt: BLOCKS.cfb_decrypt,
};

ofb_kernel!(
    /// VAES on up to sixteen lanes, four in a register.
    OFB, "vaes-512", MAX_LANES, abreast::narrow::<__m512i>(), ofb_encrypt
);

/// The same as [`CFB`] for CBC.
pub(in crate::arch) static CBC: CbcKernel = CbcKernel {
    name: "vaes-512",
    lanes: MAX_LANES,
    narrow: abreast::narrow::<__m512i>(),
    encrypt: cbc_encrypt,
    decrypt: cbc_decrypt,
};

/// Does what [`CbcKernel::encrypt`] does, with its contract.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn cbc_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Cbc, __m512i>(set, n, blocks) }
}

/// Does the same for CFB.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn cfb_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Cfb, __m512i>(set, n, blocks) }
}

/// Does the same for OFB.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn ofb_encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { abreast::encrypt::<Ofb, __m512i>(set, n, blocks) }
}

/// Does what [`CbcKernel::decrypt`] does, with its contract.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn cbc_decrypt(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize) {
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { pipeline::cbc::<__m512i, 4>(key, iv, src, dst, blocks) }
}

/// The same as [`CBC`] with groups of eight registers, for CPUs that do an operation on 512 bits in
/// one step of two cycles (AMD Zen 5).
pub(in crate::arch) static CBC_EIGHTS: CbcKernel =
    CbcKernel { narrow: abreast::narrow::<__m512i>(), decrypt: cbc_decrypt_eights, ..CBC };

/// Does what [`CbcKernel::decrypt`] does, with its contract.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn cbc_decrypt_eights(
    key: &AesKey,
    iv: &Block,
    src: *const u8,
    dst: *mut u8,
    blocks: usize,
) {
    // SAFETY: the arguments fulfil the contract of `CbcKernel`, and this function enables the
    // instructions.
    unsafe { pipeline::cbc::<__m512i, 8>(key, iv, src, dst, blocks) }
}

/// Needs AVX-512 F, and VAES.
impl Abreast for __m512i {
    const SPARE: bool = true;
    const WORTH_IT: usize = 3;

    #[inline(always)]
    unsafe fn scatter(self, to: *const *mut u8, at: usize) {
        // SAFETY: `to` is readable for four pointers, each writable for a block from `at` on, by
        // the contract of `scatter`; AVX-512 F is enabled.
        unsafe {
            _mm512_castsi512_si256(self).scatter(to, at);
            _mm512_extracti64x4_epi64::<1>(self).scatter(to.add(2), at);
        }
    }
}

/// Needs AVX-512 F, BW, DQ and VL, and VAES.
impl Aes for __m512i {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 64 bytes at any alignment, by the contract of `Aes`;
        // AVX-512 F is enabled.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn round_key(from: *const u8) -> Self {
        // SAFETY: `from` is readable for 16 aligned bytes, by the contract of `round_key`; AVX-512
        // F is enabled.
        unsafe { _mm512_broadcast_i32x4(_mm_load_si128(from.cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: `to` is writable for 64 bytes at any alignment, by the contract of `Aes`; AVX-512
        // F is enabled.
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Aes`.
        unsafe { _mm512_xor_si512(self, other) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn pin(mut self) -> Self {
        // Changes: nothing; the template is a comment.
        // SAFETY: the template is a comment, so there is no instruction in it.
        unsafe { asm!("/* {0} */", inout(zmm_reg) self, options(nomem, nostack, preserves_flags)) };
        self
    }

    #[inline(always)]
    unsafe fn encrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: VAES is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm512_aesenc_epi128(self, key),
                _ => _mm512_aesenclast_epi128(self, key),
            }
        }
    }
}

impl Decrypt for __m512i {
    #[inline(always)]
    unsafe fn decrypt_step(self, step: usize, rounds: usize, key: Self) -> Self {
        // SAFETY: VAES is enabled where this is inlined, by the contract of `Aes`.
        unsafe {
            match step {
                0 => self.xor(key),
                _ if step < rounds => _mm512_aesdec_epi128(self, key),
                _ => _mm512_aesdeclast_epi128(self, key),
            }
        }
    }
}

impl Wide for __m512i {
    const BLOCKS: usize = 4;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Wide`.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn from_number(number: u128) -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Wide`.
        unsafe { _mm512_zextsi128_si512(__m128i::from_number(number)) }
    }

    #[inline(always)]
    unsafe fn load_one(from: *const u8) -> Self {
        // SAFETY: the pointer is valid for 16 bytes and AVX-512 F is enabled, by the contract of
        // `Wide`.
        unsafe { _mm512_zextsi128_si512(__m128i::load(from)) }
    }

    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: bytes that the mask leaves out are not touched; AVX-512 BW is enabled. A block
        // has 16 bytes.
        unsafe {
            match len {
                BLOCK => Self::load_one(from),
                _ => _mm512_maskz_loadu_epi8(first(len), from.cast()),
            }
        }
    }

    #[inline(always)]
    unsafe fn store_one(self, to: *mut u8) {
        // SAFETY: the pointer is valid for 16 bytes and AVX-512 F is enabled, by the contract of
        // `Wide`.
        unsafe { _mm512_castsi512_si128(self).store(to) }
    }

    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) {
        // SAFETY: bytes that the mask leaves out are not touched; AVX-512 BW is enabled. A block
        // has 16 bytes.
        unsafe {
            match len {
                BLOCK => self.store_one(to),
                _ => _mm512_mask_storeu_epi8(to.cast(), first(len), self),
            }
        }
    }

    #[inline(always)]
    unsafe fn counters(self) -> Self {
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            let first = _mm512_broadcast_i32x4(_mm512_castsi512_si128(self));
            let places = _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);
            _mm512_add_epi32(first.counter_blocks(), places)
        }
    }

    #[inline(always)]
    unsafe fn count(self, blocks: u32) -> Self {
        /// The last word of each block.
        const LAST: __mmask16 = 0x8888;
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Wide`.
        unsafe { _mm512_add_epi32(self, _mm512_maskz_set1_epi32(LAST, blocks.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn counter_blocks(self) -> Self {
        // SAFETY: AVX-512 BW is enabled.
        unsafe { _mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(COUNTER_LAST)) }
    }

    #[inline(always)]
    unsafe fn next_tweaks(self) -> Self {
        /// The low half of each block.
        const LOW: __mmask8 = 0x55;
        /// The sum of three.
        const SUM: i32 = 0x96;
        // SAFETY: AVX-512 F is enabled where this is inlined, by the contract of `Wide`.
        unsafe {
            // The bits that leave one half come into the other; those of the high half do so times
            // `x^7 + x^2 + x + 1`.
            let out = _mm512_srli_epi64::<60>(_mm512_shuffle_epi32::<0b01_00_11_10>(self));
            let back = _mm512_maskz_ternarylogic_epi64::<SUM>(
                LOW,
                _mm512_slli_epi64::<1>(out),
                _mm512_slli_epi64::<2>(out),
                _mm512_slli_epi64::<7>(out),
            );
            _mm512_ternarylogic_epi64::<SUM>(_mm512_slli_epi64::<4>(self), out, back)
        }
    }

    #[inline(always)]
    unsafe fn with_block(self, place: usize, block: Self) -> Self {
        // SAFETY: AVX-512 DQ is enabled.
        unsafe { _mm512_mask_broadcast_i64x2(self, halves(place), _mm512_castsi512_si128(block)) }
    }

    #[inline(always)]
    unsafe fn block(self, place: usize) -> Self {
        /// The numbers of all halves.
        const HALVES: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        // SAFETY: the place has two halves; AVX-512 F is enabled.
        unsafe {
            let from = _mm_loadu_si128(HALVES.as_ptr().add(2 * place).cast());
            _mm512_maskz_permutexvar_epi64(halves(0), _mm512_zextsi128_si512(from), self)
        }
    }

    #[inline(always)]
    unsafe fn predecessors<const N: usize>(before: &mut Self, src: *const u8) -> [Self; N] {
        // SAFETY: `src` is readable for `N` registers by the contract of `predecessors`; AVX-512 F
        // is enabled.
        unsafe {
            let last = _mm512_broadcast_i32x4(_mm512_castsi512_si128(*before));
            let mut x = [behind(last, Self::load(src)); N];
            for (i, x) in x.iter_mut().enumerate().skip(1) {
                *x = Self::load(src.add(64 * i - 16));
            }
            *before = Self::load_one(src.add(64 * N - 16));
            x
        }
    }

    #[inline(always)]
    unsafe fn predecessors_of_part(before: Self, src: *const u8, len: usize) -> Self {
        // SAFETY: `src` is readable for `len` bytes, fewer than a register's, by the contract of
        // `predecessors_of_part`; AVX-512 F is enabled.
        unsafe {
            let before = _mm512_broadcast_i32x4(_mm512_castsi512_si128(before));
            behind(before, Self::load_part(src, len))
        }
    }
}

/// Returns the last block of a register and the first three of another.
///
/// # Safety
/// AVX-512 F is enabled where this is inlined.
#[inline(always)]
unsafe fn behind(before: __m512i, blocks: __m512i) -> __m512i {
    // SAFETY: AVX-512 F is enabled, by this function's contract.
    unsafe { _mm512_alignr_epi64::<6>(blocks, before) }
}

/// Returns the mask of so many first bytes, fewer than 64.
#[inline(always)]
fn first(len: usize) -> __mmask64 {
    !(u64::MAX << len)
}

/// Returns the two halves of a block.
#[inline(always)]
fn halves(place: usize) -> __mmask8 {
    0b11 << (2 * place)
}
