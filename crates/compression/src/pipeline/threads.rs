//! The threads of a call.

use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

use broadloom_engine::{AffinityError, pin_to};

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

/// Threads that were started in a scope, and what they come back with.
pub(super) struct Threads<'scope, 'env, T> {
    scope: &'scope Scope<'scope, 'env>,
    started: Vec<ScopedJoinHandle<'scope, T>>,
}

impl<'scope, 'env, T: Send + 'scope> Threads<'scope, 'env, T> {
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>) -> Self {
        Threads { scope, started: Vec::new() }
    }

    /// Starts one.
    pub(super) fn start(
        &mut self,
        name: String,
        body: impl FnOnce() -> T + Send + 'scope,
    ) -> Result<(), ThreadError> {
        match Builder::new().name(name.clone()).spawn_scoped(self.scope, body) {
            Ok(thread) => self.started.push(thread),
            Err(source) => return Err(ThreadError::Start { name, source }),
        }
        Ok(())
    }

    /// Waits for all, and gives what they came back with, in the order in which they were started.
    /// A panic goes on to the caller.
    pub(super) fn join(self) -> Vec<T> {
        let outcomes: Vec<_> = self.started.into_iter().map(ScopedJoinHandle::join).collect();
        let come_back = |outcome| match outcome {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        outcomes.into_iter().map(come_back).collect()
    }
}

/// Pins the calling thread, the `index`th, to its core among those that are dealt out round robin.
pub(super) fn pin(cores: Option<&[usize]>, index: usize) -> Result<(), ThreadError> {
    match cores {
        Some(cores) if !cores.is_empty() => Ok(pin_to(cores[index % cores.len()])?),
        _ => Ok(()),
    }
}
