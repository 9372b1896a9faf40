//! CFB in constant time on plain integers: four lanes to encrypt.

use zeroize::Zeroize;

use crate::kernels::aes::blocks;
use crate::kernels::aes::cbc::{CbcKernel, CbcLaneSet, Narrow};
use crate::kernels::aes::key::{AesKey, Block};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH, xor};

/// Constant-time AES on plain integers, for any CPU.
pub(crate) static SOFT: CbcKernel = CbcKernel {
    name: "bitsliced",
    lanes: WIDTH,
    narrow: Narrow::NEVER,
    encrypt,
    decrypt: blocks::soft::SOFT.cfb_decrypt,
};

/// Does what [`CbcKernel::encrypt`] does, with its contract.
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
        for (lane, state) in state.iter_mut().enumerate().take(n) {
            // SAFETY: every lane's `src` is readable and its `dst` writable for `blocks` blocks, by
            // the contract of `CbcKernel`.
            unsafe {
                xor(state, &set.src[lane].cast::<Block>().add(block).read());
                set.dst[lane].cast::<Block>().add(block).write(*state);
            }
        }
    }
    set.state[..n].copy_from_slice(&state[..n]);
    state.zeroize();
}
