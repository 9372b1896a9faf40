//! Macros that compile the generic kernels of a family for an instruction set: functions with its
//! `target_feature`, and the kernel that has them.

mod aes;
mod blake3;
mod chacha;
mod des;
mod frame;
mod hash;
pub(crate) mod interleaved;
mod kasumi;
mod keccak;
mod rabin;

pub(in crate::arch) use aes::{
    blocks_kernel, cbc_kernel, cfb_kernel, chain_kernel, ctr_kernel, gcm_kernel, ofb_lanes_kernel,
};
pub(in crate::arch) use blake3::blake3_kernel;
pub(in crate::arch) use chacha::chacha_kernel;
pub(in crate::arch) use des::des_kernel;
pub use frame::align_frame;
pub(in crate::arch) use hash::wide_kernels;
pub(in crate::arch) use kasumi::kasumi_kernel;
pub(in crate::arch) use keccak::keccak_kernel;
#[allow(unused_imports, reason = "not every architecture has carry-less products")]
pub(in crate::arch) use rabin::rabin_kernel;
