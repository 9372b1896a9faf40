//! The contract of the kernels.

use super::aead::Workspace;
use super::key::ChaChaKey;
use super::stream::{self, ChaChaCipher};
use super::text::{ChaChaMessage, XChaChaMessage};

/// ChaCha20 and ChaCha20-Poly1305 in one instruction set.
///
/// # Safety
///
/// The caller promises that
///
/// - the CPU has the instructions of the kernel;
/// - all keys are valid, and all that is read is readable for its length, at any alignment;
/// - destinations are writable for the length of their text, and tags for 16 bytes. Source and
///   destination are the same, or do not overlap; nothing else that is written overlaps anything
///   that is read or written;
/// - there are at most [`GATHERED`](super::aead::GATHERED) messages.
pub(crate) struct ChaChaKernel {
    /// The name shown to users.
    pub name: &'static str,
    /// Blocks of keystream that it makes at once.
    pub lanes: usize,
    /// Ciphers texts to their end.
    pub cipher: ChaChaCipher,
    /// Ciphers messages to their end, and writes the tag of each. Nobody has compared it with
    /// another.
    pub process: unsafe fn(messages: &[ChaChaMessage], workspace: &mut Workspace),
    /// Makes the keys that HChaCha20 derives for the first messages.
    pub subkeys: unsafe fn(
        messages: &[XChaChaMessage],
        lanes: &mut stream::StreamLanes,
        keys: &mut [ChaChaKey],
    ),
}
