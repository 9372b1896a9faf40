//! AES-GCM and GMAC (SP 800-38D).
//!
//! `hash` is GHASH and `pipeline` the rest, both written once over the registers of an instruction set, which
//! `clmul`, `vclmul`, `vclmul512` and `pmull` fill in; `soft` is for CPUs without their instructions. `abreast` has short
//! messages side by side, on AVX-512, and `weave512` the groups of long ones. `field` is the arithmetic in plain integers.

#[cfg(target_arch = "x86_64")]
mod abreast;
#[cfg(target_arch = "x86_64")]
pub(super) mod clmul;
mod field;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod hash;
mod job;
mod key;
mod lanes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod pipeline;
#[cfg(target_arch = "aarch64")]
pub(super) mod pmull;
pub(super) mod soft;
#[cfg(target_arch = "x86_64")]
pub(super) mod vclmul;
#[cfg(target_arch = "x86_64")]
pub(super) mod vclmul512;
#[cfg(target_arch = "x86_64")]
mod weave512;

use core::fmt;

use super::key::Block;

pub use job::{GcmJob, GmacJob};
pub use key::GcmKey;
pub use lanes::GcmLanes;

/// GCM in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - all keys are valid, and all that is read is readable for its length, at any alignment;
/// - of every message: the destination is writable for the length of the text, and the tag for 16 bytes.
///   Source and destination are the same, or do not overlap; nothing else that is written overlaps anything
///   that is read or written.
pub(crate) struct GcmKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Processes messages to their end, and writes the whole tag of each. Nobody has compared it with
    /// another.
    pub process: unsafe fn(messages: &[Message]),
    /// The first counter block for a nonce that has not 12 bytes (SP 800-38D, 7.1, step 2).
    pub first_counter: unsafe fn(key: &GcmKey, nonce: *const u8, len: usize) -> Block,
}

/// One message, as kernels see it.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    key: *const GcmKey,
    /// The counter block before that of the first block of text: its bytes as little-endian integers, which
    /// are copied in the pieces that they were written in.
    counter: [u64; 2],
    associated: (*const u8, usize),
    src: *const u8,
    dst: *mut u8,
    len: usize,
    tag: *mut u8,
    /// Plaintext to ciphertext, not back.
    seals: bool,
}

/// Texts of this length and more are long: but for `soft`, they are ciphered and hashed in one pass.
const LONG: usize = 512;

/// A block as [`Message`] has it.
fn halves(block: u128) -> [u64; 2] {
    [(block as u64).to_le(), ((block >> 64) as u64).to_le()]
}

impl Message {
    /// In no place.
    const NONE: Message = Message {
        key: core::ptr::null(),
        counter: [0; 2],
        associated: (core::ptr::null(), 0),
        src: core::ptr::null(),
        dst: core::ptr::null_mut(),
        len: 0,
        tag: core::ptr::null_mut(),
        seals: true,
    };
}

/// A length that GCM does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcmError {
    /// A nonce of no bytes.
    Nonce,
    /// A tag to be compared that has not 4, 8 or 12 to 16 bytes.
    Tag {
        /// Its length, in bytes.
        len: usize,
    },
    /// A text that is longer than there are counters for.
    Text {
        /// Its length, in bytes.
        len: u64,
        /// The most bytes that it may have.
        max: u64,
    },
}

impl fmt::Display for GcmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GcmError::Nonce => f.write_str("a nonce for GCM has at least 1 byte, not 0"),
            GcmError::Tag { len } => write!(f, "a tag of GCM has 4, 8 or 12 to 16 bytes, not {len}"),
            GcmError::Text { len, max } => {
                write!(f, "GCM takes at most {max} bytes of text, not {len}")
            }
        }
    }
}

impl core::error::Error for GcmError {}
