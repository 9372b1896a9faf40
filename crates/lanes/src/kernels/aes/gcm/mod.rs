//! The kernels of AES-GCM and GMAC (SP 800-38D).
//!
//! `hash` is GHASH, and `pipeline` the rest. Both are written once over the registers of an
//! instruction set, which `arch` supplies. `soft` serves CPUs without these instructions, with the
//! arithmetic of `field` on plain integers.

pub(crate) mod field;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod hash;
pub(crate) mod key;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

use super::key::Block;
use key::GcmKey;

/// GCM in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - all keys are valid, and all that is read is readable for its length, at any alignment;
/// - of every message: the destination is writable for the length of the text, and the tag for 16
///   bytes. Source and destination are the same, or do not overlap; nothing else that is written
///   overlaps anything that is read or written.
pub(crate) struct GcmKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Processes messages to their end, and writes the whole tag of each. Nobody has compared it
    /// with another.
    pub process: unsafe fn(messages: &[Message]),
    /// The first counter block for a nonce that does not have 12 bytes (SP 800-38D, 7.1, step 2).
    pub first_counter: unsafe fn(key: &GcmKey, nonce: *const u8, len: usize) -> Block,
}

/// One message, as kernels see it.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub key: *const GcmKey,
    /// The counter block before the counter block of the first block of text, as little-endian
    /// integers. They are copied in the pieces in which they were written.
    pub counter: [u64; 2],
    pub associated: (*const u8, usize),
    pub src: *const u8,
    pub dst: *mut u8,
    pub len: usize,
    pub tag: *mut u8,
    /// Plaintext to ciphertext, not back.
    pub seals: bool,
    /// The nonce that the scheduler has yet to make the counter of, unless its length is 0. Kernels
    /// do not read it.
    pub nonce: (*const u8, usize),
}

/// Texts of this length and more are long: except in `soft`, they are ciphered and hashed in one
/// pass.
pub(crate) const LONG: usize = 512;

/// Returns a block as [`Message`] has it.
// A call would return both in memory, and their copy would wait for them.
#[inline(always)]
pub(crate) fn halves(block: u128) -> [u64; 2] {
    [(block as u64).to_le(), ((block >> 64) as u64).to_le()]
}

impl Message {
    /// In no place.
    pub(crate) const NONE: Message = Message {
        key: core::ptr::null(),
        counter: [0; 2],
        associated: (core::ptr::null(), 0),
        src: core::ptr::null(),
        dst: core::ptr::null_mut(),
        len: 0,
        tag: core::ptr::null_mut(),
        seals: true,
        nonce: (core::ptr::null(), 0),
    };
}
