//! A source and a sink that have threads of their own.

use std::collections::VecDeque;

use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering, lock, wait};
use crate::turns::{Stop, StopInPanic, Turns};
use crate::{Next, Turn};

/// The meeting point of one reader, who gives items, of workers, and of one writer, who takes
/// results. The reader and the writer may be one thread.
pub struct Belt<T, R> {
    window: u64,
    batch: u64,
    queue: Mutex<Queue<T>>,
    /// For workers: there are items, or an end of them.
    work: Condvar,
    /// Items that were given.
    given: AtomicU64,
    /// Items that were taken by workers. It changes under the queue's lock.
    begun: AtomicU64,
    /// No more items are given.
    ended: AtomicBool,
    turns: Turns<R>,
}

/// Items that wait for a worker, in order.
struct Queue<T> {
    items: VecDeque<T>,
    /// Workers that wait for items.
    idle: usize,
}

impl<T, R> Belt<T, R> {
    /// Makes a belt for `window` items and results at a time. The reader and the writer wait for
    /// `batch` of them, so that threads switch less often; the writer waits no longer when there is
    /// nothing left to begin.
    ///
    /// # Panics
    /// If the batch is 0, or larger than the window.
    pub fn new(window: u64, batch: u64) -> Self {
        assert!((1..=window).contains(&batch), "a batch has 1 to {window} items, not {batch}");
        Belt {
            window,
            batch,
            queue: Mutex::new(Queue { items: VecDeque::new(), idle: 0 }),
            work: Condvar::new(),
            given: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            turns: Turns::new(),
        }
    }

    /// For the reader: waits until there is room for an item. Returns `false` if no more items are
    /// wanted.
    pub fn wait_for_room(&self) -> bool {
        let given = self.given.load(Ordering::Relaxed);
        if given - self.turns.head() >= self.window {
            self.turns.wait_for(given + self.batch - self.window);
        }
        !self.turns.is_stopped()
    }

    /// For the reader: gives an item, whether or not there is room.
    pub fn give(&self, item: T) {
        let mut queue = lock(&self.queue);
        queue.items.push_back(item);
        self.given.fetch_add(1, Ordering::Release);
        let wake = queue.idle > 0;
        drop(queue);
        if wake {
            self.work.notify_one();
        }
    }

    /// For the reader: there are no more items.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.wake_workers();
        // Under the lock, so that the writer is not between a look at it and waiting.
        drop(self.turns.lock());
        self.turns.wake_owner();
    }

    /// For a worker: takes the next item. Where there is none yet, a worker that may wait waits
    /// for it.
    pub fn next(&self, may_wait: bool) -> Next<T> {
        let mut queue = lock(&self.queue);
        loop {
            if self.turns.is_stopped() {
                return Next::End;
            }
            if let Some(item) = queue.items.pop_front() {
                return Next::Item(Turn(self.begun.fetch_add(1, Ordering::AcqRel)), item);
            }
            if self.ended.load(Ordering::Acquire) {
                return Next::End;
            }
            if !may_wait {
                return Next::Later;
            }
            queue.idle += 1;
            queue = wait(&self.work, queue);
            queue.idle -= 1;
        }
    }

    /// For a worker: gives the result of an item, once. The writer is woken when a batch of results
    /// waits for it, or when there is nothing left to begin.
    pub fn put(&self, turn: Turn, result: R) {
        let mut state = self.turns.lock();
        state.held.put(turn, result);
        let is_due = || {
            // In this order: an item is given before it is begun.
            let begun = self.begun.load(Ordering::Acquire);
            state.held.ready() >= self.batch || begun == self.given.load(Ordering::Acquire)
        };
        if state.held.has_next() && is_due() {
            drop(state);
            self.turns.wake_owner();
        }
    }

    /// For the writer: takes the next result in order, and counts the one before it as done with.
    /// Returns `None` when all are written, when everything was stopped, or where the result has
    /// not come and the writer would not wait for it.
    pub fn result(&self, may_wait: bool) -> Option<R> {
        let mut state = self.turns.lock();
        self.turns.advance(&mut state);
        loop {
            if self.turns.is_stopped() {
                return None;
            }
            if let Some(result) = state.held.take() {
                return Some(result);
            }
            let is_written = || {
                self.ended.load(Ordering::Acquire)
                    && state.held.taken() == self.given.load(Ordering::Acquire)
            };
            if !may_wait || is_written() {
                return None;
            }
            state = self.turns.wait_as_owner(state);
        }
    }

    /// Ends everything soon: no item and no result is given any more.
    pub fn stop(&self) {
        self.turns.stop();
        self.wake_workers();
    }

    /// Returns a guard that stops everything if its thread panics, for each thread.
    pub fn stop_in_panic(&self) -> StopInPanic<'_> {
        StopInPanic(self)
    }

    /// Wakes all workers, to find that there is an end.
    fn wake_workers(&self) {
        // Under the lock, so that none is between a look at the end and waiting.
        drop(lock(&self.queue));
        self.work.notify_all();
    }
}

impl<T, R> Stop for Belt<T, R> {
    fn stop(&self) {
        Belt::stop(self);
    }
}
