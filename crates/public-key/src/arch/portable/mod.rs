//! Plain integers, on any machine.

mod ml_dsa;
mod ml_kem;

use ml_dsa::ML_DSA;
use ml_kem::ML_KEM;

use broadloom_lanes::inside::Plain;
use broadloom_lanes::inside::portable::Integers;

use super::compile::{
    bignum_words_kernel, binary_kernel, curves_kernel, keccak_chain_kernel, sha256_chain_kernel,
};
use super::table::{self, choice};
use crate::kernels::bignum::RsaKernels;
use crate::kernels::binary::kernel::BinaryKernels;
use crate::kernels::curves::kernel::CurveKernels;
use crate::kernels::slh_dsa::chain::{ChainKernels, SlhDsaKernels};

bignum_words_kernel!(
    /// One number.
    BIGNUM, "integers"
);

curves_kernel!(
    /// One lane.
    CURVES, "integers", Plain<u64>, 5, 7, 11
);

binary_kernel!(
    /// One lane.
    BINARY, "integers", crate::kernels::binary::pairs::Integers
);

sha256_chain_kernel!(
    /// One chain.
    SHA256_CHAIN, "integers", Plain<u32>
);

keccak_chain_kernel!(
    /// One chain.
    KECCAK_CHAIN, "integers", Integers
);

/// One table for any machine.
pub(crate) static KERNELS: table::Kernels = table::Kernels {
    rsa: choice! {
        [] => RsaKernels { one: &BIGNUM, wide: &[] },
    },
    curves: choice! { [] => CurveKernels { one: &CURVES, wide: &[] } },
    slh_dsa: SlhDsaKernels {
        sha256: choice! { [] => ChainKernels::one(SHA256_CHAIN) },
        keccak: choice! { [] => ChainKernels::one(KECCAK_CHAIN) },
    },
    ml_kem: &[&ML_KEM],
    ml_dsa: &[&ML_DSA],
    binary: choice! { [] => BinaryKernels { one: &BINARY, wide: &[] } },
};
