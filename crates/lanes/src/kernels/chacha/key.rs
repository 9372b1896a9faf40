//! The key of ChaCha20.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key for ChaCha20 and ChaCha20-Poly1305 (RFC 8439): 32 bytes.
///
/// It is wiped when it is dropped.
///
/// ```
/// use broadloom_lanes::ChaChaKey;
///
/// let key = ChaChaKey::new(&[7; 32]);
/// assert_eq!(format!("{key:?}"), "ChaChaKey { .. }");
/// ```
#[repr(C, align(32))]
pub struct ChaChaKey {
    /// The words of the state that it stands for.
    words: [u32; 8],
}

impl ChaChaKey {
    /// Returns a key from these bytes.
    pub fn new(key: &[u8; 32]) -> Self {
        let (words, _) = key.as_chunks::<4>();
        ChaChaKey { words: core::array::from_fn(|i| u32::from_le_bytes(words[i])) }
    }

    /// Returns its words.
    #[cfg(test)]
    pub(crate) fn words(&self) -> [u32; 8] {
        self.words
    }

    /// Room for a key.
    pub(crate) const NONE: ChaChaKey = ChaChaKey { words: [0; 8] };

    /// Derives the key of HChaCha20: the first and the last row of the state after its rounds.
    #[inline(always)]
    pub(crate) fn derive(&mut self, state: &[u32; 16]) {
        self.words[..4].copy_from_slice(&state[..4]);
        self.words[4..].copy_from_slice(&state[12..]);
    }

    /// Wipes it, for another key to take its place.
    pub(crate) fn wipe(&mut self) {
        self.words.zeroize();
    }
}

impl Drop for ChaChaKey {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl ZeroizeOnDrop for ChaChaKey {}

impl fmt::Debug for ChaChaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaKey").finish_non_exhaustive()
    }
}
