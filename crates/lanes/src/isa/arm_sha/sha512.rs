//! SHA-512 with the extension that Arm calls FEAT_SHA512, and compilers `sha3`.

use core::arch::aarch64::*;
use core::array;

use super::{groups, single_kernel};
use crate::hash::sha512::K;

single_kernel!(SHA512: u64, "sha512", absorb, "sha3");

/// What one buffer holds while a block is absorbed.
#[derive(Clone, Copy)]
struct Lane {
    /// Two working variables to a register; their names move on by one register each group.
    state: [uint64x2_t; 4],
    words: [uint64x2_t; 8],
}

/// # Safety
/// FEAT_SHA512; the contract of `SingleRun` for each of the N buffers.
#[inline]
#[target_feature(enable = "sha3")]
unsafe fn absorb<const N: usize>(state: [*mut u64; N], data: [*const u8; N], blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let mut sums: [[uint64x2_t; 4]; N] =
            array::from_fn(|n| array::from_fn(|i| vld1q_u64(state[n].add(2 * i))));
        for block in 0..blocks {
            let mut lanes: [Lane; N] = array::from_fn(|n| {
                let at = data[n].add(128 * block);
                let words =
                    array::from_fn(|i| vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(at.add(16 * i)))));
                Lane { state: sums[n], words }
            });
            groups!(group::<N>(&mut lanes), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
                20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
            for n in 0..N {
                sums[n] = array::from_fn(|i| vaddq_u64(sums[n][i], lanes[n].state[i]));
            }
        }
        for n in 0..N {
            for (i, sum) in sums[n].into_iter().enumerate() {
                vst1q_u64(state[n].add(2 * i), sum);
            }
        }
    }
}

/// Rounds 2G and 2G + 1 of every buffer.
///
/// # Safety
/// FEAT_SHA512.
#[inline]
#[target_feature(enable = "sha3")]
unsafe fn group<const G: usize, const N: usize>(lanes: &mut [Lane; N]) {
    let [ab, cd, ef, gh] = [0, 1, 2, 3].map(|i| (i + 40 - G) % 4);
    for lane in lanes {
        // SAFETY: the caller vouches for the instructions; K has 80 words, 2G + 1 < 80.
        unsafe {
            let w = &mut lane.words;
            if G >= 8 {
                let mixed = vsha512su0q_u64(w[G % 8], w[(G + 1) % 8]);
                let middle = vextq_u64::<1>(w[(G + 4) % 8], w[(G + 5) % 8]);
                w[G % 8] = vsha512su1q_u64(mixed, w[(G + 7) % 8], middle);
            }
            let s = &mut lane.state;
            let wk = vaddq_u64(w[G % 8], vld1q_u64(K.as_ptr().add(2 * G)));
            // The instruction takes the second round's h, w and k first.
            let sum = vaddq_u64(s[gh], vextq_u64::<1>(wk, wk));
            let fg = vextq_u64::<1>(s[ef], s[gh]);
            let de = vextq_u64::<1>(s[cd], s[ef]);
            let t1 = vsha512hq_u64(sum, fg, de);
            let new_ab = vsha512h2q_u64(t1, s[cd], s[ab]);
            s[cd] = vaddq_u64(s[cd], t1);
            s[gh] = new_ab;
        }
    }
}
