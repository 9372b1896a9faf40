//! Chains by VAES: two lanes in a register.

use crate::aes::abreast::{self, Added, Course, Places};
use crate::aes::key::share_a_key;
use crate::aes::mac::pipeline::{own, shared, with_lanes};
use crate::aes::mac::{ChainKernel, ChainSet, MAX_LANES};
use crate::aes::register::{Aes, Lanewise};
use crate::arch::compile::align_frame;
use core::arch::x86_64::*;

/// VAES on two lanes in a register where lanes share a key, or it pays to put theirs side by side;
/// else AES-NI on one.
pub(crate) static VAES: ChainKernel = ChainKernel { name: "vaes-256", lanes: MAX_LANES, absorb };

/// Needs AVX2 and VAES.
impl Lanewise for __m256i {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: two pointers with a block each, by the contract; AVX2 is enabled.
        unsafe {
            let (low, high) = ((*from).add(at), (*from.add(1)).add(at));
            _mm256_set_m128i(__m128i::load(high), __m128i::load(low))
        }
    }
}

/// [`ChainKernel::absorb`], with its contract.
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn absorb(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the contract, and the instructions are enabled here.
    unsafe {
        if !share_a_key(&set.key[..n]) {
            if abreast::pays::<__m256i>(n, blocks) {
                return abreast::run::<CbcMac, __m256i>(&places(set, n), false, n, blocks);
            }
            return own_keys(set, n, blocks);
        }
        fill::<__m256i>(set, n);
        with_lanes!(n.div_ceil(2), N => shared::<__m256i, N>(set, blocks));
    }
}

/// A chain as a course of blocks.
pub(in crate::arch) struct CbcMac;

impl Course for CbcMac {
    const ADDED: Added = Added::Before;
    const STORES: bool = false;
}

/// Where all that the lanes have lies, with all places from `n` on the same as the one before them.
#[inline(always)]
pub(in crate::arch) fn places(set: &mut ChainSet, n: usize) -> Places {
    for place in n..MAX_LANES {
        set.key[place] = set.key[n - 1];
        set.src[place] = set.src[n - 1];
        set.state[place] = set.state[n - 1];
    }
    let (key, src, state) = (set.key.as_ptr(), set.src.as_ptr(), set.state.as_mut_ptr());
    Places { key, src, dst: core::ptr::null(), state }
}

/// The same by AES-NI where each lane has a key of its own.
///
/// # Safety
/// As [`ChainKernel::absorb`].
#[target_feature(enable = "aes,avx2")]
pub(in crate::arch) unsafe fn own_keys(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    for first in (0..n).step_by(8) {
        // SAFETY: the contract, and the instructions are enabled here.
        unsafe { with_lanes!(n - first, N => own::<__m128i, N>(set, first, blocks)) };
    }
}

/// The places beside the last lane, in the same register, read along with it.
#[inline(always)]
pub(in crate::arch) fn fill<W: Lanewise>(set: &mut ChainSet, n: usize) {
    for place in n..n.next_multiple_of(W::LANES) {
        set.src[place] = set.src[n - 1];
    }
}
