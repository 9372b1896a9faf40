//! AVX-512 F, BW, DQ and VL: vectors of 512 bits, and the extensions that go with them.

mod bignum;
mod binary;
mod curves;
mod ml_dsa;
mod ml_kem;

use broadloom_lanes::Feature::{Avx512ifma, Pclmulqdq, Sha, Vpclmulqdq};
use broadloom_lanes::inside::x86_64::avx512::{KeccakSteps, U32x16};

use super::common::sha;
use super::{avx2, sse4};
use crate::arch::compile::{keccak_chain_kernel, sha256_chain_kernel};
use crate::arch::portable;
use crate::arch::table::{self, choice};
use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, SlhDsaKernels};

sha256_chain_kernel!(
    /// Sixteen chains.
    SHA256_CHAIN, "avx512", U32x16, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

keccak_chain_kernel!(
    /// Eight chains.
    KECCAK_CHAIN, "avx512", KeccakSteps, "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2"
);

/// The kernels of AVX-512.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    rsa: choice! {
        [Avx512ifma] => RsaKernels {
            one: &avx2::bignum::BIGNUM_ONE,
            wide: &[(2, &avx2::bignum::BIGNUM), (3, &bignum::BIGNUM_IFMA)],
        },
        [] => RsaKernels {
            one: &avx2::bignum::BIGNUM_ONE,
            wide: &[(2, &avx2::bignum::BIGNUM), (5, &bignum::BIGNUM)],
        },
    },
    curves: choice! {
        [Avx512ifma] => CurveKernels {
            one: &portable::CURVES,
            wide: &[(2, &curves::CURVES_IFMA)],
        },
        [] => CurveKernels {
            one: &portable::CURVES,
            wide: &[(2, &avx2::curves::CURVES), (5, &curves::CURVES)],
        },
    },
    slh_dsa: SlhDsaKernels {
        sha256: choice! {
            [Sha] => ChainKernels { wide: SHA256_CHAIN, few: sha::CHAIN, up_to: 12 },
            [] => ChainKernels { wide: SHA256_CHAIN, few: avx2::SHA256_CHAIN_ONE, up_to: 1 },
        },
        keccak: choice! {
            [] => ChainKernels { wide: KECCAK_CHAIN, few: avx2::KECCAK_CHAIN_ONE, up_to: 1 },
        },
    },
    ml_kem: &[&sse4::ml_kem::ML_KEM, &avx2::ml_kem::ML_KEM, &ml_kem::ML_KEM],
    ml_dsa: &[&sse4::ml_dsa::ML_DSA, &avx2::ml_dsa::ML_DSA, &ml_dsa::ML_DSA],
    binary: choice! {
        [Vpclmulqdq] => BinaryKernels {
            one: &avx2::binary::BINARY,
            wide: &[(2, &avx2::binary::BINARY2), (3, &binary::BINARY4)],
        },
        [Pclmulqdq] => BinaryKernels { one: &avx2::binary::BINARY, wide: &[] },
        [] => BinaryKernels { one: &portable::BINARY, wide: &[] },
    },
};
