//! The threads of a call.

use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Threads that were started in a scope, and what they come back with.
pub struct Threads<'scope, 'env, T> {
    scope: &'scope Scope<'scope, 'env>,
    started: Vec<ScopedJoinHandle<'scope, T>>,
}

impl<'scope, 'env, T: Send + 'scope> Threads<'scope, 'env, T> {
    /// Makes a group of no threads.
    pub fn new(scope: &'scope Scope<'scope, 'env>) -> Self {
        Threads { scope, started: Vec::new() }
    }

    /// Starts a thread.
    ///
    /// # Errors
    /// The system gives no further thread.
    pub fn start(
        &mut self,
        name: String,
        body: impl FnOnce() -> T + Send + 'scope,
    ) -> io::Result<()> {
        self.start_boxed(name, Box::new(body))
    }

    /// Starts a thread. The system's way to a thread is compiled once for each type of what threads
    /// come back with, and not for each body.
    fn start_boxed(
        &mut self,
        name: String,
        body: Box<dyn FnOnce() -> T + Send + 'scope>,
    ) -> io::Result<()> {
        self.started.push(Builder::new().name(name).spawn_scoped(self.scope, body)?);
        Ok(())
    }

    /// Waits for all threads, and returns what they came back with, in the order in which they were
    /// started.
    ///
    /// # Panics
    /// If a thread panicked: its panic goes on.
    pub fn join(self) -> Vec<T> {
        let outcomes: Vec<_> = self.started.into_iter().map(ScopedJoinHandle::join).collect();
        let come_back = |outcome| match outcome {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        outcomes.into_iter().map(come_back).collect()
    }
}

/// Calls `work` with 0 on this thread, and with the numbers up to `threads` on others beside it.
/// Where the system gives no further thread, those that there are do all the work.
///
/// # Panics
/// If `work` panics on any thread.
pub fn side_by_side(threads: usize, name: &str, work: impl Fn(usize) + Sync) {
    side_by_side_dyn(threads, name, &work);
}

/// Does what [`side_by_side`] says, compiled once for all work.
fn side_by_side_dyn(threads: usize, name: &str, work: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        let mut others = Threads::new(scope);
        for index in 1..threads {
            if others.start(format!("{name} {index}"), move || work(index)).is_err() {
                break;
            }
        }
        work(0);
        others.join();
    });
}
