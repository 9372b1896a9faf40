//! SHA-1 with the extension that Arm calls FEAT_SHA1, and compilers count under `sha2`.

use core::arch::aarch64::*;

use crate::arch::compile::interleaved::{Buffers, interleaved_kernels};
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::finish::outer_padding;
use crate::kernels::hash::sha1::K;
use crate::vector::each;

interleaved_kernels! {
    /// SHA-1 for few buffers.
    SHA1,
    /// SHA-1 for many buffers.
    wide_sha1 of 4,
    Buffer of u32, "armv8-sha2", "sha2",
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
}

/// One buffer.
struct Buffer {
    abcd: uint32x4_t,
    e: u32,
    /// The state that the block started from.
    abcd_start: uint32x4_t,
    e_start: u32,
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
        let (abcd, e) = unsafe { (vld1q_u32(*states), *(*states).add(4)) };
        Buffer { abcd, e, abcd_start: abcd, e_start: e, words: [vdupq_n_u32(0); 4] }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn store(self, states: *const *mut u32) {
        // SAFETY: `states` is readable for a pointer, which is writable for eight words, by the
        // contract of `store`.
        unsafe {
            vst1q_u32(*states, self.abcd);
            *(*states).add(4) = self.e;
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
        (self.abcd_start, self.e_start) = (self.abcd, self.e);
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn begin_outer<A: Hash<Word = u32>>(&mut self, outer: *const *mut u32) {
        let mut words = outer_padding::<A>();
        words[4] = self.e;
        // SAFETY: `outer` is readable for a pointer, which is readable for eight words, by the
        // contract of `begin_outer`; the padding has sixteen words.
        unsafe {
            let abcd = self.abcd;
            *self = Self::load(outer);
            self.words = each!(i in 4 => {
                if i == 0 { abcd } else { vld1q_u32(words.as_ptr().add(4 * i)) }
            });
        }
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        if G >= 4 {
            let mixed = vsha1su0q_u32(w[G % 4], w[(G + 1) % 4], w[(G + 2) % 4]);
            w[G % 4] = vsha1su1q_u32(mixed, w[(G + 3) % 4]);
        }
        let wk = vaddq_u32(w[G % 4], vdupq_n_u32(K[G / 5]));
        let next = vsha1h_u32(vgetq_lane_u32::<0>(self.abcd));
        self.abcd = match G / 5 {
            0 => vsha1cq_u32(self.abcd, self.e, wk),
            2 => vsha1mq_u32(self.abcd, self.e, wk),
            _ => vsha1pq_u32(self.abcd, self.e, wk),
        };
        self.e = next;
    }

    #[inline]
    #[target_feature(enable = "sha2")]
    unsafe fn end(&mut self) {
        self.abcd = vaddq_u32(self.abcd, self.abcd_start);
        self.e = self.e.wrapping_add(self.e_start);
    }
}
