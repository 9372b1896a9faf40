//! DES, bitsliced (FIPS 46-3): one step works on a block of each lane, each with its own key,
//! without tables or branches that depend on secrets.
//!
//! `cipher` is the one description of the kernels, over [`Bits`](crate::bits::Bits), with the
//! S-boxes of `sboxes`; `arch` compiles it for the instruction sets.

pub(crate) mod cipher;
mod sboxes;
mod ternary;

/// DES in one instruction set.
///
/// # Safety
///
/// This is the contract of all functions of every kernel:
///
/// - The CPU has the instructions of the kernel.
/// - `words` and `blocks` are as many as there are lanes, side by side and little-endian.
/// - `slices` is valid for [`cipher::SLICES`] registers a pass.
pub(crate) struct DesKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Blocks that it ciphers at once.
    pub lanes: usize,
    /// Slices one pass's keys, a word of each lane.
    pub slice_keys: unsafe fn(words: *const u64, slices: *mut u64),
    /// Slices one key for all lanes.
    pub slice_key: unsafe fn(word: u64, slices: *mut u64),
    /// Ciphers a block of each lane with the slices of as many keys as there are passes; every
    /// other pass goes the other way.
    pub cipher: unsafe fn(slices: *const u64, passes: usize, decrypt: bool, blocks: *mut u64),
}
