//! CFB's encryption written once over an instruction set's AES round.
//!
//! It is serial in one buffer, as CBC's is, so a core needs the blocks of other lanes in hand.

use crate::aes::cbc::{CbcLaneSet, MAX_LANES};
use crate::aes::key::MAX_ROUNDS;
use crate::aes::register::{Aes, round_key, unroll};

/// Encrypts `blocks` blocks in each of lanes `0..N`, every lane with its own key.
///
/// # Safety
/// The contracts of [`CbcKernel`](crate::aes::cbc::CbcKernel) and [`Aes`], but that lanes may be the same.
#[inline(always)]
pub(in crate::aes) unsafe fn encrypt<A: Aes, const N: usize>(set: &mut CbcLaneSet, blocks: usize) {
    /// Steps beyond the first that keys of all lengths have in common.
    const COMMON: usize = 8;
    let CbcLaneSet { key: keys, src, dst, state } = set;
    // SAFETY: the caller's promises: lanes 0..N have valid keys with as many rounds, and buffers of `blocks`
    // blocks, of which one is touched at a time: in all lanes it is read before any is written to.
    unsafe {
        let rounds = (*keys[0]).rounds();
        let mut x = [A::load(state[0].as_ptr()); N];
        for lane in 1..N {
            x[lane] = A::load(state[lane].as_ptr());
        }
        for block in 0..blocks {
            macro_rules! step {
                ($step:expr, $at:expr) => {
                    for lane in 0..N {
                        let key = round_key(keys[lane], $at);
                        x[lane] = x[lane].encrypt_step($step, MAX_ROUNDS, key).pin();
                    }
                };
            }
            step!(0, 0);
            unroll!(STEP in 1..=COMMON {
                step!(STEP, STEP);
            });
            if rounds > 10 {
                step!(9, 9);
                step!(10, 10);
                if rounds > 12 {
                    step!(11, 11);
                    step!(12, 12);
                }
            }
            step!(MAX_ROUNDS - 1, rounds - 1);
            step!(MAX_ROUNDS, rounds);
            for lane in 0..N {
                x[lane] = x[lane].xor(A::load(src[lane].add(16 * block))).pin();
            }
            for lane in 0..N {
                x[lane].store(dst[lane].add(16 * block));
            }
        }
        for lane in 0..N {
            x[lane].store(state[lane].as_mut_ptr());
        }
    }
}

/// Makes so many lanes from `n` on the same as the last: there are copies of the code for 1, 2, 4 and 8.
#[inline(always)]
pub(in crate::aes) fn fill(set: &mut CbcLaneSet, n: usize) {
    for lane in n..n.next_power_of_two().min(MAX_LANES) {
        set.key[lane] = set.key[n - 1];
        set.src[lane] = set.src[n - 1];
        set.dst[lane] = set.dst[n - 1];
        set.state[lane] = set.state[n - 1];
    }
}

/// Makes the kernel of one instruction set: the function above with the `target_feature` that it needs, and
/// the way back of a kernel for independent blocks.
macro_rules! cfb_kernel {
    ($(#[$doc:meta])* $kernel:ident, $name:literal, $aes:ty, $feature:literal, $blocks:ident) => {
        $(#[$doc])*
        pub(in crate::aes) static $kernel: $crate::aes::cbc::CbcKernel = {
            use $crate::aes::cbc::{CbcKernel, CbcLaneSet, MAX_LANES};
            use $crate::aes::cfb::pipeline;

            #[target_feature(enable = $feature)]
            unsafe fn encrypt(set: &mut CbcLaneSet, n: usize, blocks: usize) {
                assert!((1..=MAX_LANES).contains(&n), "1 to {MAX_LANES} lanes, not {n}");
                pipeline::fill(set, n);
                // SAFETY: the contract, and the instructions are enabled here.
                unsafe {
                    match n {
                        1 => pipeline::encrypt::<$aes, 1>(set, blocks),
                        2 => pipeline::encrypt::<$aes, 2>(set, blocks),
                        3..=4 => pipeline::encrypt::<$aes, 4>(set, blocks),
                        _ => pipeline::encrypt::<$aes, 8>(set, blocks),
                    }
                    set.advance(n, blocks);
                }
            }

            CbcKernel { name: $name, lanes: MAX_LANES, encrypt, decrypt: $blocks.cfb_decrypt }
        };
    };
}
pub(in crate::aes) use cfb_kernel;
