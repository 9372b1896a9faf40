//! Messages that come in pieces.

mod kept;
mod piece;
mod waiting;
mod work;

use std::error::Error;
use std::fmt;

use crate::algorithm::Algorithm;
use crate::job_error::JobError;
use crate::provider::stream::ProviderStream;
use crate::session::Session;
use kept::Kept;
use waiting::Waiting;

pub use piece::Piece;

/// A message that comes in pieces, to be hashed or authenticated by one session.
///
/// A clone is the same message up to here, and goes on by itself. The end takes the stream, so that
/// nothing can follow. Everything that a stream knows of its message and its key is wiped when it
/// is dropped.
///
/// Pieces may have any length: the engine keeps what is no whole block, and a provider is handed
/// whole blocks. A provider that takes whole messages only never hears of pieces: the engine
/// [keeps](Stream::kept) all of them, and makes them one job at the end.
///
/// A stream does nothing by itself: a [`Processor`](crate::Processor) does the work, and many
/// streams' pieces share lanes in one call of [`update_many`](crate::Processor::update_many).
///
/// ```
/// # let mut registry = broadloom_engine::Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use broadloom_engine::{HashAlgorithm, Job, Processor, Transform};
///
/// let session = registry.open(&Transform::hash(HashAlgorithm::Sha256))?;
/// let mut processor = Processor::new();
/// let mut stream = session.begin()?;
/// stream.update(&mut processor, b"mess")?;
/// let so_far = stream.clone().finish(&mut processor)?;
/// stream.update(&mut processor, b"age")?;
/// let digest = stream.finish(&mut processor)?;
///
/// let mut jobs = [Job::new(&session, b"message"), Job::new(&session, b"mess")];
/// processor.process_many(&mut jobs);
/// assert_eq!(jobs[0].tag(), Some(digest.as_slice()));
/// assert_eq!(jobs[1].tag(), Some(so_far.as_slice()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Stream {
    session: Session,
    message: Message,
    /// Why the stream takes nothing more. In a box, because streams are moved.
    failed: Option<Box<JobError>>,
    /// A processor works on a piece: a provider that panics leaves it so.
    is_busy: bool,
}

/// What there is of a message.
enum Message {
    /// The provider's state, and what is no whole block.
    Absorbed(ProviderStream, Waiting),
    /// All of it.
    Kept(Kept),
}

impl Stream {
    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Bytes of the message that are kept in memory until it ends, because the session's provider
    /// takes whole messages only; `None` where the provider takes pieces. Whoever reads messages
    /// that have no bound can bound them by this.
    pub fn kept(&self) -> Option<usize> {
        match &self.message {
            Message::Absorbed(..) => None,
            Message::Kept(kept) => Some(kept.bytes().len()),
        }
    }

    /// Returns why the stream takes nothing more.
    fn failure(&self) -> Option<JobError> {
        let panicked = self.is_busy.then_some(JobError::Panicked);
        self.failed.as_deref().copied().or(panicked)
    }
}

impl Clone for Message {
    fn clone(&self) -> Message {
        match self {
            Message::Absorbed(at, waiting) => {
                Message::Absorbed(at.clone(), waiting.copy(at.block_len()))
            }
            Message::Kept(kept) => {
                let mut copy = Kept::default();
                copy.add(kept.bytes());
                Message::Kept(copy)
            }
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message in pieces for {:?}", self.session)
    }
}

impl Session {
    /// Begins a message that comes in pieces.
    ///
    /// # Errors
    /// [`StreamError`] if the session neither hashes nor authenticates, or does so under a nonce.
    pub fn begin(&self) -> Result<Stream, StreamError> {
        let algorithm = self.algorithm();
        let is_taken = matches!(algorithm, Algorithm::Hash(_) | Algorithm::Mac(_));
        if !is_taken || !self.row().nonces.is_none() {
            return Err(StreamError { algorithm });
        }
        // What fails at its provider is done again at the other: with the whole message.
        let at_provider = match self.falls_back_to() {
            None => self.stage(false).session.begin(),
            Some(_) => None,
        };
        let message = match at_provider {
            Some(at) => Message::Absorbed(at, Waiting::default()),
            None => Message::Kept(Kept::default()),
        };
        Ok(Stream { session: self.clone(), message, failed: None, is_busy: false })
    }
}

/// An algorithm whose messages do not come in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamError {
    /// The algorithm.
    pub algorithm: Algorithm,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StreamError { algorithm } = self;
        write!(
            f,
            "{algorithm} takes whole messages only; a hash, or a MAC without a nonce, takes pieces"
        )
    }
}

impl Error for StreamError {}
