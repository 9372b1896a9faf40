//! Message authentication by a chain of AES blocks: AES-CMAC (SP 800-38B), AES-XCBC-MAC (RFC 3566),
//! and the chains of CCM.
//!
//! A chain is serial within a buffer, so each buffer gets a lane. `chains` puts buffers onto lanes,
//! and the kernels are in `kernels/aes/mac`.

pub(crate) mod chains;
mod cmac;
mod lanes;
mod xcbc;

pub use cmac::CmacKey;
pub use lanes::{CmacJob, CmacLanes};
pub use xcbc::XcbcKey;
