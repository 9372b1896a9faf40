//! Chains by VAES on 512-bit registers: four lanes in a register.

use crate::aes::abreast;
use crate::aes::key::share_a_key;
use crate::aes::mac::pipeline::shared;
use crate::aes::mac::{ChainKernel, ChainSet, MAX_LANES};
use crate::aes::register::Lanewise;
use crate::arch::compile::align_frame;
use crate::arch::x86_64::avx2::mac::{CbcMac, fill, own_keys, places};
use core::arch::x86_64::*;

/// VAES on four lanes in a register where lanes share a key, or it pays to put theirs side by side;
/// else AES-NI on one.
pub(crate) static VAES512: ChainKernel = ChainKernel { name: "vaes-512", lanes: MAX_LANES, absorb };

/// Needs AVX-512 F and VAES.
impl Lanewise for __m512i {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn gather(from: *const *const u8, at: usize) -> Self {
        // SAFETY: four pointers with a block each, by the contract; AVX-512 F is enabled.
        unsafe {
            let (low, high) = (__m256i::gather(from, at), __m256i::gather(from.add(2), at));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }
}

/// [`ChainKernel::absorb`], with its contract.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512dq,avx512vl,bmi2,vaes")]
unsafe fn absorb(set: &mut ChainSet, n: usize, blocks: usize) {
    align_frame!();
    // SAFETY: the contract, and the instructions are enabled here.
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
