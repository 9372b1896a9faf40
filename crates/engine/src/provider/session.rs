//! A provider's own part of a session, and why there may be none.

use std::any::Any;
use std::error::Error;
use std::fmt;

use super::stream::ProviderStream;

/// A provider's own part of a session: expanded keys. It is shared between threads.
pub trait ProviderSession: Any + Send + Sync {
    /// The kernel that will run, in words.
    fn kernel(&self) -> String;

    /// Returns the instruction set or the library whose kernel runs, as metrics name it: `avx512`.
    /// It is empty if the provider does not say.
    fn instruction_set(&self) -> String {
        String::new()
    }

    /// Sessions of one class share lanes: where the order of completion is free, a queue pair
    /// gathers jobs by it. At most 255.
    fn class(&self) -> u8 {
        0
    }

    /// Room at which compressing `len` bytes never overflows; as good a guess as any for what does
    /// not compress.
    fn bound(&self, len: usize) -> usize {
        crate::stored::len(len) + 64
    }

    /// Begins a message that comes in pieces, of a hash or of a MAC without a nonce; its
    /// [portions](crate::provider::Portion) go to a [`Queue`](crate::provider::Queue::absorb).
    /// `None` where whole messages alone are taken: the engine then keeps the pieces, and makes
    /// them one operation.
    fn begin(&self) -> Option<ProviderStream> {
        None
    }

    /// Asks for the memory of the keys ([`broadloom_lanes::prefetch`]), so that it is on its way to
    /// the caches before the job that needs it.
    fn touch(&self) {}

    /// Encrypts one block in place, within the call and without a queue, if this is a session of a
    /// block cipher by itself that [encrypts](crate::Direction::Encrypt). Returns `false` if it is
    /// not, or if there is no such way; nothing was done then.
    ///
    /// It is for what takes many single blocks, each under a key of its own, such as the masks over
    /// the headers of packets: less would be done in a queue than is spent on its operations.
    fn encrypt_block(&self, block: &mut [u8; 16]) -> bool {
        let _ = block;
        false
    }

    /// Returns `true` if data in pieces that are only read are taken [as they
    /// are](crate::provider::Operation::input_pieces); else the engine brings them into one piece.
    fn gathers(&self) -> bool {
        false
    }
}

/// Why a provider cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// The reason, in words.
    pub reason: String,
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProviderError { reason } = self;
        write!(f, "{reason}")
    }
}

impl Error for ProviderError {}

impl ProviderError {
    /// An error with a reason.
    pub fn new(reason: impl Into<String>) -> Self {
        ProviderError { reason: reason.into() }
    }
}
