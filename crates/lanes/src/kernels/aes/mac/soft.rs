//! Chains in constant time on plain integers: four lanes.

use super::{ChainKernel, ChainSet};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH, xor};
use zeroize::Zeroize;

/// Constant-time AES on plain integers, for any CPU.
pub(crate) static SOFT: ChainKernel = ChainKernel { name: "bitsliced", lanes: WIDTH, absorb };

/// Does what [`ChainKernel::absorb`] does, with its contract.
unsafe fn absorb(set: &mut ChainSet, n: usize, blocks: usize) {
    let keys: [&AesKey; WIDTH] = core::array::from_fn(|lane| {
        // SAFETY: lanes `0..n` have valid keys, by the contract of `ChainKernel`; a lane beyond
        // them borrows the first's.
        unsafe { &*set.key[if lane < n { lane } else { 0 }] }
    });
    let cipher = SlicedCipher::of_lanes(keys);
    let mut state = [[0; 16]; WIDTH];
    state[..n].copy_from_slice(&set.state[..n]);
    for block in 0..blocks {
        for (lane, state) in state.iter_mut().enumerate().take(n) {
            // SAFETY: every lane's `src` is readable for `blocks` blocks, by the contract of
            // `ChainKernel`.
            xor(state, &unsafe { set.src[lane].add(16 * block).cast::<Block>().read() });
        }
        cipher.encrypt(&mut state);
    }
    set.state[..n].copy_from_slice(&state[..n]);
    state.zeroize();
}
