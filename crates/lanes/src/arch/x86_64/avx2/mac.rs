//! Chains by VAES: two lanes in a register.

use crate::arch::compile::align_frame;
use crate::kernels::aes::abreast::{self, Added, Course, Places};
use crate::kernels::aes::key::share_a_key;
use crate::kernels::aes::mac::pipeline::{own, shared, with_lanes};
use crate::kernels::aes::mac::{ChainKernel, ChainSet, MAX_LANES};
use crate::kernels::aes::register::{Aes, Lanewise};
use core::arch::x86_64::*;

/// VAES on two lanes in a register if lanes share a key, or if it pays to put their keys side by
/// side; otherwise AES-NI on one.
pub(crate) static VAES: ChainKernel = ChainKernel { name: "vaes-256", lanes: MAX_LANES, absorb };

/// The methods need AVX2 and VAES.
impl Lanewise for __m256i {
    const LANES: usize = 2;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: `from` is readable for two pointers, each readable for a block from `at` on, by
        // the contract of `gather`; AVX2 is enabled.
        unsafe {
            let (low, high) = ((*from).add(at), (*from.add(1)).add(at));
            _mm256_set_m128i(__m128i::load(high), __m128i::load(low))
        }
    }
}

/// Does what [`ChainKernel::absorb`] does, with its contract.
#[target_feature(enable = "aes,avx2,vaes")]
unsafe fn absorb(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: lanes `0..n` fulfil the contract of `ChainKernel`, and this function enables the
    // instructions. `places` and `fill` let the other lanes of the registers read what lane `n - 1`
    // reads.
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

/// Returns pointers to the parts of the lanes, and makes all lanes from `n` on the same as the lane
/// before them.
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

/// Absorbs by AES-NI, for lanes that each have a key of their own.
///
/// # Safety
/// The contract of [`ChainKernel::absorb`].
#[target_feature(enable = "aes,avx2")]
pub(in crate::arch) unsafe fn own_keys(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    for first in (0..n).step_by(8) {
        // SAFETY: up to eight lanes from `first` on, all below `n`, fulfil the contract of
        // `ChainKernel`, and this function enables the instructions.
        unsafe { with_lanes!(n - first, N => own::<__m128i, N>(set, first, blocks)) };
    }
}

/// Lets the places beside the last lane, in the same register, read what it reads.
#[inline(always)]
pub(in crate::arch) fn fill<W: Lanewise>(set: &mut ChainSet, n: usize) {
    for place in n..n.next_multiple_of(W::LANES) {
        set.src[place] = set.src[n - 1];
    }
}
