//! AES-CCM (SP 800-38C, RFC 3610): a chain over lengths, associated data and plaintext, which is
//! the tag, and counter mode.
//!
//! The chain is serial within a message, so each message gets a lane of
//! [`chains`](super::mac::chains). Sealing ciphers the text after the chain is complete; opening
//! ciphers it before the chain begins. `blocks` lays messages out as in SP 800-38C, appendix A.

mod blocks;
mod job;
mod lanes;

use core::fmt;

pub use job::CcmJob;
pub use lanes::CcmLanes;

/// A length that CCM does not take.
///
/// ```
/// use broadloom_lanes::{AesKey, CcmJob};
///
/// let key = AesKey::new(&[7; 16]).expect("16 bytes");
/// let error = CcmJob::seal(&key, &[1; 5], b"", vec![0; 8], 8, ())
///     .err()
///     .expect("5 bytes are no nonce");
/// assert_eq!(error.to_string(), "a nonce for CCM has 7 to 13 bytes, not 5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcmError {
    /// A nonce that does not have 7 to 13 bytes.
    Nonce {
        /// Its length, in bytes.
        len: usize,
    },
    /// A tag that does not have 4, 6, 8, 10, 12, 14 or 16 bytes.
    Tag {
        /// Its length, in bytes.
        len: usize,
    },
    /// A tag to be compared that has another length than the tags that are expected.
    Received {
        /// The length of the tag that came with the message, in bytes.
        len: usize,
        /// The length that was agreed on, in bytes.
        expected: usize,
    },
    /// A text that is longer than its length field can say, which gets what the nonce leaves.
    Text {
        /// The text's length, in bytes.
        len: u64,
        /// The most bytes of text with a nonce of this length.
        max: u64,
    },
}

impl fmt::Display for CcmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CcmError::Nonce { len } => write!(f, "a nonce for CCM has 7 to 13 bytes, not {len}"),
            CcmError::Tag { len } => {
                write!(f, "a tag of CCM has 4, 6, 8, 10, 12, 14 or 16 bytes, not {len}")
            }
            CcmError::Received { len, expected } => {
                write!(f, "a tag of {len} bytes was received, where tags have {expected}")
            }
            CcmError::Text { len, max } => {
                write!(f, "CCM takes at most {max} bytes of text with this nonce, not {len}")
            }
        }
    }
}

impl core::error::Error for CcmError {}
