//! AVX2: vectors of 256 bits, and the extensions that go with them.

pub(in crate::arch) mod bignum;
pub(in crate::arch) mod binary;
pub(in crate::arch) mod curves;
pub(in crate::arch) mod ml_dsa;
pub(in crate::arch) mod ml_kem;

use broadloom_lanes::Feature::{Pclmulqdq, Sha, Vpclmulqdq};
use broadloom_lanes::inside::Plain;
use broadloom_lanes::inside::portable::Integers;
use broadloom_lanes::inside::x86_64::avx2::{KeccakSteps, U32x8};

use super::common::sha;
use super::sse4;
use crate::arch::compile::{keccak_chain_kernel, sha256_chain_kernel};
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, SlhDsaKernels};

sha256_chain_kernel!(
    /// Eight chains.
    SHA256_CHAIN, "avx2", U32x8, "avx2,bmi1,bmi2"
);

sha256_chain_kernel!(
    /// One chain: rotations and complements that keep their operand.
    SHA256_CHAIN_ONE, "integers, bmi2", Plain<u32>, "bmi1,bmi2"
);

keccak_chain_kernel!(
    /// Four chains.
    KECCAK_CHAIN, "avx2", KeccakSteps, "avx2,bmi1,bmi2"
);

keccak_chain_kernel!(
    /// One chain.
    KECCAK_CHAIN_ONE, "integers, bmi2", Integers, "bmi1,bmi2"
);

/// The kernels of AVX2.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    rsa: choice! {
        [] => RsaKernels { one: &bignum::BIGNUM_ONE, wide: &[(2, &bignum::BIGNUM)] },
    },
    curves: choice! {
        [] => CurveKernels { one: &portable::CURVES, wide: &[(2, &curves::CURVES)] },
    },
    slh_dsa: SlhDsaKernels {
        sha256: choice! {
            [Sha] => ChainKernels::one(sha::CHAIN),
            [] => ChainKernels { wide: SHA256_CHAIN, few: SHA256_CHAIN_ONE, up_to: 1 },
        },
        keccak: choice! {
            [] => ChainKernels { wide: KECCAK_CHAIN, few: KECCAK_CHAIN_ONE, up_to: 1 },
        },
    },
    ml_kem: &[&sse4::ml_kem::ML_KEM, &ml_kem::ML_KEM],
    ml_dsa: &[&sse4::ml_dsa::ML_DSA, &ml_dsa::ML_DSA],
    binary: choice! {
        [Vpclmulqdq] => BinaryKernels { one: &binary::BINARY, wide: &[(2, &binary::BINARY2)] },
        [Pclmulqdq] => BinaryKernels { one: &binary::BINARY, wide: &[] },
        [] => BinaryKernels { one: &portable::BINARY, wide: &[] },
    },
};
