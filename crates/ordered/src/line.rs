//! A source and a sink that any thread may use.

use crate::sync::{Mutex, lock};
use crate::turns::{Stop, StopInPanic, Turns};
use crate::{Next, Turn};

/// Takes results, in the order of their items.
pub trait Sink<R> {
    /// Why a result cannot be taken, or what a result says of the item.
    type Error;

    /// Takes the next result. Nothing is taken after an error.
    ///
    /// # Errors
    /// That with which everything ends.
    fn take(&mut self, result: R) -> Result<(), Self::Error>;

    /// Ends a run of results: others may be long in coming.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    fn flush(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// A source and a sink that threads use by turns.
///
/// Each thread asks for items by [`next`](Self::next), works on them, and gives their results by
/// [`put`](Self::put). The thread that completes the next result hands it to the sink, from a cache
/// that it is still in, together with those behind it that have come. Where another thread is
/// writing, that one does it.
pub struct Line<S, R, K: Sink<R>> {
    window: u64,
    source: Mutex<Numbered<S>>,
    turns: Turns<R>,
    sink: Mutex<Written<K, K::Error>>,
}

/// A source that gives each item a number.
struct Numbered<S> {
    source: S,
    next: u64,
    ended: bool,
}

/// A sink, and the error that ended it.
struct Written<K, E> {
    sink: K,
    error: Option<E>,
}

impl<S, R, K: Sink<R>> Line<S, R, K> {
    /// Makes a line in which no item is begun while `window` results before it are missing.
    ///
    /// # Panics
    /// If the window is 0.
    pub fn new(source: S, sink: K, window: u64) -> Self {
        assert!(window > 0, "a window of no items has room for none");
        Line {
            window,
            source: Mutex::new(Numbered { source, next: 0, ended: false }),
            turns: Turns::new(),
            sink: Mutex::new(Written { sink, error: None }),
        }
    }

    /// Takes the next item with `take`, which one thread at a time calls, and which says `None` at
    /// the end. Where the window is full, a thread that would `wait` waits for results of others. A
    /// thread must not wait while it has items in progress: it would wait for itself.
    pub fn next<T>(&self, wait: bool, take: impl FnOnce(&mut S) -> Option<T>) -> Next<T> {
        loop {
            if self.turns.is_stopped() {
                return Next::End;
            }
            // A source that has panicked gives nothing more.
            let Ok(mut source) = self.source.lock() else { return Next::End };
            if source.ended {
                return Next::End;
            }
            let number = source.next;
            if number < self.turns.head().saturating_add(self.window) {
                let Some(item) = take(&mut source.source) else {
                    source.ended = true;
                    return Next::End;
                };
                source.next += 1;
                return Next::Item(Turn(number), item);
            }
            drop(source);
            if !wait {
                return Next::Later;
            }
            self.turns.wait_for(number + 1 - self.window);
        }
    }

    /// Gives results of items, each once, and hands those whose turn has come to the sink, unless
    /// another thread is doing so.
    pub fn put(&self, results: impl IntoIterator<Item = (Turn, R)>) {
        let mut state = self.turns.lock();
        for (turn, result) in results {
            state.held.put(turn, result);
        }
        if state.is_writing || !state.held.has_next() {
            return;
        }
        state.is_writing = true;
        drop(state);
        // A sink that has panicked takes nothing more.
        let Ok(mut written) = self.sink.lock() else { return self.stop() };
        let mut state = self.turns.lock();
        while let Some(result) = if self.is_stopped() { None } else { state.held.take() } {
            drop(state);
            let taken = written.sink.take(result);
            self.check(&mut written, taken);
            state = self.turns.lock();
            self.turns.advance(&mut state);
        }
        state.is_writing = false;
        drop(state);
        let flushed = written.sink.flush();
        self.check(&mut written, flushed);
    }

    /// Calls `write` with the sink when everything before the item was taken, and before the item's
    /// own result was given. Returns `None` if everything was stopped, or if `write` fails, which
    /// stops everything. A thread that waits here must have no item before this one.
    pub fn in_turn<T>(
        &self,
        turn: Turn,
        write: impl FnOnce(&mut K) -> Result<T, K::Error>,
    ) -> Option<T> {
        self.turns.wait_for(turn.head());
        if self.is_stopped() {
            return None;
        }
        let mut written = self.sink.lock().ok()?;
        let done = write(&mut written.sink);
        self.check(&mut written, done)
    }

    /// Calls `look` with the sink, whosever turn it is. A sink that has panicked is left alone.
    pub fn with_sink(&self, look: impl FnOnce(&mut K)) {
        if let Ok(mut written) = self.sink.lock() {
            look(&mut written.sink);
        }
    }

    /// Ends everything, with an error unless there was one before.
    pub fn fail(&self, error: K::Error) {
        lock(&self.sink).error.get_or_insert(error);
        self.stop();
    }

    /// Ends everything soon: no item is given any more, and no result is taken.
    pub fn stop(&self) {
        self.turns.stop();
    }

    /// Returns `true` if everything is to end, so that nothing more need be done.
    pub fn is_stopped(&self) -> bool {
        self.turns.is_stopped()
    }

    /// Returns a guard that stops everything if its thread panics, for each thread that works.
    pub fn stop_in_panic(&self) -> StopInPanic<'_> {
        StopInPanic(self)
    }

    /// Returns the source, the sink, and the error that ended everything.
    pub fn into_parts(self) -> (S, K, Option<K::Error>) {
        let poisoned = "a panic of the source or the sink has gone on to the caller";
        let source = self.source.into_inner().expect(poisoned);
        let written = self.sink.into_inner().expect(poisoned);
        (source.source, written.sink, written.error)
    }

    /// Keeps the first error, and stops everything.
    fn check<T>(&self, written: &mut Written<K, K::Error>, done: Result<T, K::Error>) -> Option<T> {
        done.map_err(|error| {
            written.error.get_or_insert(error);
            self.stop();
        })
        .ok()
    }
}

impl<S, R, K: Sink<R>> Stop for Line<S, R, K> {
    fn stop(&self) {
        self.turns.stop();
    }
}
