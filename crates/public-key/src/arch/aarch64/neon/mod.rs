//! NEON: vectors of 128 bits, and the extensions for polynomial products and SHA-3.

mod binary;
mod ml_dsa;
mod ml_kem;

use broadloom_lanes::Feature::{Aes, Pmull, Sha512};
use broadloom_lanes::inside::aarch64::neon::{KeccakSteps, Sha3Steps, U32x4};

use crate::arch::compile::{keccak_chain_kernel, sha256_chain_kernel};
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, SlhDsaKernels};

sha256_chain_kernel!(
    /// Four chains.
    SHA256_CHAIN, "neon", U32x4, "neon"
);

keccak_chain_kernel!(
    /// Two chains.
    KECCAK_CHAIN, "neon", KeccakSteps, "neon"
);

keccak_chain_kernel!(
    /// Two chains, with the SHA-3 instructions.
    KECCAK_CHAIN_SHA3, "armv8-sha3", Sha3Steps, "neon,sha3"
);

/// The kernels of NEON.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    rsa: choice! {
        [] => RsaKernels { one: &portable::BIGNUM, wide: &[] },
    },
    curves: choice! {
        [] => CurveKernels { one: &portable::CURVES, wide: &[] },
    },
    slh_dsa: SlhDsaKernels {
        sha256: choice! {
            [] => ChainKernels { wide: SHA256_CHAIN, few: portable::SHA256_CHAIN, up_to: 1 },
        },
        keccak: choice! {
            [Sha512] => ChainKernels {
                wide: KECCAK_CHAIN_SHA3, few: portable::KECCAK_CHAIN, up_to: 1,
            },
            [] => ChainKernels { wide: KECCAK_CHAIN, few: portable::KECCAK_CHAIN, up_to: 1 },
        },
    },
    ml_kem: &[&ml_kem::ML_KEM],
    ml_dsa: &[&ml_dsa::ML_DSA],
    binary: choice! {
        [Aes, Pmull] => BinaryKernels { one: &binary::BINARY, wide: &[] },
        [] => BinaryKernels { one: &portable::BINARY, wide: &[] },
    },
};
