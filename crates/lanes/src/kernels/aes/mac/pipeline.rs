//! Chains written once over the registers of an instruction set.
//!
//! A round has a latency of a few cycles, and a new round can start in each cycle. So a core
//! interleaves the blocks of several lanes.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use super::ChainSet;
use crate::kernels::aes::key::MAX_ROUNDS;
use crate::kernels::aes::pipeline::step_own;
use crate::kernels::aes::register::{Aes, Lanewise, encrypt, every_step};

/// Absorbs blocks in `N` registers of lanes that all have the key of the first.
///
/// # Safety
/// The contracts of [`ChainKernel`](super::ChainKernel) and of [`Aes`], for all lanes of the
/// registers.
#[inline(always)]
pub(crate) unsafe fn shared<W: Lanewise, const N: usize>(set: &mut ChainSet, blocks: usize) {
    let (key, from, state) = (set.key[0], set.src.as_ptr(), set.state.as_mut_ptr());
    // SAFETY: by the contract of `ChainKernel` the lanes have `blocks` blocks at `from` and a valid
    // key, and the registers hold no more lanes than the set has states; the instructions are
    // enabled.
    unsafe {
        let mut x = [W::load(state.cast()); N];
        for i in 1..N {
            x[i] = W::load(state.add(i * W::LANES).cast());
        }
        for block in 0..blocks {
            for i in 0..N {
                x[i] = x[i].xor(W::gather(from.add(i * W::LANES), block * 16)).pin();
            }
            encrypt(key, &mut x, &mut ());
        }
        for i in 0..N {
            x[i].store(state.add(i * W::LANES).cast());
        }
    }
}

/// Absorbs blocks in `N` lanes from `first` on, each with its own key.
///
/// # Safety
/// The contracts of [`ChainKernel`](super::ChainKernel) and of [`Aes`], for lanes `first..first +
/// N`.
#[inline(always)]
pub(crate) unsafe fn own<A: Aes, const N: usize>(set: &mut ChainSet, first: usize, blocks: usize) {
    // SAFETY: by the contract of `ChainKernel` these lanes have valid keys with one number of
    // rounds, and `blocks` blocks at `from`; the set has a state for each; the instructions are
    // enabled.
    unsafe {
        let (keys, from) = (set.key.as_ptr().add(first), set.src.as_ptr().add(first));
        let state = set.state.as_mut_ptr().add(first);
        let rounds = (**keys).rounds();
        let mut x = [A::load(state.cast()); N];
        for i in 1..N {
            x[i] = A::load(state.add(i).cast());
        }
        for block in 0..blocks {
            for i in 0..N {
                x[i] = x[i].xor(A::load((*from.add(i)).add(block * 16))).pin();
            }
            every_step!(rounds, STEP, at => {
                step_own(&mut x, keys, STEP, at, MAX_ROUNDS);
            });
        }
        for i in 0..N {
            x[i].store(state.add(i).cast());
        }
    }
}

/// Calls a function with the number of lanes as a constant: 1 to 8.
macro_rules! with_lanes {
    ($n:expr, $N:ident => $call:expr) => {
        match $n {
            1 => {
                const $N: usize = 1;
                $call
            }
            2 => {
                const $N: usize = 2;
                $call
            }
            3 => {
                const $N: usize = 3;
                $call
            }
            4 => {
                const $N: usize = 4;
                $call
            }
            5 => {
                const $N: usize = 5;
                $call
            }
            6 => {
                const $N: usize = 6;
                $call
            }
            7 => {
                const $N: usize = 7;
                $call
            }
            _ => {
                const $N: usize = 8;
                $call
            }
        }
    };
}
pub(crate) use with_lanes;
