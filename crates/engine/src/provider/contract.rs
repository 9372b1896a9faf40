//! The trait that a provider implements.

use std::ops::RangeInclusive;

use super::queue::AnyQueue;
use super::session::{ProviderError, ProviderSession};
use crate::algorithm::{Algorithm, CompressionAlgorithm};
use crate::transform::Transform;

/// An implementation of the engine's operations.
///
/// It says what it can do, opens sessions (expands keys), and opens queues (whatever one thread
/// needs to work). Everything that is true of all providers is the engine's: a provider is given
/// operations whose lengths, nonces and ranges were checked, whose scattered bytes are in one
/// piece, and whose chains, but for those that it does [whole](Provider::chains_whole), were taken
/// apart into a cipher and a MAC.
pub trait Provider: Send + Sync {
    /// The name on command lines and in JSON.
    fn name(&self) -> &str;

    /// Describes the provider in words: its version, and the options that it was opened with.
    fn description(&self) -> String;

    /// Returns `true` if it has an algorithm, in all its directions; a chain if it has the cipher
    /// and the MAC.
    fn supports(&self, algorithm: Algorithm) -> bool;

    /// Returns `true` if it does a chain that it [supports](Provider::supports) in one pass. Its
    /// session is then opened for the chain itself, and its operations have a
    /// [layout](crate::provider::Layout). Any other the engine composes of the cipher and the MAC.
    fn chains_whole(&self, chain: Algorithm) -> bool {
        let _ = chain;
        false
    }

    /// The levels at which it compresses; `None` where it does not.
    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        let _ = algorithm;
        None
    }

    /// Returns `true` if it is to be used only where it is asked for by name.
    fn by_name_only(&self) -> bool {
        false
    }

    /// Expands the keys of a transform, which is no chain unless it does that
    /// [whole](Provider::chains_whole). The keys are wiped when the session is dropped.
    ///
    /// # Errors
    /// [`ProviderError`] if it has no such algorithm, or cannot.
    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError>;

    /// Opens a queue, for one thread.
    ///
    /// # Errors
    /// [`ProviderError`] if it cannot have one more.
    fn open_queue(&self) -> Result<AnyQueue, ProviderError>;
}
