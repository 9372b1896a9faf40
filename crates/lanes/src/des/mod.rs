//! DES and triple DES (FIPS 46-3, SP 800-67), bitsliced. One step works on a block of each lane,
//! each with its own key, without tables or branches that depend on secrets.
//!
//! `cipher` is the one description of the kernels, over [`Bits`](crate::bits::Bits), with the
//! S-boxes of `sboxes`; `arch` compiles it for the instruction sets. `lanes` schedules buffers onto
//! lanes, and `mode` applies a mode of operation to the block of one lane.

mod buffers;
pub(crate) mod cipher;
mod job;
mod key;
mod keys;
mod lanes;
mod loan;
mod mode;
mod sboxes;
mod select;
mod ternary;

pub use job::DesJob;
pub use key::{DesKey, DesKeyError};
pub use lanes::DesLanes;
pub(crate) use select::kernel_info;

/// DES in one instruction set.
///
/// # Safety
///
/// The caller promises that the CPU has the instructions of the kernel, and that
///
/// - words and blocks are as many as there are lanes, side by side and little-endian;
/// - slices have room for [`cipher::SLICES`] registers a pass.
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
