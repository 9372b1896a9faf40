//! A digest of any of the algorithms, and its hexadecimal form.

use broadloom_lanes::public;
use subtle::ConstantTimeEq;

/// Bytes of the longest digest that needs no allocation.
const MAX_INLINE: usize = 64;

/// A digest (or an HMAC) without its algorithm in its type.
#[derive(Clone)]
pub enum Digest {
    /// One of those that are short, as nearly all are.
    Short {
        /// The bytes, and zeros.
        bytes: [u8; MAX_INLINE],
        /// The number of bytes.
        len: u8,
    },
    /// Output of a function that has any length.
    Long(Box<[u8]>),
}

impl Digest {
    /// Takes the bytes of one.
    pub fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; MAX_INLINE];
        match bytes.get_mut(..digest.len()) {
            Some(place) => place.copy_from_slice(digest),
            None => return Digest::Long(digest.into()),
        }
        Digest::Short { bytes, len: digest.len() as u8 }
    }

    /// From hexadecimal digits of either case; `None` if `hex` is anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let (pairs, []) = hex.as_chunks() else { return None };
        let digit = |c: u8| char::from(c).to_digit(16);
        let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? << 4 | digit(*low)?) as u8);
        Some(Digest::new(&pairs.iter().map(byte).collect::<Option<Vec<_>>>()?))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Digest::Short { bytes, len } => &bytes[..usize::from(*len)],
            Digest::Long(bytes) => bytes,
        }
    }

    /// Returns `true` if two are the same, in a time that does not depend on where they differ: one
    /// of them may be an HMAC.
    pub fn matches(&self, other: &Digest) -> bool {
        public(self.as_bytes().ct_eq(other.as_bytes()))
    }

    /// Appends it in lower-case hexadecimal.
    pub fn write_hex(&self, out: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for &byte in self.as_bytes() {
            out.push(DIGITS[usize::from(byte >> 4)]);
            out.push(DIGITS[usize::from(byte & 15)]);
        }
    }
}
