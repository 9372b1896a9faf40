//! AES-GCM and GMAC (SP 800-38D).
//!
//! `hash` is GHASH, and `pipeline` the rest. Both are written once over the registers of an
//! instruction set, which `arch` supplies. `soft` serves CPUs without these instructions, with the
//! arithmetic of `field` on plain integers.

pub(crate) mod field;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod hash;
mod job;
pub(crate) mod key;
mod lanes;
#[allow(dead_code, reason = "not every architecture has AES instructions")]
pub(crate) mod pipeline;
pub(crate) mod soft;

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
}

/// Texts of this length and more are long: except in `soft`, they are ciphered and hashed in one
/// pass.
pub(crate) const LONG: usize = 512;

/// A block as [`Message`] has it.
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
    };
}

/// A length that GCM does not take.
///
/// ```
/// use broadloom_lanes::{GcmJob, GcmKey};
///
/// let error = GcmJob::seal(&GcmKey::new(&[7; 16]).expect("16 bytes"), [], b"", vec![0; 8], ())
///     .err()
///     .expect("no bytes are no nonce");
/// assert_eq!(error.to_string(), "a nonce for GCM has at least 1 byte, not 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcmError {
    /// A nonce of no bytes.
    Nonce,
    /// A length for tags that is not 4, 8 or 12 to 16 bytes.
    Tag {
        /// The length, in bytes.
        len: usize,
    },
    /// A tag to be compared that has another length than the tags that are expected.
    Received {
        /// The length of the tag that came with the message, in bytes.
        len: usize,
        /// The length that was agreed on, in bytes.
        expected: usize,
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
            GcmError::Tag { len } => {
                write!(f, "a tag of GCM has 4, 8 or 12 to 16 bytes, not {len}")
            }
            GcmError::Received { len, expected } => {
                write!(f, "a tag of {len} bytes was received, where tags have {expected}")
            }
            GcmError::Text { len, max } => {
                write!(f, "GCM takes at most {max} bytes of text, not {len}")
            }
        }
    }
}

impl core::error::Error for GcmError {}
