//! SHA-256 with the extension that Arm calls FEAT_SHA256.

use core::arch::aarch64::*;

use crate::arch::compile::interleaved::{Buffers, interleaved_kernels};
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::finish::outer_padding;
use crate::kernels::hash::sha256::K;
use crate::vector::each;

interleaved_kernels! {
    /// SHA-224 and SHA-256 for few buffers.
    SHA256,
    /// SHA-224 and SHA-256 for many buffers.
    wide_sha256 of 4,
    Buffer of u32, "armv8-sha2", "sha2",
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
}

/// One buffer.
struct Buffer {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
    /// The state that the block started from.
    abcd_start: uint32x4_t,
    efgh_start: uint32x4_t,
    words: [uint32x4_t; 4],
}

impl Buffers for Buffer {
    type Word = u32;
    const COUNT: usize = 1;

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn load(states: *const *mut u32) -> Self {
        // SAFETY: `states` is readable for a pointer, which is readable for eight words, by the
        // contract of `load`.
        let (abcd, efgh) = unsafe { (vld1q_u32(*states), vld1q_u32((*states).add(4))) };
        Buffer { abcd, efgh, abcd_start: abcd, efgh_start: efgh, words: [vdupq_n_u32(0); 4] }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: `states` is readable for a pointer, which is writable for eight words, by the
        // contract of `store`.
        unsafe {
            vst1q_u32(*states, self.abcd);
            vst1q_u32((*states).add(4), self.efgh);
        }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: `data` is readable for a pointer, which is readable for a block from `offset` on,
        // by the contract of `begin`.
        unsafe {
            let block = (*data).add(offset);
            self.words =
                each!(i in 4 => vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block.add(16 * i)))));
        }
        (self.abcd_start, self.efgh_start) = (self.abcd, self.efgh);
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn begin_outer<A: Hash<Word = u32>>(&mut self, outer: *const *mut u32) {
        let padding = outer_padding::<A>();
        let mut digest = [self.abcd, self.efgh, vdupq_n_u32(0), vdupq_n_u32(0)];
        if A::DIGEST_LEN == 28 {
            // SHA-224 lacks the last word.
            digest[1] = vsetq_lane_u32::<3>(0, digest[1]);
        }
        // SAFETY: `outer` is readable for a pointer, which is readable for eight words, by the
        // contract of `begin_outer`; the padding has sixteen words.
        unsafe {
            *self = Self::load(outer);
            self.words =
                each!(i in 4 => vorrq_u32(digest[i], vld1q_u32(padding.as_ptr().add(4 * i))));
        }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        if G >= 4 {
            let mixed = vsha256su0q_u32(w[G % 4], w[(G + 1) % 4]);
            w[G % 4] = vsha256su1q_u32(mixed, w[(G + 2) % 4], w[(G + 3) % 4]);
        }
        // SAFETY: K has 64 words, and 4G + 3 < 64.
        let wk = unsafe { vaddq_u32(w[G % 4], vld1q_u32(K.as_ptr().add(4 * G))) };
        let (abcd, efgh) = (self.abcd, self.efgh);
        self.abcd = vsha256hq_u32(abcd, efgh, wk);
        self.efgh = vsha256h2q_u32(efgh, abcd, wk);
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn end(&mut self) {
        self.abcd = vaddq_u32(self.abcd, self.abcd_start);
        self.efgh = vaddq_u32(self.efgh, self.efgh_start);
    }
}
