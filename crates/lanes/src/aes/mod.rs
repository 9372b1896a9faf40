//! AES: keys, CBC across lanes (encryption) or across the blocks of one buffer (decryption), counter mode,
//! GCM, and CMAC.
//!
//! `register` is all that kernels know of an instruction set that has an AES round, filled in by `ni`,
//! `vaes` and `neon`; `soft` is for the others. `cbc` says what a kernel for CBC is, and `pipeline` is the
//! one description of those; `ctr` is the same for counter mode, `gcm` for GCM and GMAC,
//! and `mac` for CMAC.

pub(crate) mod bytes;
mod cbc;
mod ctr;
mod gcm;
mod job;
mod key;
mod lanes;
mod mac;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod ni;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pipeline;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod register;
mod select;
mod soft;
#[cfg(target_arch = "x86_64")]
mod vaes;

#[cfg(test)]
mod tests;

pub use ctr::{CounterError, CtrLanes};
pub use gcm::{GcmKey, GcmLanes};
pub use job::CbcJob;
pub use key::{AesKey, KeyLengthError};
pub use lanes::CbcLanes;
pub use mac::{CmacKey, CmacLanes};
pub(crate) use select::kernel_infos;
