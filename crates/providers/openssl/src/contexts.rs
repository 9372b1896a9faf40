//! Which context an operation gets.

use broadloom_engine::JobError;

use crate::evp::{CipherContext, DigestContext, EvpError, MacContext};
use crate::options::{ContextMode, Options};
use crate::slots::{Number, Numbers, Slots, Sole};

/// A context that can be made from another one with the same key.
pub(crate) trait Duplicate: Sized {
    fn duplicate(&self) -> Result<Self, EvpError>;
}

/// A session's contexts: one that has everything set that is set once, and what is made of it.
pub(crate) enum Contexts<T> {
    /// There is one queue, which uses the first context itself.
    Only(Sole<T>),
    /// Every queue has a copy, made when it first meets the session.
    PerQueuePair { main: T, copies: Slots<T> },
    /// Every job has a copy, made for it and freed after it.
    PerJob { main: T },
}

impl<T: Duplicate> Contexts<T> {
    pub(crate) fn new(main: T, options: &Options, numbers: &Numbers) -> Contexts<T> {
        match options.contexts {
            ContextMode::PerJob => Contexts::PerJob { main },
            ContextMode::PerQueuePair if numbers.capacity() == 1 => {
                Contexts::Only(Sole::new(numbers, main))
            }
            ContextMode::PerQueuePair => {
                Contexts::PerQueuePair { main, copies: Slots::new(numbers) }
            }
        }
    }

    /// Has an operation of the queue with this number use its context.
    #[inline]
    pub(crate) fn with<R>(
        &self,
        number: &mut Number,
        with: impl FnOnce(&mut T) -> Result<R, JobError>,
    ) -> Result<R, JobError> {
        match self {
            Contexts::PerQueuePair { main, copies } => {
                copies.with(number, || main.duplicate().map_err(job_error), with)
            }
            Contexts::Only(sole) => sole.with(number, with),
            Contexts::PerJob { main } => with(&mut main.duplicate().map_err(job_error)?),
        }
    }
}

/// A failure of libcrypto as a job's.
pub(crate) fn job_error(error: EvpError) -> JobError {
    JobError::Provider { code: i64::try_from(error.code).unwrap_or(i64::MAX) }
}

impl Duplicate for DigestContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        DigestContext::duplicate(self)
    }
}

impl Duplicate for MacContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        MacContext::duplicate(self)
    }
}

impl Duplicate for CipherContext {
    fn duplicate(&self) -> Result<Self, EvpError> {
        CipherContext::duplicate(self)
    }
}
