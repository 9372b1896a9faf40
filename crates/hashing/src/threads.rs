//! Starting the workers, each with lanes and a window of its own.

use std::thread;

use broadloom_engine::HashAlgorithm;
use broadloom_lanes::Cpu;
use broadloom_ordered::Threads;
use rustix::process::{Resource, getrlimit};

use crate::exchange::Exchange;
use crate::function::HashMode;
use crate::hasher::hasher;
use crate::order::Shared;
use crate::round::MAX_OPEN;
use crate::task::Task;
use crate::window::{OpenFile, WindowOptions, Worker};

/// Open files left to everything else than the windows: the standard streams, a list, directories
/// being walked, and for each worker a file it has just been given.
const OTHER_FILES: usize = 24;

/// What is to be hashed, how, and with what.
pub struct Run<'c, T: Task> {
    /// The algorithm.
    pub algorithm: HashAlgorithm,
    /// What is to be done.
    pub shared: Shared<T>,
    /// What the lanes are made for.
    pub cpu: &'c Cpu,
    /// How files are hashed.
    pub mode: HashMode,
    /// Workers wanted.
    pub threads: usize,
    /// Bytes in a chunk, if chunks have digests of their own.
    pub chunk: Option<u64>,
}

impl<T: Task> Run<'_, T> {
    /// Hashes everything, and returns what was shared.
    ///
    /// # Panics
    /// If the algorithm has no such mode.
    pub fn hash(self) -> Shared<T> {
        let Run { algorithm, shared, cpu, mode, threads, chunk } = self;
        let (threads, max_open) = fit(threads, file_limit());
        let options = WindowOptions { chunk, max_open };
        let exchange = Exchange::<OpenFile<T>>::new();
        let work = |present| {
            Worker::new(&shared, hasher(algorithm, cpu, &mode), present, options).run();
        };
        let first = exchange.enter();
        let others: Vec<_> = (1..threads).map(|_| exchange.enter()).collect();
        thread::scope(|scope| {
            let mut started = Threads::new(scope);
            for (present, index) in others.into_iter().zip(1..) {
                if started.start(format!("hash {index}"), || work(present)).is_err() {
                    // The system grants no further thread: those that there are do all the work.
                    break;
                }
            }
            work(first);
            started.join();
        });
        shared
    }
}

/// Returns the number of workers, and of open files for each, for a process that can open `files`.
fn fit(threads: usize, files: usize) -> (usize, usize) {
    let files = files.saturating_sub(OTHER_FILES).max(1);
    // One file more for each worker: the one it was just given.
    let threads = threads.min(files / 2).max(1);
    (threads, (files / threads).saturating_sub(1).clamp(1, MAX_OPEN))
}

/// Returns the number of files that the process may have open.
fn file_limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_and_windows_fit_the_limit_of_open_files() {
        assert_eq!(fit(1, usize::MAX), (1, MAX_OPEN));
        assert_eq!(fit(256, usize::MAX), (256, MAX_OPEN));
        for limit in [26, 32, 64, 256, 1024] {
            for threads in [1, 2, 16, 256] {
                let (workers, open) = fit(threads, limit);
                assert!(workers >= 1 && open >= 1);
                assert!(workers * (open + 1) + OTHER_FILES <= limit, "{threads} at {limit}");
            }
        }
    }
}
