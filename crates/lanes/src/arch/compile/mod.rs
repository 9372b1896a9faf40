//! Macros that compile the generic kernels of a family for an instruction set: functions with its
//! `target_feature`, and the kernel that has them.

mod aes;
mod bignum;
mod binary;
mod blake3;
mod chacha;
pub(in crate::arch) mod curves;
mod des;
mod frame;
mod hash;
pub(in crate::arch) mod interleaved;
mod kasumi;
mod keccak;
mod ml_dsa;
mod ml_kem;
mod rabin;
mod slh_dsa;

pub(in crate::arch) use aes::{
    blocks_kernel, cbc_kernel, cfb_kernel, chain_kernel, ctr_kernel, gcm_kernel, ofb_lanes_kernel,
};
#[allow(unused_imports, reason = "not every architecture multiplies large numbers on vectors")]
pub(in crate::arch) use bignum::{bignum_kernel, bignum_words_kernel};
pub(in crate::arch) use binary::binary_kernel;
pub(in crate::arch) use blake3::blake3_kernel;
pub(in crate::arch) use chacha::chacha_kernel;
pub(in crate::arch) use curves::curves_kernel;
pub(in crate::arch) use des::des_kernel;
pub(in crate::arch) use frame::{Anchor, align_frame};
pub(in crate::arch) use hash::wide_kernels;
pub(in crate::arch) use kasumi::kasumi_kernel;
pub(in crate::arch) use keccak::keccak_kernel;
pub(in crate::arch) use ml_dsa::ml_dsa_kernel;
pub(in crate::arch) use ml_kem::ml_kem_kernel;
#[allow(unused_imports, reason = "not every architecture has carry-less products")]
pub(in crate::arch) use rabin::rabin_kernel;
pub(in crate::arch) use slh_dsa::{keccak_chain_kernel, sha256_chain_kernel};
