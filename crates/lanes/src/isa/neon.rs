//! NEON: four 32-bit lanes, or two 64-bit lanes.
//!
//! Only MD5 runs on two vectors interleaved ([`Pair`]). Its step is a chain of five instructions, ten
//! cycles on cores where each takes two (Arm's optimisation guides for Neoverse N1, N2 and V1), with
//! eight to issue; one vector would leave even a core with two vector pipes half idle. A SHA-1 round
//! issues 15 behind a chain of six cycles, a round of SHA-256 or SHA-512 some 40 behind one of twelve:
//! two pipes are full with one vector, and the 42 or 48 registers of a pair would not fit in 32.

use core::arch::aarch64::*;
use core::array;

use crate::hash::{Hash, HashKernel, kernel};
use crate::vector::{Pair, Vector};

/// Four 32-bit lanes in one register. Uses NEON.
#[derive(Clone, Copy)]
struct U32x4(uint32x4_t);

/// Two 64-bit lanes in one register. Uses NEON.
#[derive(Clone, Copy)]
struct U64x2(uint64x2_t);

macro_rules! lane_wise {
    (
        $add:ident, $xor:ident, $and:ident, $or:ident, $clear:ident, $not:ident, $select:ident,
        $shift:ident
    ) => {
        #[inline(always)]
        fn add(self, o: Self) -> Self {
            // SAFETY: `self` is proof of NEON (see Vector).
            Self(unsafe { $add(self.0, o.0) })
        }
        #[inline(always)]
        fn xor(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $xor(self.0, o.0) })
        }
        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $and(self.0, o.0) })
        }
        #[inline(always)]
        fn or(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $or(self.0, o.0) })
        }
        #[inline(always)]
        fn and_not(self, o: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $clear(o.0, self.0) })
        }
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $not(self.0) })
        }
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $shift::<N>(self.0) })
        }
        #[inline(always)]
        fn choose(self, b: Self, c: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $select(self.0, b.0, c.0) })
        }
        /// Where `self` and `b` differ, `c` decides.
        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            self.xor(b).choose(c, b)
        }
    };
}

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Vector for U32x4 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the caller vouches for NEON.
        Self(unsafe { vdupq_n_u32(word) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> Self {
        // SAFETY: the caller vouches for NEON and for four words.
        Self(unsafe { vld1q_u32(words) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: the caller vouches for four words.
        unsafe { vst1q_u32(words, self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(lanes: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: the caller vouches for NEON, four pointers, and 64 bytes behind each.
        let quarters: [[uint32x4_t; 4]; 4] = unsafe {
            array::from_fn(|q| {
                transpose4(array::from_fn(|l| {
                    let bytes = vld1q_u8((*lanes.add(l)).add(offset + 16 * q));
                    vreinterpretq_u32_u8(if BIG_ENDIAN { vrev32q_u8(bytes) } else { bytes })
                }))
            })
        };
        array::from_fn(|i| Self(quarters[i / 4][i % 4]))
    }
    lane_wise!(vaddq_u32, veorq_u32, vandq_u32, vorrq_u32, vbicq_u32, vmvnq_u32, vbslq_u32, vshrq_n_u32);
    /// By half a word it is a permutation; otherwise a shift, and another that inserts.
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of NEON (see Vector).
        Self(unsafe {
            if N == 16 {
                vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0)))
            } else {
                let left = vshlq_u32(self.0, vdupq_n_s32(32 - N));
                vsriq_n_u32::<N>(left, self.0)
            }
        })
    }
}

// SAFETY: NEON instructions only; every method is `inline(always)`.
unsafe impl Vector for U64x2 {
    type Word = u64;
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller vouches for NEON.
        Self(unsafe { vdupq_n_u64(word) })
    }
    #[inline(always)]
    unsafe fn load(words: *const u64) -> Self {
        // SAFETY: the caller vouches for NEON and for two words.
        Self(unsafe { vld1q_u64(words) })
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u64) {
        // SAFETY: the caller vouches for two words.
        unsafe { vst1q_u64(words, self.0) }
    }
    #[inline(always)]
    unsafe fn load_block<const BIG_ENDIAN: bool>(lanes: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: the caller vouches for NEON, two pointers, and 128 bytes behind each.
        let eighths: [[uint64x2_t; 2]; 8] = unsafe {
            array::from_fn(|e| {
                let [a, b] = array::from_fn(|l| {
                    let bytes = vld1q_u8((*lanes.add(l)).add(offset + 16 * e));
                    vreinterpretq_u64_u8(if BIG_ENDIAN { vrev64q_u8(bytes) } else { bytes })
                });
                [vtrn1q_u64(a, b), vtrn2q_u64(a, b)]
            })
        };
        array::from_fn(|i| Self(eighths[i / 2][i % 2]))
    }
    lane_wise!(vaddq_u64, veorq_u64, vandq_u64, vorrq_u64, vbicq_u64, not_u64, vbslq_u64, vshrq_n_u64);
    /// By a byte it is a permutation; otherwise a shift, and another that inserts.
    #[inline(always)]
    fn rotate_right<const N: i32>(self) -> Self {
        // SAFETY: `self` is proof of NEON (see Vector); the table has sixteen bytes.
        Self(unsafe {
            if N == 8 {
                let table = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8];
                let bytes = vreinterpretq_u8_u64(self.0);
                vreinterpretq_u64_u8(vqtbl1q_u8(bytes, vld1q_u8(table.as_ptr())))
            } else {
                let left = vshlq_u64(self.0, vdupq_n_s64(64 - i64::from(N)));
                vsriq_n_u64::<N>(left, self.0)
            }
        })
    }
}

/// The complement, for which NEON has no name at this width.
///
/// # Safety
/// NEON.
#[inline(always)]
unsafe fn not_u64(v: uint64x2_t) -> uint64x2_t {
    // SAFETY: the caller vouches for NEON.
    unsafe { vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(v))) }
}

/// Four rows of four 32-bit words, turned into columns.
///
/// # Safety
/// NEON.
#[inline(always)]
unsafe fn transpose4(r: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
    // SAFETY: the caller vouches for NEON.
    unsafe {
        let pairs = |x, y| {
            let (even, odd) = (vtrn1q_u32(x, y), vtrn2q_u32(x, y));
            [vreinterpretq_u64_u32(even), vreinterpretq_u64_u32(odd)]
        };
        let (top, bottom) = (pairs(r[0], r[1]), pairs(r[2], r[3]));
        array::from_fn(|i| {
            let (x, y) = (top[i % 2], bottom[i % 2]);
            vreinterpretq_u32_u64(if i < 2 { vtrn1q_u64(x, y) } else { vtrn2q_u64(x, y) })
        })
    }
}

crate::isa::wide_kernels!("neon", ["neon"], U32x4, U64x2);

/// Where the CPU has SHA instructions, the managers do not come by these kernels: hence tests of their
/// own, against the kernel for plain integers.
#[cfg(test)]
mod tests {
    use core::ptr;
    use std::vec::Vec;

    use super::{kernel32, kernel64};
    use crate::hash::{Hash, HashKernel, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
    use crate::vector::Word;

    const BLOCKS: usize = 3;

    /// Bytes without a pattern that a lost or swapped lane would keep (xorshift64, Marsaglia 2003).
    fn noise(seed: u64, len: usize) -> Vec<u8> {
        let mut state = seed * 2 + 1;
        let next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        core::iter::repeat_with(next).take(len).collect()
    }

    fn noise_words<W: Word>(seed: u64) -> [W; 8] {
        let bytes = noise(seed, 64);
        core::array::from_fn(|i| {
            let word = bytes[8 * i..8 * i + 8].try_into().expect("eight bytes");
            W::truncate(u64::from_le_bytes(word))
        })
    }

    fn rows<W: Word>(states: &[[W; 8]]) -> Vec<W> {
        (0..8).flat_map(|word| states.iter().map(move |state| state[word])).collect()
    }

    fn check<A: Hash>(kernel: &HashKernel<A::Word>) {
        let plain = A::plain();
        let starts: Vec<_> = (0..kernel.lanes as u64).map(noise_words::<A::Word>).collect();
        let outers: Vec<_> = (0..kernel.lanes as u64).map(|l| noise_words::<A::Word>(l + 50)).collect();
        let messages: Vec<_> = (0..kernel.lanes)
            .map(|lane| noise(lane as u64 + 99, lane + BLOCKS * A::BLOCK_LEN))
            .collect();
        // A different alignment for every lane.
        let blocks: Vec<_> = messages.iter().enumerate().map(|(lane, m)| &m[lane..]).collect();
        let data: Vec<_> = blocks.iter().map(|b| b.as_ptr()).collect();

        let mut state = rows(&starts);
        // SAFETY: this CPU has NEON; there are `lanes` states and pointers, BLOCKS blocks behind each.
        unsafe { (kernel.run)(state.as_mut_ptr(), data.as_ptr(), BLOCKS) };
        let mut expected = starts;
        for (state, blocks) in expected.iter_mut().zip(blocks) {
            plain.absorb(state, blocks);
        }
        let used = A::STATE_WORDS * kernel.lanes;
        assert_eq!(state[..used], rows(&expected)[..used], "{}", A::NAME);

        // SAFETY: this CPU has NEON; both hold `lanes` states.
        unsafe { (kernel.outer)(state.as_mut_ptr(), rows(&outers).as_ptr()) };
        for (inner, outer) in expected.iter_mut().zip(outers) {
            let mut end = crate::hash::tail::Tail::EMPTY;
            let mut digest = A::ZERO_DIGEST;
            let total = (A::BLOCK_LEN + A::DIGEST_LEN) as u64;
            // SAFETY: the digest is DIGEST_LEN bytes, and with its padding one block.
            let block = unsafe {
                crate::hash::write_digest::<A>(inner, ptr::from_mut(&mut digest).cast());
                let block = end.build::<A>(ptr::from_ref(&digest).cast(), A::DIGEST_LEN, total);
                core::slice::from_raw_parts(block, A::BLOCK_LEN)
            };
            *inner = outer;
            plain.absorb(inner, block);
        }
        assert_eq!(state[..used], rows(&expected)[..used], "HMAC's outer {}", A::NAME);
    }

    #[test]
    fn every_lane_is_what_plain_integers_give() {
        check::<Md5>(&kernel32::<Md5>());
        check::<Sha1>(&kernel32::<Sha1>());
        check::<Sha224>(&kernel32::<Sha224>());
        check::<Sha256>(&kernel32::<Sha256>());
        check::<Sha384>(&kernel64::<Sha384>());
        check::<Sha512>(&kernel64::<Sha512>());
    }
}
