//! Open files that pass from a worker with several to a worker with none.
//!
//! Which worker opens a file is decided by who asks first, and a thread that starts late may find
//! that there are no more. So a worker without files waits here, and a worker with several leaves
//! some of them, between two pieces.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where workers meet.
pub struct Exchange<F> {
    left: Mutex<Left<F>>,
    changed: Condvar,
    /// As in `left`, to be read without its lock.
    waiting: AtomicUsize,
}

struct Left<F> {
    /// Files that nobody has taken yet.
    files: Vec<F>,
    /// Workers that wait for files.
    waiting: usize,
    /// Workers that may still leave files.
    working: usize,
}

/// A worker's presence. When the worker ends, for whatever reason, the others no longer wait for
/// it.
pub struct Presence<'e, F> {
    exchange: &'e Exchange<F>,
    /// It is counted as working.
    working: bool,
}

impl<F> Exchange<F> {
    /// With no worker.
    pub fn new() -> Self {
        Exchange {
            left: Mutex::new(Left { files: Vec::new(), waiting: 0, working: 0 }),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Enters a worker. All have to be entered before the first of them takes files.
    pub fn enter(&self) -> Presence<'_, F> {
        self.lock().working += 1;
        Presence { exchange: self, working: true }
    }

    /// A worker that panicked holds no lock meanwhile: each change is a single step.
    fn lock(&self) -> MutexGuard<'_, Left<F>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> Presence<'_, F> {
    /// Workers that wait for files.
    pub fn waiting(&self) -> usize {
        self.exchange.waiting.load(Ordering::Relaxed)
    }

    /// Leaves a fair share of these files to the workers that wait.
    pub fn share(&self, files: &mut Vec<F>) {
        if self.waiting() == 0 || files.len() < 2 {
            return;
        }
        let mut left = self.exchange.lock();
        let kept = (left.files.len() + files.len()).div_ceil(left.waiting + 1);
        if kept < files.len() {
            left.files.extend(files.drain(kept..));
            self.exchange.changed.notify_all();
        }
    }

    /// Takes a share of the files that others leave, at most `most`, and waits for them. Without
    /// any left, and once no worker can leave more, `files` stays empty.
    pub fn take(&mut self, files: &mut Vec<F>, most: usize) {
        let exchange = self.exchange;
        let mut left = exchange.lock();
        left.waiting += 1;
        left.working -= 1;
        self.working = false;
        exchange.waiting.store(left.waiting, Ordering::Relaxed);
        if left.working == 0 {
            exchange.changed.notify_all();
        }
        let nothing = |left: &mut Left<F>| left.files.is_empty() && left.working > 0;
        let mut left =
            exchange.changed.wait_while(left, nothing).unwrap_or_else(PoisonError::into_inner);
        let share = left.files.len().div_ceil(left.waiting).min(most);
        files.extend(left.files.drain(..share));
        left.waiting -= 1;
        exchange.waiting.store(left.waiting, Ordering::Relaxed);
        if share > 0 {
            left.working += 1;
            self.working = true;
        }
    }
}

impl<F> Drop for Presence<'_, F> {
    fn drop(&mut self) {
        if self.working {
            self.exchange.lock().working -= 1;
            self.exchange.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Lets a thread wait for files, and gives what it took.
    fn taken_by_another(leave: impl FnOnce(&Presence<'_, u32>)) -> Vec<u32> {
        let exchange = Exchange::new();
        let (here, mut there) = (exchange.enter(), exchange.enter());
        thread::scope(|scope| {
            let other = scope.spawn(move || {
                let mut files = Vec::new();
                there.take(&mut files, 16);
                files
            });
            while here.waiting() == 0 {
                thread::yield_now();
            }
            leave(&here);
            drop(here);
            other.join().unwrap()
        })
    }

    #[test]
    fn a_worker_without_files_gets_half() {
        let mut files: Vec<u32> = (0..16).collect();
        let taken = taken_by_another(|here| here.share(&mut files));
        assert_eq!((files, taken), ((0..8).collect(), (8..16).collect()));
    }

    #[test]
    fn a_last_file_stays_and_the_waiting_end_with_the_working() {
        let mut files = vec![7];
        let taken = taken_by_another(|here| here.share(&mut files));
        assert_eq!((files, taken), (vec![7], vec![]));
    }

    #[test]
    fn nothing_is_left_where_nobody_waits() {
        let exchange = Exchange::new();
        let mut files = vec![1, 2, 3];
        exchange.enter().share(&mut files);
        assert_eq!(files, [1, 2, 3]);
    }

    #[test]
    fn a_worker_that_panics_ends_the_waiting() {
        let exchange = Exchange::<u32>::new();
        let (mut first, second) = (exchange.enter(), exchange.enter());
        thread::scope(|scope| {
            let waiting = scope.spawn(move || {
                let mut files = Vec::new();
                first.take(&mut files, 16);
                files.len()
            });
            let panicking = scope.spawn(move || {
                let _second = second;
                panic!("as asked for");
            });
            assert!(panicking.join().is_err());
            assert_eq!(waiting.join().unwrap(), 0);
        });
    }

    #[test]
    fn files_go_round_among_many_and_none_is_lost() {
        for workers in [1, 2, 5] {
            let exchange = Exchange::new();
            // The first to come has everything.
            let all = Mutex::new((0..100).collect::<Vec<u32>>());
            let mut done: Vec<u32> = thread::scope(|scope| {
                let all = &all;
                let work = |mut here: Presence<'_, u32>| {
                    let mut files = std::mem::take(&mut *all.lock().unwrap());
                    let mut done = Vec::new();
                    loop {
                        here.share(&mut files);
                        if files.is_empty() {
                            here.take(&mut files, 16);
                        }
                        match files.pop() {
                            Some(file) => done.push(file),
                            None => return done,
                        }
                        thread::yield_now();
                    }
                };
                let present: Vec<_> = (0..workers).map(|_| exchange.enter()).collect();
                let workers: Vec<_> =
                    present.into_iter().map(|here| scope.spawn(move || work(here))).collect();
                workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
            });
            done.sort_unstable();
            assert_eq!(done, (0..100).collect::<Vec<u32>>());
        }
    }
}
