//! SHA-256 with the extension that Arm calls FEAT_SHA256.

use core::arch::aarch64::*;
use core::array;

use super::{groups, single_kernel};
use crate::hash::sha256::K;

single_kernel!(SHA256: u32, "sha2", absorb, "sha2");

/// What one buffer holds while a block is absorbed.
#[derive(Clone, Copy)]
struct Lane {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
    words: [uint32x4_t; 4],
}

/// # Safety
/// FEAT_SHA256; the contract of `SingleRun` for each of the N buffers.
#[inline]
#[target_feature(enable = "sha2")]
unsafe fn absorb<const N: usize>(state: [*mut u32; N], data: [*const u8; N], blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let mut abcd: [uint32x4_t; N] = array::from_fn(|n| vld1q_u32(state[n]));
        let mut efgh: [uint32x4_t; N] = array::from_fn(|n| vld1q_u32(state[n].add(4)));
        for block in 0..blocks {
            let mut lanes: [Lane; N] = array::from_fn(|n| {
                let at = data[n].add(64 * block);
                let words =
                    array::from_fn(|i| vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(at.add(16 * i)))));
                Lane { abcd: abcd[n], efgh: efgh[n], words }
            });
            groups!(group::<N>(&mut lanes), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], lanes[n].abcd);
                efgh[n] = vaddq_u32(efgh[n], lanes[n].efgh);
            }
        }
        for n in 0..N {
            vst1q_u32(state[n], abcd[n]);
            vst1q_u32(state[n].add(4), efgh[n]);
        }
    }
}

/// Rounds 4G to 4G + 3 of every buffer.
///
/// # Safety
/// FEAT_SHA256.
#[inline]
#[target_feature(enable = "sha2")]
unsafe fn group<const G: usize, const N: usize>(lanes: &mut [Lane; N]) {
    for lane in lanes {
        // SAFETY: the caller vouches for the instructions; K has 64 words, 4G + 3 < 64.
        unsafe {
            let w = &mut lane.words;
            if G >= 4 {
                let mixed = vsha256su0q_u32(w[G % 4], w[(G + 1) % 4]);
                w[G % 4] = vsha256su1q_u32(mixed, w[(G + 2) % 4], w[(G + 3) % 4]);
            }
            let wk = vaddq_u32(w[G % 4], vld1q_u32(K.as_ptr().add(4 * G)));
            let (abcd, efgh) = (lane.abcd, lane.efgh);
            lane.abcd = vsha256hq_u32(abcd, efgh, wk);
            lane.efgh = vsha256h2q_u32(efgh, abcd, wk);
        }
    }
}
