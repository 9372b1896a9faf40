//! AES: keys, and CBC across lanes (encryption) or across the blocks of one buffer (decryption).
//!
//! [`cbc`] says what a kernel is; [`pipeline`] is the one description of the kernels for CPUs that
//! have an AES round as an instruction, filled in by `ni` and `neon`; `soft` is for the others.

pub(crate) mod cbc;
mod key;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
pub(crate) mod ni;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pipeline;
pub(crate) mod soft;

#[cfg(test)]
mod tests;

pub use key::{AesKey, KeyLengthError};
