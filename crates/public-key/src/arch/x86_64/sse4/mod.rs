//! SSE4.1: vectors of 128 bits, and the extensions for carry-less products and SHA on them.

mod binary;
pub(in crate::arch) mod ml_dsa;
pub(in crate::arch) mod ml_kem;

use broadloom_lanes::Feature::{Pclmulqdq, Sha};
use broadloom_lanes::inside::x86_64::sse4::{KeccakSteps, U32x4};

use super::common::sha;
use crate::arch::compile::{keccak_chain_kernel, sha256_chain_kernel};
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, SlhDsaKernels};

sha256_chain_kernel!(
    /// Four chains.
    SHA256_CHAIN, "sse4", U32x4, "sse4.1"
);

keccak_chain_kernel!(
    /// Two chains.
    KECCAK_CHAIN, "sse4", KeccakSteps, "sse4.1"
);

/// The kernels of SSE4.1.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    rsa: choice! {
        [] => RsaKernels { one: &portable::BIGNUM, wide: &[] },
    },
    curves: choice! {
        [] => CurveKernels { one: &portable::CURVES, wide: &[] },
    },
    slh_dsa: SlhDsaKernels {
        sha256: choice! {
            [Sha] => ChainKernels::one(sha::CHAIN),
            [] => ChainKernels { wide: SHA256_CHAIN, few: portable::SHA256_CHAIN, up_to: 1 },
        },
        keccak: choice! {
            [] => ChainKernels { wide: KECCAK_CHAIN, few: portable::KECCAK_CHAIN, up_to: 1 },
        },
    },
    ml_kem: &[&ml_kem::ML_KEM],
    ml_dsa: &[&ml_dsa::ML_DSA],
    binary: choice! {
        [Pclmulqdq] => BinaryKernels { one: &binary::BINARY, wide: &[] },
        [] => BinaryKernels { one: &portable::BINARY, wide: &[] },
    },
};
