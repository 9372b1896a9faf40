//! The monitor in which threads meet: results that wait for their turn, and threads that wait for
//! theirs.
//!
//! Its lock is held for a moment per result, and no foreign code runs under it.

use crate::Turn;
use crate::held::Held;
use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, MutexGuard, Ordering, lock, wait};

/// Results, and how many of them are done with.
pub(crate) struct Turns<R> {
    state: Mutex<Waiting<R>>,
    /// Results that are done with: all before this number. It changes under the lock, and is read
    /// without it.
    head: AtomicU64,
    /// For threads that wait until others are done with results.
    moved: Condvar,
    /// For an owner that waits for results.
    ready: Condvar,
    stopped: AtomicBool,
}

/// What is under the lock.
pub(crate) struct Waiting<R> {
    pub(crate) held: Held<R>,
    /// A thread is handing result after result to the sink, as long as the next one has come.
    pub(crate) is_writing: bool,
    /// The lowest head that a thread waits for.
    wake_at: u64,
}

impl<R> Turns<R> {
    pub(crate) fn new() -> Self {
        Turns {
            state: Mutex::new(Waiting { held: Held::new(), is_writing: false, wake_at: u64::MAX }),
            head: AtomicU64::new(0),
            moved: Condvar::new(),
            ready: Condvar::new(),
            stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Waiting<R>> {
        lock(&self.state)
    }

    /// Returns the number of results that are done with.
    pub(crate) fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// Returns `true` if nothing more is to be done.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Counts the result that was taken last as done with, and wakes those who wait for that.
    pub(crate) fn advance(&self, state: &mut Waiting<R>) {
        let head = state.held.taken();
        self.head.store(head, Ordering::Release);
        if head >= state.wake_at {
            state.wake_at = u64::MAX;
            self.moved.notify_all();
        }
    }

    /// Waits until so many results are done with, or nothing more is to be done.
    pub(crate) fn wait_for(&self, head: u64) {
        if self.head() >= head {
            return;
        }
        let mut state = self.lock();
        while self.head() < head && !self.is_stopped() {
            state.wake_at = state.wake_at.min(head);
            state = wait(&self.moved, state);
        }
    }

    /// Waits for results, until [`wake_owner`](Self::wake_owner) or [`stop`](Self::stop) is called.
    pub(crate) fn wait_as_owner<'t>(
        &'t self,
        state: MutexGuard<'t, Waiting<R>>,
    ) -> MutexGuard<'t, Waiting<R>> {
        wait(&self.ready, state)
    }

    /// Wakes the owner, which waits for results.
    pub(crate) fn wake_owner(&self) {
        self.ready.notify_one();
    }

    /// Stops everybody soon.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        // Under the lock, so that nobody is between a look at it and waiting.
        drop(self.lock());
        self.moved.notify_all();
        self.ready.notify_all();
    }
}

/// What can be stopped.
pub(crate) trait Stop {
    /// Stops everybody soon.
    fn stop(&self);
}

/// Stops all threads when its own panics: they would wait for its results.
pub struct StopInPanic<'l>(pub(crate) &'l (dyn Stop + 'l));

impl Drop for StopInPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl Turn {
    /// Returns the head at which it is this item's turn.
    pub(crate) fn head(self) -> u64 {
        self.0
    }
}
