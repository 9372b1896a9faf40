//! AES: keys, and CBC across lanes (encryption) or across the blocks of one buffer (decryption).
//!
//! `cbc` says what a kernel is; `pipeline` is the one description of the kernels for CPUs that
//! have an AES round as an instruction, filled in by `ni` and `neon`; `soft` is for the others.

mod cbc;
mod job;
mod key;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod ni;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pipeline;
mod select;
mod soft;

#[cfg(test)]
mod tests;

pub use job::CbcJob;
pub use key::{AesKey, KeyLengthError};
pub use lanes::CbcLanes;
pub(crate) use select::kernel_info;
