//! What runs at a provider for a session.

use std::any::Any;

use crate::provider::session::ProviderSession;

/// A session's work at its provider: one part, or for a chain two, in the order in which they run.
// In this order: the first stage is asked for every job.
#[repr(C)]
pub(crate) struct Stages {
    pub first: Stage,
    pub second: Option<Stage>,
}

impl Stages {
    /// Returns the names of the instruction sets of all stages, each once.
    pub fn instruction_sets(&self) -> String {
        let first = self.first.session.instruction_set();
        let second = self.second.as_ref().map(|stage| stage.session.instruction_set());
        match second {
            Some(second) if second != first => format!("{first}, {second}"),
            _ => first,
        }
    }

    /// Returns the bytes of the provider's sessions.
    pub fn size(&self) -> usize {
        let second = self.second.as_ref().map_or(0, |stage| size_of_val(&*stage.session));
        size_of_val(&*self.first.session) + second
    }
}

/// What one provider's session does of a session's work.
pub(crate) struct Stage {
    pub part: Part,
    pub class: u8,
    pub session: Box<dyn ProviderSession>,
}

impl Stage {
    /// The provider's own session, if it is an `S`.
    #[inline]
    pub(crate) fn own<S: 'static>(&self) -> Option<&S> {
        let session: &dyn Any = &*self.session;
        session.downcast_ref()
    }
}

/// Which half of a chain, or what else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The cipher, or the AEAD.
    Cipher,
    /// The hash or the MAC.
    Mac,
    /// Neither: both at once.
    Chain,
    /// A compression or a decompression, which is never half of anything.
    Compression,
    /// A public-key algorithm, which is never half of anything either.
    PublicKey,
}

impl From<Stage> for Stages {
    fn from(first: Stage) -> Self {
        Stages { first, second: None }
    }
}
