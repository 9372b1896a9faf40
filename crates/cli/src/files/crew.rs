//! Threads that work side by side, and give their results in the order of the work.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// A piece of work, and its number.
type Work<T> = (u64, Box<dyn FnOnce() -> T + Send>);

/// What came of a piece of work, and its number.
type Done<T> = (u64, thread::Result<T>);

/// Threads that work side by side. They end when this is dropped.
pub struct Crew<T> {
    threads: usize,
    started: Vec<JoinHandle<()>>,
    work: Option<Sender<Work<T>>>,
    /// Where threads get work from.
    queue: Arc<Mutex<Receiver<Work<T>>>>,
    results: (Sender<Done<T>>, Receiver<Done<T>>),
    /// Results that came before their turn.
    early: BTreeMap<u64, T>,
    given: u64,
    taken: u64,
}

impl<T: Send + 'static> Crew<T> {
    /// So many threads, which begin with the first work.
    pub fn new(threads: usize) -> Crew<T> {
        let (work, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let (started, early) = (Vec::new(), BTreeMap::new());
        let (work, results) = (Some(work), channel());
        Crew { threads, started, work, queue, results, early, given: 0, taken: 0 }
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
            let (queue, results) = (Arc::clone(&self.queue), self.results.0.clone());
            let name = format!("files {}", self.started.len());
            let started = thread::Builder::new().name(name).spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, work)) = next else { return };
                    let result = catch_unwind(AssertUnwindSafe(work));
                    if results.send((number, result)).is_err() {
                        return;
                    }
                }
            });
            match started {
                Ok(started) => self.started.push(started),
                // Those that there are will do.
                Err(error) if self.started.is_empty() => return Err(error),
                Err(_) => self.threads = self.started.len(),
            }
        }
        let sent = self.work.as_ref().map(|queue| queue.send((self.given, Box::new(work))));
        assert!(matches!(sent, Some(Ok(()))), "threads take work as long as this is there");
        self.given += 1;
        Ok(())
    }

    /// The result whose turn it is, once it is there; `None` where nothing is unfinished, or where
    /// the result is not there and is not to be waited for.
    ///
    /// # Panics
    /// If the work did.
    pub fn next(&mut self, may_wait: bool) -> Option<T> {
        loop {
            if let Some(result) = self.early.remove(&self.taken) {
                self.taken += 1;
                return Some(result);
            }
            if self.unfinished() == 0 {
                return None;
            }
            let come = match may_wait {
                true => self.results.1.recv().ok(),
                false => self.results.1.try_recv().ok(),
            };
            let (number, result) = come?;
            self.early.insert(number, result.unwrap_or_else(|panic| resume_unwind(panic)));
        }
    }
}

impl<T> Drop for Crew<T> {
    fn drop(&mut self) {
        drop(self.work.take());
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
