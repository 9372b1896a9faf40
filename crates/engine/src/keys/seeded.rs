//! Private keys that are expanded of a seed.

use zeroize::Zeroizing;

/// A seed, the key that is expanded of it, or both.
#[derive(Clone)]
pub(super) struct Seeded {
    /// The seed, and behind it the expanded key: either may be missing.
    bytes: Zeroizing<Vec<u8>>,
    /// Bytes of the seed: 0 if it is not known.
    seed_len: usize,
}

impl Seeded {
    /// Returns a key of its parts, of which one that is not known is empty.
    pub fn new(seed: &[u8], key: &[u8]) -> Seeded {
        // One allocation of the whole length: a vector that grows would leave a copy behind.
        Seeded { bytes: Zeroizing::new([seed, key].concat()), seed_len: seed.len() }
    }

    /// Returns the seed, if it is known.
    pub fn seed(&self) -> Option<&[u8]> {
        let seed = &self.bytes[..self.seed_len];
        (!seed.is_empty()).then_some(seed)
    }

    /// Returns the expanded key, unless only the seed is known.
    pub fn expanded(&self) -> Option<&[u8]> {
        let key = &self.bytes[self.seed_len..];
        (!key.is_empty()).then_some(key)
    }

    /// Returns all bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}
