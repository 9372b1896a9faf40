//! What a message is hashed under: nothing, a key, or a context.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::kernels::blake3::Value;
use crate::kernels::blake3::{IV, KEYED_HASH};

/// The mode of BLAKE3 and its key. Wiped when dropped.
///
/// ```
/// use broadloom_lanes::{Blake3Key, Blake3Lanes, Cpu, Loan, Planner};
///
/// let keys = [
///     Blake3Key::new(),
///     Blake3Key::keyed(&[7; 32]),
///     Blake3Key::derive("example.com 2026-11-26 session tokens"),
/// ];
/// let mut outputs = [[0; 32]; 3];
/// let mut planner = Planner::<Blake3Lanes>::new(&Cpu::detect());
/// planner.process_each(
///     keys.iter().zip(&mut outputs).map(|(key, output)| Loan::blake3(key, b"message", output)),
/// );
/// assert!(outputs[0] != outputs[1] && outputs[1] != outputs[2]);
/// ```
#[derive(Clone)]
pub struct Blake3Key {
    pub(super) words: Value,
    /// The mode's flag, which all blocks of a message have.
    pub(super) flags: u32,
}

impl Blake3Key {
    /// Returns the key of the plain hash, which is the same for everybody.
    pub const fn new() -> Self {
        Blake3Key { words: IV, flags: 0 }
    }

    /// Returns a key for the keyed hash, which is a MAC.
    pub fn keyed(key: &[u8; 32]) -> Self {
        let (words, _) = key.as_chunks();
        let mut key = Blake3Key { words: [0; 8], flags: KEYED_HASH };
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        key.words.iter_mut().zip(words).for_each(|(place, word)| *place = word);
        key
    }
}

impl Default for Blake3Key {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Blake3Key {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

impl ZeroizeOnDrop for Blake3Key {}

impl fmt::Debug for Blake3Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blake3Key")
    }
}
