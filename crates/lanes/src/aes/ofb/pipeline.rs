//! OFB written once over an instruction set's AES round.
//!
//! It is serial within a buffer, as CBC encryption is, so a core interleaves the blocks of several
//! lanes.

#![expect(clippy::needless_range_loop, reason = "a lane is an index into several arrays at once")]

use crate::aes::cbc::CbcLaneSet;
use crate::aes::key::MAX_ROUNDS;
use crate::aes::pipeline::{lanes, step_own};
use crate::aes::register::{Aes, every_step};

/// Ciphers `blocks` blocks in each of `N` lanes from `first` on, every lane with its own key. The
/// lanes' pointers stay.
///
/// # Safety
/// The contracts of [`CbcKernel`](crate::aes::cbc::CbcKernel) and [`Aes`], but that lanes may be
/// the same.
#[inline(always)]
pub(crate) unsafe fn encrypt<A: Aes, const N: usize>(
    set: &mut CbcLaneSet,
    first: usize,
    blocks: usize,
) {
    // SAFETY: the caller promises: these lanes have valid keys with as many rounds, and buffers of
    // `blocks` blocks, of which the body touches one at a time: it reads the block of all lanes
    // before it writes any of them.
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
