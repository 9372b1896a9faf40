//! AES in CFB mode with segments of 128 bits (SP 800-38A, 6.3). The kernels fulfil the contract of
//! CBC. `pipeline` is the one description of encryption for CPUs with AES instructions; decryption
//! is one of the [`blocks`](super::blocks).

#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;
