//! Messages that come in pieces, as a provider has them.

use std::any::Any;

use crate::algorithm::MAX_TAG;
use crate::job_error::JobError;

/// What a provider knows of a message of which more comes: chaining values, above all. The bytes
/// that are no whole block yet are the engine's.
///
/// The state wipes itself when it is dropped, if it has secrets.
pub struct ProviderStream {
    state: Box<dyn AbsorbedState>,
    block_len: usize,
}

/// A state of any provider.
trait AbsorbedState: Any + Send {
    fn copy(&self) -> Box<dyn AbsorbedState>;
}

impl<S: Any + Send + Clone> AbsorbedState for S {
    fn copy(&self) -> Box<dyn AbsorbedState> {
        Box::new(self.clone())
    }
}

impl ProviderStream {
    /// A message of which nothing came yet. All portions of it but the last will be multiples of
    /// the block length.
    ///
    /// # Panics
    /// If the block length is 0.
    pub fn new(state: impl Any + Send + Clone, block_len: usize) -> ProviderStream {
        assert!(block_len > 0, "a block of no bytes");
        ProviderStream { state: Box::new(state), block_len }
    }

    pub(crate) fn block_len(&self) -> usize {
        self.block_len
    }
}

impl Clone for ProviderStream {
    fn clone(&self) -> ProviderStream {
        ProviderStream { state: (*self.state).copy(), block_len: self.block_len }
    }
}

/// The next part of a message: whole blocks, of which there is at least one; or the end, which has
/// any length.
///
/// A portion that a provider does not [commit](Portion::commit) to counts as failed
/// ([`JobError::NotDone`]).
pub struct Portion<'p> {
    state: &'p mut dyn Any,
    class: u8,
    data: &'p [u8],
    tag: Option<&'p mut [u8; MAX_TAG]>,
    outcome: &'p mut Result<(), JobError>,
}

/// What a provider computes with, of a [`Portion`].
pub struct PortionParts<'v, S> {
    /// The provider's own state of the message, which absorbs the data. After the end it may be
    /// anything: nobody uses it again.
    pub stream: &'v mut S,
    /// The bytes.
    pub data: &'v [u8],
    /// Where the digest or the tag goes, at its whole length, if this is the end.
    pub tag: Option<&'v mut [u8; MAX_TAG]>,
}

impl<'p> Portion<'p> {
    pub(crate) fn new(
        stream: &'p mut ProviderStream,
        class: u8,
        data: &'p [u8],
        tag: Option<&'p mut [u8; MAX_TAG]>,
        outcome: &'p mut Result<(), JobError>,
    ) -> Portion<'p> {
        let state: &mut dyn Any = &mut *stream.state;
        *outcome = Err(JobError::NotDone);
        Portion { state, class, data, tag, outcome }
    }

    /// The [class](crate::provider::ProviderSession::class) of the session whose message this is.
    pub fn class(&self) -> u8 {
        self.class
    }

    /// Hands the portion over to a provider that does all of it before its queue returns; `None` if
    /// the state of the message is no `S`.
    pub fn commit<S: 'static>(&mut self) -> Option<PortionParts<'_, S>> {
        let stream = self.state.downcast_mut()?;
        *self.outcome = Ok(());
        Some(PortionParts { stream, data: self.data, tag: self.tag.as_deref_mut() })
    }

    /// Says that the portion cannot be done. The stream takes nothing more then.
    pub fn fail(&mut self, error: JobError) {
        *self.outcome = Err(error);
    }
}
