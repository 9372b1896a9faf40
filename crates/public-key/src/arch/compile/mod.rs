//! Macros that compile the generic kernels of a family for an instruction set: functions with its
//! `target_feature`, and the kernel that has them.

mod bignum;
mod binary;
pub(in crate::arch) mod curves;
mod ml_dsa;
mod ml_kem;
mod slh_dsa;

#[allow(unused_imports, reason = "not every architecture multiplies large numbers on vectors")]
pub(in crate::arch) use bignum::{bignum_kernel, bignum_words_kernel};
pub(in crate::arch) use binary::binary_kernel;
pub(in crate::arch) use curves::curves_kernel;
pub(in crate::arch) use ml_dsa::ml_dsa_kernel;
pub(in crate::arch) use ml_kem::ml_kem_kernel;
pub(in crate::arch) use slh_dsa::{keccak_chain_kernel, sha256_chain_kernel};
