//! Threads that take turns together.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use broadloom_engine::{Placement, pin_to};

/// What a way is called.
pub(super) struct Name {
    /// The provider in its rows.
    pub provider: &'static str,
    /// What tells it from other ways of the same provider.
    pub options: Option<&'static str>,
    /// In words.
    pub kernel: String,
}

/// Ciphers buffers in place.
type Cipher = Box<dyn FnMut(&mut [Vec<u8>])>;

/// A way of ciphering buffers.
pub(super) struct Way {
    pub name: Name,
    /// Ciphers all buffers, each from the beginning of its key stream.
    pub cipher: Cipher,
}

/// What some ways took and made, in their order.
pub(super) struct Turns {
    pub names: Vec<Name>,
    /// Nanoseconds of each turn: those of the thread that took longest.
    pub times: Vec<Vec<u64>>,
    /// What the first thread has after its first turn.
    pub results: Vec<Vec<Vec<u8>>>,
}

/// Has so many threads cipher, each on a core of its own where the system lets it and each with
/// ways that it makes itself. All threads begin a turn together, and each way has `count` turns.
pub(super) fn take(
    threads: usize,
    buffers: usize,
    len: usize,
    count: usize,
    make: impl Fn() -> Vec<Way> + Sync,
) -> Turns {
    let cores = Placement::Spread.assign(threads).unwrap_or_else(|_| vec![None; threads]);
    let barrier = Barrier::new(threads);
    let work = |core: Option<usize>| {
        // A thread that cannot be pinned works wherever the system puts it.
        let _ = core.map(pin_to);
        let mut ways = make();
        let text = vec![vec![1; len]; buffers];
        let mut results = vec![text; ways.len()];
        for (way, buffers) in ways.iter_mut().zip(&mut results) {
            (way.cipher)(buffers);
        }
        let mut worked = results.clone();
        let mut times = vec![Vec::with_capacity(count); ways.len()];
        for _ in 0..count {
            for ((way, buffers), times) in ways.iter_mut().zip(&mut worked).zip(&mut times) {
                barrier.wait();
                let start = Instant::now();
                (way.cipher)(buffers);
                times.push(start.elapsed().as_nanos() as u64);
            }
        }
        Turns { names: ways.into_iter().map(|way| way.name).collect(), times, results }
    };
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> =
            cores.into_iter().map(|core| scope.spawn(move || work(core))).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, Turns>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let mut all = handles.into_iter().map(join);
        let mut first = all.next().expect("there is a thread");
        for other in all {
            for (times, others) in first.times.iter_mut().zip(other.times) {
                times.iter_mut().zip(others).for_each(|(time, other)| *time = other.max(*time));
            }
        }
        first
    })
}
