//! SHA-512 with the extension that Arm calls FEAT_SHA512, and compilers count under `sha3`.

use core::arch::aarch64::*;

use crate::arch::compile::interleaved::{Buffers, interleaved_kernels};
use crate::kernels::hash::algorithm::Hash;
use crate::kernels::hash::finish::outer_padding;
use crate::kernels::hash::sha512::K;
use crate::vector::each;

interleaved_kernels! {
    /// SHA-384 and SHA-512 for few buffers.
    SHA512,
    /// SHA-384 and SHA-512 for many buffers.
    wide_sha512 of 2,
    Buffer of u64, "armv8-sha512", "sha3",
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
    35 36 37 38 39
}

/// One buffer.
struct Buffer {
    /// *ab*, *cd*, *ef*, *gh* between blocks; within one, the names move on by a register each
    /// group.
    state: [uint64x2_t; 4],
    /// The state that the block started from.
    start: [uint64x2_t; 4],
    words: [uint64x2_t; 8],
}

impl Buffers for Buffer {
    type Word = u64;
    const COUNT: usize = 1;

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn load(states: *const *mut u64) -> Self {
        // SAFETY: `states` is readable for a pointer, which is readable for eight words, by the
        // contract of `load`.
        let state = unsafe { each!(i in 4 => vld1q_u64((*states).add(2 * i))) };
        Buffer { state, start: state, words: [vdupq_n_u64(0); 8] }
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn store(self, states: *const *mut u64) {
        // SAFETY: `states` is readable for a pointer, which is writable for eight words, by the
        // contract of `store`.
        unsafe { each!(i in 4 => vst1q_u64((*states).add(2 * i), self.state[i])) };
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn begin(&mut self, data: *const *const u8, offset: usize) {
        // SAFETY: `data` is readable for a pointer, which is readable for a block from `offset` on,
        // by the contract of `begin`.
        unsafe {
            let block = (*data).add(offset);
            self.words =
                each!(i in 8 => vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(block.add(16 * i)))));
        }
        self.start = self.state;
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn begin_outer<A: Hash<Word = u64>>(&mut self, outer: *const *mut u64) {
        let padding = outer_padding::<A>();
        let digest = self.state;
        // SAFETY: `outer` is readable for a pointer, which is readable for eight words, by the
        // contract of `begin_outer`; the padding has sixteen words.
        unsafe {
            *self = Self::load(outer);
            // SHA-384 lacks the last two words.
            self.words = each!(i in 8 => {
                if i < A::DIGEST_LEN / 16 {
                    digest[i % 4]
                } else {
                    vld1q_u64(padding.as_ptr().add(2 * i))
                }
            });
        }
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn group<const G: usize>(&mut self) {
        let w = &mut self.words;
        if G >= 8 {
            let mixed = vsha512su0q_u64(w[G % 8], w[(G + 1) % 8]);
            let middle = vextq_u64::<1>(w[(G + 4) % 8], w[(G + 5) % 8]);
            w[G % 8] = vsha512su1q_u64(mixed, w[(G + 7) % 8], middle);
        }
        // SAFETY: K has 80 words, and 2G + 1 < 80.
        let wk = unsafe { vaddq_u64(w[G % 8], vld1q_u64(K.as_ptr().add(2 * G))) };
        let s = &mut self.state;
        let [ab, cd, ef, gh] = each!(i in 4 => (40 - G + i) % 4);
        // The second round's sum of h, w and k is in the first place: its h is g.
        let sum = vaddq_u64(s[gh], vextq_u64::<1>(wk, wk));
        let fg = vextq_u64::<1>(s[ef], s[gh]);
        let de = vextq_u64::<1>(s[cd], s[ef]);
        let t1 = vsha512hq_u64(sum, fg, de);
        s[gh] = vsha512h2q_u64(t1, s[cd], s[ab]);
        s[cd] = vaddq_u64(s[cd], t1);
    }

    #[inline]
    #[target_feature(enable = "sha3")]
    unsafe fn end(&mut self) {
        self.state = each!(i in 4 => vaddq_u64(self.state[i], self.start[i]));
    }
}
