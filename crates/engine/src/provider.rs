//! What a provider is: three small traits, and what it may say when it cannot.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

use crate::algorithm::{Algorithm, CompressionAlgorithm};
use crate::device::DeviceQueue;
use crate::operation::Operation;
use crate::transform::Transform;

/// An implementation of the engine's operations.
///
/// It says what it can do, opens sessions (expands keys), and opens queues (whatever one thread needs to
/// work). Everything that is true of all providers is the engine's: a provider is given operations whose
/// lengths, nonces and ranges were checked, whose scattered bytes are in one piece, and whose chains, but for
/// those that it does [whole](Provider::chains_whole), were taken apart into a cipher and a MAC.
pub trait Provider: Send + Sync {
    /// The name on command lines and in JSON.
    fn name(&self) -> &str;

    /// What it is, in words: its version, and the options it was opened with.
    fn description(&self) -> String;

    /// Whether it has an algorithm, in all its directions; a chain if it has the cipher and the MAC.
    fn supports(&self, algorithm: Algorithm) -> bool;

    /// Whether it does a chain that it [supports](Provider::supports) in one pass. Its session is then opened
    /// for the chain itself, and its operations have a [layout](crate::Layout). Any other the engine composes
    /// of the cipher and the MAC.
    fn chains_whole(&self, chain: Algorithm) -> bool {
        let _ = chain;
        false
    }

    /// The levels at which it compresses; `None` where it does not.
    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        let _ = algorithm;
        None
    }

    /// Whether it is to be used only where it is asked for by name.
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

/// A queue of either kind.
pub enum AnyQueue {
    /// It works within the calls of its owner.
    Local(Box<dyn Queue>),
    /// It hands its work to a device, and learns of its end later.
    Device(Box<dyn DeviceQueue>),
}

impl AnyQueue {
    /// A queue that works within the calls of its owner.
    pub fn local(queue: impl Queue + 'static) -> Self {
        AnyQueue::Local(Box::new(queue))
    }

    /// A queue whose work a device does.
    pub fn device(queue: impl DeviceQueue + 'static) -> Self {
        AnyQueue::Device(Box::new(queue))
    }
}

/// A provider's own part of a session: expanded keys. It is shared between threads.
pub trait ProviderSession: Any + Send + Sync {
    /// The kernel that will run, in words.
    fn kernel(&self) -> String;

    /// Sessions of one class share lanes: where the order of completion is free, a queue pair gathers
    /// jobs by it. At most 255.
    fn class(&self) -> u8 {
        0
    }

    /// Room at which compressing `len` bytes never overflows; as good a guess as any for what does not
    /// compress.
    fn bound(&self, len: usize) -> usize {
        crate::stored::len(len) + 64
    }

    /// Whether data in pieces that are only read are taken [as they are](Operation::input_pieces); else the
    /// engine brings them into one piece.
    fn gathers(&self) -> bool {
        false
    }
}

/// What one thread needs to work: contexts, managers, scratch memory.
pub trait Queue: Send {
    /// Operations of a [class](ProviderSession::class) that are worth waiting for: so many together cost less
    /// each than fewer would.
    fn batch(&mut self, class: u8) -> usize;

    /// Works. Every operation must be [completed](Operation::complete) before this returns: one that is
    /// not counts as failed ([`JobError::NotDone`](crate::JobError::NotDone)).
    ///
    /// The operations are those of sessions of this queue's provider, in any mix.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]);

    /// How full the lanes were so far, where there are any.
    fn occupancy(&self) -> Option<Occupancy> {
        None
    }
}

/// How full lanes were: steps of a lane that advanced a buffer, of all the steps that lanes took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occupancy {
    /// Steps of lanes that had a buffer.
    pub used: u64,
    /// Steps of all lanes.
    pub offered: u64,
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
