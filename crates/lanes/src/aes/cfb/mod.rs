//! AES in CFB mode with segments of 128 bits (SP 800-38A, 6.3).
//!
//! It is used as CBC is: encryption is serial in one buffer, so that each gets a lane, and decryption takes
//! the blocks of one buffer side by side. So its kernels fulfil the contract of CBC's, and CBC's scheduler
//! serves both. `pipeline` is the one description of the encryption for CPUs with AES instructions; the
//! decryption is one of [`blocks`](super::blocks).

mod job;
mod lanes;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

pub use job::CfbJob;
pub use lanes::CfbLanes;
pub(super) use lanes::Gathered;
