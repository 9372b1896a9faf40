//! Chains of AES blocks (CBC-MAC): the kernels of AES-CMAC, AES-XCBC-MAC and CCM.
//!
//! A chain is serial within a buffer, so each buffer gets a lane. `pipeline` is the one description
//! of the kernels for CPUs with AES instructions, and `soft` serves the others.

#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

use super::key::{AesKey, Block};

/// The most lanes any kernel has.
pub(crate) const MAX_LANES: usize = 16;

/// The lanes of a chain: one buffer each, with a key of its own.
///
/// Pointers of lanes that are not in use may be anything.
#[repr(C, align(64))]
pub(crate) struct ChainSet {
    /// The block before the next.
    pub state: [Block; MAX_LANES],
    /// The key.
    pub key: [*const AesKey; MAX_LANES],
    /// Where the next block is read.
    pub src: [*const u8; MAX_LANES],
}

impl ChainSet {
    /// Returns a set with no lane in use.
    pub(crate) const fn new() -> Self {
        ChainSet {
            state: [[0; 16]; MAX_LANES],
            key: [core::ptr::null(); MAX_LANES],
            src: [core::ptr::null(); MAX_LANES],
        }
    }
}

/// Chains of AES blocks (CBC-MAC) in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - the keys of lanes `0..n` are valid and all have the same number of rounds, and their sources
///   are readable for `blocks` blocks, at any alignment;
/// - `n` is 1 to [`lanes`](Self::lanes).
pub(crate) struct ChainKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// The most lanes that it takes, and the number at which it is fastest.
    pub lanes: usize,
    /// Adds the next `blocks` blocks to the chain of each of lanes `0..n`: leaves `state` at what
    /// became of the last of them. Sources are not moved on. What lanes from `n` on hold is of no
    /// account.
    pub absorb: unsafe fn(set: &mut ChainSet, n: usize, blocks: usize),
}
