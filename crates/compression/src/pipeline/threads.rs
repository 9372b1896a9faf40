//! The threads of a call.

use std::io;

use broadloom_engine::{AffinityError, pin_to};
use broadloom_ordered::Threads;

/// The threads of a call could not be started as planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// A thread cannot be pinned.
    #[error(transparent)]
    Pin(#[from] AffinityError),
    /// The system gives no more threads.
    #[error("the system does not start thread {name:?}: {source}")]
    Start {
        /// Its name.
        name: String,
        /// The system's error.
        source: io::Error,
    },
}

/// Starts a thread.
pub(super) fn start<'scope, T: Send + 'scope>(
    threads: &mut Threads<'scope, '_, T>,
    name: String,
    body: impl FnOnce() -> T + Send + 'scope,
) -> Result<(), ThreadError> {
    threads.start(name.clone(), body).map_err(|source| ThreadError::Start { name, source })
}

/// Pins the calling thread, the `index`th, to its core among those that are dealt out round robin.
pub(super) fn pin(cores: Option<&[usize]>, index: usize) -> Result<(), ThreadError> {
    match cores {
        Some(cores) if !cores.is_empty() => Ok(pin_to(cores[index % cores.len()])?),
        _ => Ok(()),
    }
}
