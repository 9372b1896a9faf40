//! SHA-1 with the extension that Arm calls FEAT_SHA1.

use core::arch::aarch64::*;
use core::array;

use super::{groups, single_kernel};
use crate::hash::sha1::K;

single_kernel!(SHA1: u32, "sha2", absorb, "sha2");

/// What one buffer holds while a block is absorbed.
#[derive(Clone, Copy)]
struct Lane {
    abcd: uint32x4_t,
    e: u32,
    words: [uint32x4_t; 4],
}

/// # Safety
/// FEAT_SHA1; the contract of `SingleRun` for each of the N buffers.
#[inline]
#[target_feature(enable = "sha2")]
unsafe fn absorb<const N: usize>(state: [*mut u32; N], data: [*const u8; N], blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for the buffers.
    unsafe {
        let mut abcd: [uint32x4_t; N] = array::from_fn(|n| vld1q_u32(state[n]));
        let mut e: [u32; N] = array::from_fn(|n| *state[n].add(4));
        for block in 0..blocks {
            let mut lanes: [Lane; N] = array::from_fn(|n| {
                let at = data[n].add(64 * block);
                let words =
                    array::from_fn(|i| vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(at.add(16 * i)))));
                Lane { abcd: abcd[n], e: e[n], words }
            });
            groups!(group::<N>(&mut lanes), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], lanes[n].abcd);
                e[n] = e[n].wrapping_add(lanes[n].e);
            }
        }
        for n in 0..N {
            vst1q_u32(state[n], abcd[n]);
            *state[n].add(4) = e[n];
        }
    }
}

/// Rounds 4G to 4G + 3 of every buffer.
#[inline]
#[target_feature(enable = "sha2")]
fn group<const G: usize, const N: usize>(lanes: &mut [Lane; N]) {
    for lane in lanes {
        let w = &mut lane.words;
        if G >= 4 {
            let mixed = vsha1su0q_u32(w[G % 4], w[(G + 1) % 4], w[(G + 2) % 4]);
            w[G % 4] = vsha1su1q_u32(mixed, w[(G + 3) % 4]);
        }
        let wk = vaddq_u32(w[G % 4], vdupq_n_u32(K[G / 5]));
        let next = vsha1h_u32(vgetq_lane_u32::<0>(lane.abcd));
        lane.abcd = match G / 5 {
            0 => vsha1cq_u32(lane.abcd, lane.e, wk),
            2 => vsha1mq_u32(lane.abcd, lane.e, wk),
            _ => vsha1pq_u32(lane.abcd, lane.e, wk),
        };
        lane.e = next;
    }
}
