//! AES: keys, CBC and CFB across lanes (encryption) or across the blocks of one buffer (decryption), counter
//! mode, ECB, XTS, GCM, CCM, CMAC and XCBC-MAC.
//!
//! `register` is all that kernels know of an instruction set that has an AES round, filled in by `ni`,
//! `vaes`, `vaes512` and `neon`; `soft` is for the others. `cbc` says what a kernel for CBC is, and `pipeline` is the
//! one description of those; `cfb` fulfils the same contract. `blocks` is the same for modes whose blocks do
//! not depend on each other, which `ecb` and `xts` use; `ctr` for counter mode, `gcm` for GCM and GMAC, and
//! `mac` for CMAC, XCBC-MAC and the chains of `ccm`.

#[cfg(target_arch = "x86_64")]
mod abreast;
mod blocks;
pub(crate) mod bytes;
mod cbc;
mod ccm;
mod cfb;
mod ctr;
mod ecb;
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
#[cfg(target_arch = "x86_64")]
mod vaes512;
mod xts;

#[cfg(test)]
mod tests;

pub use ccm::{CcmError, CcmJob, CcmLanes};
pub use cfb::{CfbJob, CfbLanes};
pub(crate) use ctr::Ctr;
pub use ctr::{CounterError, CtrJob, CtrLanes, Keystream, KeystreamError};
pub use ecb::{EcbJob, EcbLanes};
pub use gcm::{GcmError, GcmJob, GcmKey, GcmLanes, GmacJob};
pub(crate) use job::Cbc;
pub use job::CbcJob;
pub use key::{AesKey, KeyLengthError};
pub use lanes::CbcLanes;
pub(crate) use lanes::Direction;
pub use mac::{CmacJob, CmacKey, CmacLanes, XcbcKey};
pub(crate) use select::kernel_infos;
pub use xts::{XtsJob, XtsKey, XtsKeyError, XtsLanes, XtsLengthError};
