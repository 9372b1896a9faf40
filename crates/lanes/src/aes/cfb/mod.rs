//! AES in CFB mode with segments of 128 bits (SP 800-38A, 6.3).
//!
//! Encryption is serial within a buffer, so each buffer gets a lane, as in CBC. Decryption takes
//! the blocks of one buffer side by side. The kernels fulfil the contract of CBC, and the scheduler
//! of CBC serves both. `pipeline` is the one description of encryption for CPUs with AES
//! instructions; decryption is one of the [`blocks`](super::blocks).

mod job;
mod lanes;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

pub use job::CfbJob;
pub use lanes::CfbLanes;
pub(super) use lanes::Gathered;
