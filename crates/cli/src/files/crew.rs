//! Threads that work side by side, and give their results in the order of the work.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use broadloom_ordered::{Belt, Next};

/// A piece of work.
type Piece<T> = Box<dyn FnOnce() -> T + Send>;

/// Threads that work side by side. They end when this is dropped.
pub struct Crew<T> {
    threads: usize,
    started: Vec<JoinHandle<()>>,
    belt: Arc<Belt<Piece<T>, thread::Result<T>>>,
    given: u64,
    taken: u64,
}

impl<T: Send + 'static> Crew<T> {
    /// So many threads, which begin with the first work.
    pub fn new(threads: usize) -> Crew<T> {
        // Who gives work sees to it that there is not too much, and wants each result at once.
        let belt = Arc::new(Belt::new(u64::MAX, 1));
        Crew { threads, started: Vec::new(), belt, given: 0, taken: 0 }
    }

    /// Pieces of work whose results were not taken yet.
    pub fn unfinished(&self) -> u64 {
        self.given - self.taken
    }

    /// Gives the threads a piece of work.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn give(&mut self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<()> {
        if self.started.len() < self.threads {
            let belt = Arc::clone(&self.belt);
            let name = format!("files {}", self.started.len());
            let started = thread::Builder::new().name(name).spawn(move || {
                while let Next::Item(turn, work) = belt.next(true) {
                    belt.put(turn, catch_unwind(AssertUnwindSafe(work)));
                }
            });
            match started {
                Ok(started) => self.started.push(started),
                // Those that there are will do.
                Err(error) if self.started.is_empty() => return Err(error),
                Err(_) => self.threads = self.started.len(),
            }
        }
        self.belt.give(Box::new(work));
        self.given += 1;
        Ok(())
    }

    /// The result whose turn it is, once it is there; `None` where nothing is unfinished, or where
    /// the result is not there and is not to be waited for.
    ///
    /// # Panics
    /// If the work did.
    pub fn next(&mut self, may_wait: bool) -> Option<T> {
        let result = self.belt.result(may_wait && self.unfinished() > 0)?;
        self.taken += 1;
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<T> Drop for Crew<T> {
    fn drop(&mut self) {
        self.belt.end();
        for thread in self.started.drain(..) {
            // Panics of the work are results.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_work() {
        let mut crew = Crew::new(3);
        assert!(crew.next(true).is_none());
        for number in 0..50u64 {
            crew.give(move || {
                thread::sleep(Duration::from_millis(number * 7 % 5));
                number
            })
            .expect("a thread");
        }
        assert!(crew.unfinished() == 50);
        let first = crew.next(true);
        let rest: Vec<u64> = std::iter::from_fn(|| crew.next(true)).collect();
        assert_eq!((first, rest), (Some(0), (1..50).collect()));
        assert!(crew.unfinished() == 0 && crew.next(false).is_none());
    }

    #[test]
    fn a_panic_in_the_work_is_one_of_who_takes_the_result() {
        let mut crew = Crew::new(2);
        crew.give(|| panic!("in the work")).expect("a thread");
        let taken = catch_unwind(AssertUnwindSafe(|| crew.next(true)));
        assert!(taken.is_err());
    }
}
