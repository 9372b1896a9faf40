//! Jobs that are used again.

use std::sync::{Mutex, PoisonError};

use super::Numbered;

/// Jobs that are not on their way. Whoever takes one sees to it that there are never more than the
/// window.
pub(super) struct Pool<'m, J> {
    make: &'m (dyn Fn() -> J + Sync),
    idle: Mutex<Vec<Box<Numbered<J>>>>,
}

impl<'m, J> Pool<'m, J> {
    /// Makes a pool that has room for a window of jobs, and none yet.
    pub(super) fn new(make: &'m (dyn Fn() -> J + Sync), window: usize) -> Self {
        Pool { make, idle: Mutex::new(Vec::with_capacity(window)) }
    }

    /// Takes the job used last, whose buffers are in the nearest cache, or makes one.
    pub(super) fn take(&self) -> Box<Numbered<J>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Box::new(Numbered { turn: Default::default(), job: (self.make)() }))
    }

    /// Puts a job back.
    pub(super) fn put(&self, job: Box<Numbered<J>>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(job);
    }
}
