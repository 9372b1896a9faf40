//! AES in counter mode (SP 800-38A, 6.5). The blocks of one buffer go side by side, and short
//! buffers follow each other closely, so that rounds of several buffers are in flight.
//!
//! `pipeline` is the one description of the kernels for CPUs with AES instructions.

#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

use super::key::{AesKey, Block};

/// Counter mode in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - the source is readable and the destination writable for `len` bytes, at any alignment; they
///   are the same, or do not overlap each other, the key or the counter.
pub struct CtrKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Ciphers `len` bytes. The blocks are numbered from `first` on in its last 32 bits, modulo
    /// 2^32.
    pub cipher: unsafe fn(key: &AesKey, first: &Block, src: *const u8, dst: *mut u8, len: usize),
    /// Writes the key stream alone; its length is a multiple of [`STREAMED`].
    pub stream: unsafe fn(key: &AesKey, first: &Block, dst: *mut u8, len: usize),
}

/// Lengths of key stream without a text are multiples of this number: whole groups of every kernel.
pub(crate) const STREAMED: usize = 512;
