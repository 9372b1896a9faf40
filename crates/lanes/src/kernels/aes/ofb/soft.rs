//! OFB in constant time on plain integers: four lanes.

use zeroize::Zeroize;

use super::ofb_kernel;
use crate::kernels::aes::cbc::{CbcLaneSet, Narrow};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH, xor};

ofb_kernel!(
    /// Constant-time AES on plain integers, for any CPU.
    SOFT, "bitsliced", WIDTH, Narrow::NEVER, encrypt
);

/// Does what [`CbcKernel::encrypt`](crate::kernels::aes::cbc::CbcKernel) does, with its contract.
unsafe fn encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
    assert!((1..=WIDTH).contains(&n), "1 to {WIDTH} lanes, not {n}");
    if blocks == 0 {
        return;
    }
    let keys: [&AesKey; WIDTH] = core::array::from_fn(|lane| {
        // SAFETY: lanes `0..n` have valid keys, by the contract of `CbcKernel`; a lane beyond them
        // borrows the first's.
        unsafe { &*set.key[if lane < n { lane } else { 0 }] }
    });
    let cipher = SlicedCipher::of_lanes(keys);
    let mut state = [[0; 16]; WIDTH];
    state[..n].copy_from_slice(&set.state[..n]);
    for block in 0..blocks {
        cipher.encrypt(&mut state);
        for (lane, state) in state.iter().enumerate().take(n) {
            // SAFETY: every lane's `src` is readable and its `dst` writable for `blocks` blocks, by
            // the contract of `CbcKernel`.
            unsafe {
                let mut text = set.src[lane].cast::<Block>().add(block).read();
                xor(&mut text, state);
                set.dst[lane].cast::<Block>().add(block).write(text);
            }
        }
    }
    set.state[..n].copy_from_slice(&state[..n]);
    state.zeroize();
}
