//! Where threads meet before each measurement.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks at the gate before a waiting thread lets others run: more threads than cores get on too.
const SPINS: usize = 20_000;

/// A barrier that wakes all threads within a few hundred cycles of each other: those that wait do
/// not sleep.
#[derive(Debug)]
pub struct Gate {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// One thread's right to pass. A thread that panics breaks the gate, so that none waits for it.
#[derive(Debug)]
pub struct Pass<'a>(&'a Gate);

impl Gate {
    /// A gate that opens whenever so many threads have come to it.
    pub fn new(threads: usize) -> Gate {
        Gate {
            threads,
            waiting: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// One for each thread.
    pub fn pass(&self) -> Pass<'_> {
        Pass(self)
    }
}

impl Pass<'_> {
    /// Waits until all threads have come.
    ///
    /// # Panics
    /// If one of them has panicked.
    pub fn wait(&self) {
        let gate = self.0;
        let round = gate.round.load(Ordering::Acquire);
        if gate.waiting.fetch_add(1, Ordering::AcqRel) + 1 == gate.threads {
            gate.waiting.store(0, Ordering::Relaxed);
            gate.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while gate.round.load(Ordering::Acquire) == round {
            assert!(
                !gate.broken.load(Ordering::Relaxed),
                "another thread of the measurement panicked"
            );
            spins += 1;
            if spins % SPINS == 0 { std::thread::yield_now() } else { core::hint::spin_loop() }
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_a_round_ahead() {
        const THREADS: usize = 3;
        let (gate, count) = (Gate::new(THREADS), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let pass = gate.pass();
                    for round in 0..200 {
                        assert!(count.load(Ordering::SeqCst) >= round * THREADS);
                        count.fetch_add(1, Ordering::SeqCst);
                        pass.wait();
                        assert!(count.load(Ordering::SeqCst) >= (round + 1) * THREADS);
                        pass.wait();
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 200 * THREADS);
    }

    #[test]
    fn a_thread_that_panics_does_not_leave_the_others_waiting() {
        let gate = Gate::new(2);
        let panicked = std::thread::scope(|scope| {
            let waits = scope.spawn(|| gate.pass().wait());
            let fails = scope.spawn(|| {
                let _pass = gate.pass();
                panic!("on purpose");
            });
            [waits.join().is_err(), fails.join().is_err()]
        });
        assert_eq!(panicked, [true, true]);
    }
}
