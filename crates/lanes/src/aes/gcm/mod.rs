//! AES-GCM and GMAC (SP 800-38D). The kernels are in `kernels/aes/gcm`.

mod job;
pub(crate) mod key;
mod lanes;

use core::fmt;

pub use job::{GcmJob, GmacJob};
pub use lanes::GcmLanes;

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
