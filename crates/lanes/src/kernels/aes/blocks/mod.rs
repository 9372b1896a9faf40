//! Modes with independent blocks: ECB, XTS, and decryption by CFB. The blocks of one buffer go side
//! by side, and short buffers follow each other closely, so that rounds of several buffers are in
//! flight.
//!
//! `pipeline` is the one description of the kernels for CPUs with AES instructions.

#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

use super::key::{AesKey, Block};

/// Modes of independent blocks in one instruction set.
///
/// # Safety
///
/// This is the contract of all functions of every kernel. The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - the source is readable and the destination writable for so many blocks or bytes, at any
///   alignment; they are the same, or do not overlap each other or anything else that is given.
pub(crate) struct BlocksKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// The cipher itself, on each block.
    pub encrypt: unsafe fn(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize),
    /// Its inverse.
    pub decrypt: unsafe fn(key: &AesKey, src: *const u8, dst: *mut u8, blocks: usize),
    /// The cipher on each block between two additions of its tweak; leaves the tweak of the block
    /// behind them.
    pub xts_encrypt: Tweaked,
    /// Its inverse.
    pub xts_decrypt: Tweaked,
    /// CFB's way back. `iv` is the block before the first.
    pub cfb_decrypt:
        unsafe fn(key: &AesKey, iv: &Block, src: *const u8, dst: *mut u8, blocks: usize),
}

/// The signature of XTS's functions. A tweak is in memory as the kernel leaves it, in one piece:
/// put together of two integers right before the call, it would keep the kernel waiting.
pub(crate) type Tweaked =
    unsafe fn(key: &AesKey, tweak: &mut Block, src: *const u8, dst: *mut u8, blocks: usize);

/// Returns the next block's tweak: times `x` (SP 800-38E; IEEE 1619, 5.2), as little-endian
/// integers.
#[inline(always)]
pub(crate) fn next_tweak(tweak: u128) -> u128 {
    tweak << 1 ^ (tweak.cast_signed() >> 127).cast_unsigned() & 0x87
}
