//! Each thread's line: requests of its asynchronous jobs wait there for others.
//!
//! A request enters the line and its job pauses. The request that fills a batch processes the batch
//! before its job pauses, and sets the timers of the others to now. If no request comes that fills
//! the batch, the first timer expires, the program resumes that job, and the job processes all that
//! wait in the line. So work happens in the program's own thread, and nobody waits for longer than
//! the longest wait plus the time in which the program polls.
//!
//! How many requests fill a batch follows the load. A batch that the timer had to process shows how
//! many jobs there are: the next batch is full with as many. Now and then a batch of twice as many
//! is tried. So four jobs of a thread do not wait for sixteen.
//!
//! The program may resume a job on another thread. So a line has a lock, which nobody else holds in
//! the usual case, and each request knows its line.

mod keys;
mod pieces;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::job::{self, Timer};
use crate::settings;
use crate::stack::with_room;

pub use keys::{Answer, Kind, ask};
pub use pieces::{COUNT, Hashed, absorb, finish};

use keys::Keys;
use pieces::AllPieces;

/// A request that waits, as its line knows it.
#[derive(Debug)]
struct Ticket<T> {
    outcome: Mutex<Option<T>>,
    /// The timer of the job, once it pauses.
    timer: OnceLock<Timer>,
}

impl<T> Ticket<T> {
    fn new() -> Arc<Ticket<T>> {
        Arc::new(Ticket { outcome: Mutex::new(None), timer: OnceLock::new() })
    }

    /// Tells the job that waits what came of its request.
    fn complete(&self, outcome: T) {
        *lock(&self.outcome) = Some(outcome);
        if let Some(timer) = self.timer.get() {
            timer.set(Duration::ZERO);
        }
    }

    fn take(&self) -> Option<T> {
        lock(&self.outcome).take()
    }

    /// Waits, in the job that made the request, for the outcome.
    fn wait(&self, line: &Mutex<Line>) -> T {
        if let Some(outcome) = self.take() {
            return outcome;
        }
        let Some(timer) = Timer::of_current_job() else {
            with_room(|| lock(line).flush());
            return self.take().expect("nothing waits in a line that was flushed");
        };
        let wait = settings::longest_wait();
        timer.set(wait);
        self.timer.get_or_init(|| timer);
        let deadline = Instant::now() + wait;
        loop {
            // Programs know of a new descriptor only when the job pauses after it was made.
            job::pause();
            if lock(&self.outcome).is_none() && Instant::now() >= deadline {
                with_room(|| lock(line).flush());
            }
            if let Some(outcome) = self.take() {
                timer.stop();
                return outcome;
            }
        }
    }
}

/// What waits, of one thread.
#[derive(Default)]
struct Line {
    keys: Keys,
    pieces: AllPieces,
}

impl Line {
    /// Processes all that waits: a timer has expired.
    fn flush(&mut self) {
        self.keys.flush();
        self.pieces.flush();
    }
}

thread_local! {
    static LINE: RefCell<Option<Arc<Mutex<Line>>>> = const { RefCell::new(None) };
}

/// The line of this thread. A job keeps it: it may go on at another thread.
fn line() -> Arc<Mutex<Line>> {
    LINE.with_borrow_mut(|line| line.get_or_insert_default().clone())
}

/// A panic ends the process, so that no lock is ever poisoned.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many requests fill a batch.
#[derive(Debug)]
struct Target {
    now: usize,
    /// Batches since the target last changed.
    batches: u32,
}

impl Target {
    /// After so many batches in a row, twice as many requests are tried.
    const PATIENCE: u32 = 32;

    fn new(most: usize) -> Target {
        Target { now: most, batches: 0 }
    }

    /// Whether so many requests fill a batch.
    fn is_reached(&mut self, waiting: usize, most: usize) -> bool {
        if waiting < self.now {
            return false;
        }
        self.batches += 1;
        if self.batches >= Target::PATIENCE {
            *self = Target::new((2 * self.now).min(most));
        }
        true
    }

    /// The timer had to process so many requests.
    fn was_missed(&mut self, waiting: usize) {
        *self = Target::new(waiting.max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_follows_the_load() {
        let mut target = Target::new(16);
        assert!(!target.is_reached(15, 16) && target.is_reached(16, 16));
        target.was_missed(3);
        assert!(!target.is_reached(2, 16) && target.is_reached(3, 16));
        let batches = (0..).take_while(|_| target.is_reached(3, 16)).count();
        assert_eq!(batches, Target::PATIENCE as usize - 1, "then twice as many are tried");
        assert!(!target.is_reached(5, 16) && target.is_reached(6, 16));
        target.was_missed(0);
        assert!(target.is_reached(1, 16), "a lone request waits for nobody");
    }
}
