//! A digest of any of the algorithms, and its hexadecimal form.

use broadloom_lanes::public;
use subtle::ConstantTimeEq;

/// Bytes in the longest digest.
const MAX_LEN: usize = 64;

/// A digest (or an HMAC) without its algorithm in its type.
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Digest {
    /// From the bytes of one, 64 at most.
    pub fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; MAX_LEN];
        bytes[..digest.len()].copy_from_slice(digest);
        Digest { bytes, len: digest.len() as u8 }
    }

    /// From hexadecimal digits of either case; `None` if `hex` is anything else.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_LEN];
        let len = hex.len() / 2;
        if !hex.len().is_multiple_of(2) || len > MAX_LEN {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let digit = |c: u8| char::from(c).to_digit(16);
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Some(Digest { bytes, len: len as u8 })
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether two are the same, in a time that does not depend on where they differ: one of them
    /// may be an HMAC.
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
