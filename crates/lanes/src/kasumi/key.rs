//! Keys, and errors of F8 and F9.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key for F8 or F9: 128 bits, wiped when dropped.
///
/// It is stored unexpanded: the schedule of all lanes is made at once, when buffers take lanes.
///
/// ```
/// use broadloom_lanes::KasumiKey;
///
/// let key = KasumiKey::new(&[7; 16]);
/// assert_eq!(format!("{key:?}"), "KasumiKey");
/// ```
pub struct KasumiKey {
    /// The first and the last eight bytes, as big-endian integers.
    halves: [u64; 2],
}

impl KasumiKey {
    /// Returns a key of 16 bytes, in the order of TS 35.202: `K1`'s first byte comes first.
    pub fn new(key: &[u8; 16]) -> Self {
        let (halves, _) = key.as_chunks::<8>();
        KasumiKey { halves: [u64::from_be_bytes(halves[0]), u64::from_be_bytes(halves[1])] }
    }

    #[inline(always)]
    pub(super) fn halves(&self) -> [u64; 2] {
        self.halves
    }
}

impl Drop for KasumiKey {
    fn drop(&mut self) {
        self.halves.zeroize();
    }
}

impl ZeroizeOnDrop for KasumiKey {}

impl fmt::Debug for KasumiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KasumiKey")
    }
}

/// Why a buffer cannot be processed with F8 or F9.
///
/// ```
/// use broadloom_lanes::{F8Job, KasumiKey, LinkDirection};
///
/// let key = KasumiKey::new(&[7; 16]);
/// let error = F8Job::f8(&key, 1, 32, LinkDirection::Uplink, vec![0; 8], 64, ())
///     .err()
///     .expect("a bearer has 5 bits");
/// assert_eq!(error.to_string(), "a bearer is 0 to 31, not 32");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KasumiError {
    /// A bearer has 5 bits.
    Bearer {
        /// The bearer that was given.
        given: u8,
    },
    /// More bits than the bytes have.
    Bits {
        /// The length that was given, in bits.
        given: usize,
        /// The available bytes.
        bytes: usize,
    },
}

impl KasumiError {
    pub(super) fn check_bearer(given: u8) -> Result<(), KasumiError> {
        if given < 32 { Ok(()) } else { Err(KasumiError::Bearer { given }) }
    }

    pub(super) fn check_bits(given: usize, bytes: usize) -> Result<(), KasumiError> {
        if given.div_ceil(8) <= bytes { Ok(()) } else { Err(KasumiError::Bits { given, bytes }) }
    }
}

impl fmt::Display for KasumiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KasumiError::Bearer { given } => write!(f, "a bearer is 0 to 31, not {given}"),
            KasumiError::Bits { given, bytes } => {
                write!(f, "{given} bits do not fit in {bytes} bytes")
            }
        }
    }
}

impl core::error::Error for KasumiError {}
