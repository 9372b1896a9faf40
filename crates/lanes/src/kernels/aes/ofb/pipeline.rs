//! OFB written once over an instruction set's AES round.
//!
//! It is serial within a buffer, as CBC encryption is, so a core interleaves the blocks of several
//! lanes.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use crate::kernels::aes::cbc::CbcLaneSet;
use crate::kernels::aes::key::MAX_ROUNDS;
use crate::kernels::aes::pipeline::{lanes, step_own};
use crate::kernels::aes::register::{Aes, every_step};

/// Ciphers `blocks` blocks in each of `N` lanes from `first` on, every lane with its own key. The
/// lanes' pointers stay.
///
/// # Safety The contracts of [`CbcKernel`](crate::kernels::aes::cbc::CbcKernel) and [`Aes`], for
/// lanes `first..first + N`, but that lanes may be the same.
#[inline(always)]
pub(crate) unsafe fn encrypt<A: Aes, const N: usize>(
    set: &mut CbcLaneSet,
    first: usize,
    blocks: usize,
) {
    // SAFETY: by the contract of `CbcKernel` these lanes have valid keys with one number of rounds,
    // and buffers of `blocks` blocks. The body touches one block of each lane at a time, and reads
    // the block of all lanes before it writes any of them, so lanes may be the same. The
    // instructions are enabled.
    unsafe {
        let keys = lanes::<_, N>(&set.key, first);
        let (src, dst) = (lanes::<_, N>(&set.src, first), lanes::<_, N>(&set.dst, first));
        let state = set.state.as_mut_ptr().add(first);
        let rounds = (*keys[0]).rounds();
        let mut x = [A::load(state.cast()); N];
        for lane in 1..N {
            x[lane] = A::load(state.add(lane).cast());
        }
        for block in 0..blocks {
            every_step!(rounds, STEP, at => {
                step_own(&mut x, keys.as_ptr(), STEP, at, MAX_ROUNDS);
            });
            let mut text = x;
            for lane in 0..N {
                text[lane] = x[lane].xor(A::load(src[lane].add(16 * block))).pin();
            }
            for lane in 0..N {
                text[lane].store(dst[lane].add(16 * block));
            }
        }
        for lane in 0..N {
            x[lane].store(state.add(lane).cast());
        }
    }
}
