//! AES: the kernels of all modes, and the round keys that they read.
//!
//! `register` is the only view that kernels have of an instruction set with an AES round; `arch`
//! supplies it, and `soft` serves the others. Four contracts cover all modes:
//!
//! - `cbc`, for chains across lanes: `pipeline` is the one description of the kernels; `cfb` and
//!   `ofb` fulfil the same contract;
//! - `blocks`, for independent blocks: ECB, XTS and decryption by CFB;
//! - `ctr` for counter mode, and `gcm` for GCM and GMAC;
//! - `mac`, for CMAC, XCBC-MAC and the chains of CCM.

#[allow(dead_code, reason = "not every architecture has registers of several lanes")]
pub(crate) mod abreast;
pub(crate) mod blocks;
pub(crate) mod bytes;
pub(crate) mod cbc;
pub(crate) mod cfb;
pub(crate) mod ctr;
pub(crate) mod gcm;
pub(crate) mod key;
pub(crate) mod mac;
pub(crate) mod ofb;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod register;
pub(crate) mod soft;
#[cfg(test)]
mod tests;

use crate::features::Choice;
use blocks::BlocksKernel;
use cbc::CbcKernel;
use ctr::CtrKernel;
use gcm::GcmKernel;
use mac::ChainKernel;

/// The kernels of AES in one instruction set.
pub(crate) struct AesKernels {
    /// CBC, a lane for each buffer to encrypt.
    pub cbc: Choice<&'static CbcKernel>,
    /// CFB, as CBC.
    pub cfb: Choice<&'static CbcKernel>,
    /// OFB, as CBC.
    pub ofb: Choice<&'static CbcKernel>,
    /// Counter mode.
    pub ctr: Choice<&'static CtrKernel>,
    /// ECB and XTS.
    pub blocks: Choice<&'static BlocksKernel>,
    /// GCM and GMAC.
    pub gcm: Choice<&'static GcmKernel>,
    /// CMAC, XCBC-MAC and the chains of CCM.
    pub chains: Choice<&'static ChainKernel>,
}

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
