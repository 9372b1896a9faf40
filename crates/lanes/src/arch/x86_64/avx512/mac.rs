//! Chains by VAES on 512-bit registers: four lanes in a register.

use crate::arch::compile::align_frame;
use crate::arch::x86_64::avx2::mac::{CbcMac, fill, own_keys, places};
use crate::kernels::aes::abreast;
use crate::kernels::aes::key::share_a_key;
use crate::kernels::aes::mac::pipeline::shared;
use crate::kernels::aes::mac::{ChainKernel, ChainSet, MAX_LANES};
use crate::kernels::aes::register::Lanewise;
use core::arch::x86_64::*;

/// VAES on four lanes in a register where lanes share a key, or it pays to put theirs side by side;
/// else AES-NI on one.
pub(crate) static VAES512: ChainKernel = ChainKernel { name: "vaes-512", lanes: MAX_LANES, absorb };

/// Needs AVX-512 F and VAES.
impl Lanewise for __m512i {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: `from` is readable for four pointers, each readable for a block from `at` on, by
        // the contract of `gather`; AVX-512 F is enabled.
        unsafe {
            let (low, high) = (__m256i::gather(from, at), __m256i::gather(from.add(2), at));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }
}

/// Does what [`ChainKernel::absorb`] does, with its contract.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn absorb(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: lanes `0..n` fulfil the contract of `ChainKernel`, and this function enables the
    // instructions. `places` and `fill` let the other lanes of the registers read what lane `n - 1`
    // reads.
    unsafe {
        let shares = share_a_key(&set.key[..n]);
        if if shares { n > 8 } else { abreast::pays::<__m512i>(n, blocks) } {
            return abreast::run::<CbcMac, __m512i>(&places(set, n), shares, n, blocks);
        }
        if !shares {
            return own_keys(set, n, blocks);
        }
        fill::<__m512i>(set, n);
        match n.div_ceil(4) {
            1 => shared::<__m512i, 1>(set, blocks),
            _ => shared::<__m512i, 2>(set, blocks),
        }
    }
}
