//! AES: keys, CBC and CFB across lanes (encryption) or across the blocks of one buffer (decryption), OFB, counter
//! mode, ECB, XTS, GCM, CCM, CMAC and XCBC-MAC.
//!
//! `register` is all that kernels know of an instruction set that has an AES round, filled in under `arch`;
//! `soft` is for the others. `cbc` says what a kernel for CBC is, and `pipeline` is the
//! one description of those; `cfb` and `ofb` fulfil the same contract. `blocks` is the same for modes whose blocks do
//! not depend on each other, which `ecb` and `xts` use; `ctr` for counter mode, `gcm` for GCM and GMAC, and
//! `mac` for CMAC, XCBC-MAC and the chains of `ccm`.

#[allow(dead_code, reason = "not every architecture has registers of several lanes")]
pub(crate) mod abreast;
pub(crate) mod blocks;
pub(crate) mod bytes;
pub(crate) mod cbc;
mod ccm;
pub(crate) mod cfb;
pub(crate) mod ctr;
mod ecb;
pub(crate) mod gcm;
mod job;
pub(crate) mod key;
mod lanes;
pub(crate) mod mac;
pub(crate) mod ofb;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod register;
mod select;
mod soft;
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
pub use ofb::{OfbJob, OfbLanes};
pub(crate) use select::{AesKernels, kernel_infos};
pub use xts::{XtsJob, XtsKey, XtsKeyError, XtsLanes, XtsLengthError};

/// The kernels on plain integers, bitsliced.
pub(crate) mod portable {
    pub(crate) use super::blocks::soft::SOFT as BLOCKS;
    pub(crate) use super::cfb::soft::SOFT as CFB;
    pub(crate) use super::ctr::soft::SOFT as CTR;
    pub(crate) use super::gcm::soft::SOFT as GCM;
    pub(crate) use super::mac::soft::SOFT as CHAINS;
    pub(crate) use super::ofb::soft::SOFT as OFB;
    pub(crate) use super::soft::SOFT as CBC;
}
