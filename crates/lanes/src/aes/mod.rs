//! AES: keys, all modes, and MACs.
//!
//! `register` is the only view that kernels have of an instruction set with an AES round; `arch`
//! supplies it, and `soft` serves the others. Four contracts cover all modes:
//!
//! - `cbc`, for chains across lanes: `pipeline` is the one description of the kernels; `cfb` and
//!   `ofb` fulfil the same contract;
//! - `blocks`, for independent blocks: `ecb`, `xts` and decryption by CFB;
//! - `ctr` for counter mode, and `gcm` for GCM and GMAC;
//! - `mac`, for CMAC, XCBC-MAC and the chains of `ccm`.

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
