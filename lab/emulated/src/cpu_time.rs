//! The processor time of the device's own threads: the cost of the emulation, not of the host.

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The times of some threads, which each thread tells when it is asked.
#[derive(Debug)]
pub(crate) struct CpuTimes {
    asked: AtomicU64,
    threads: Box<[Told]>,
}

#[derive(Debug, Default)]
struct Told {
    /// The last question that was answered.
    answered: AtomicU64,
    nanoseconds: AtomicU64,
}

impl CpuTimes {
    pub(crate) fn new(threads: usize) -> Self {
        CpuTimes {
            asked: AtomicU64::new(0),
            threads: (0..threads).map(|_| Told::default()).collect(),
        }
    }

    /// Threads, running or not.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Asks the first threads, those that run, which `wake` wakes, and waits until all have
    /// answered.
    pub(crate) fn ask(&self, running: usize, wake: impl Fn()) -> Duration {
        let question = self.asked.fetch_add(1, SeqCst) + 1;
        wake();
        let has_answered = |told: &Told| told.answered.load(Acquire) >= question;
        while !self.threads[..running].iter().all(has_answered) {
            std::thread::sleep(Duration::from_micros(20));
        }
        let all = self.threads.iter().map(|told| told.nanoseconds.load(Relaxed));
        Duration::from_nanos(all.sum())
    }

    /// Returns `true` if a thread has something to answer.
    #[inline]
    pub(crate) fn is_asked(&self, thread: usize) -> bool {
        self.threads[thread].answered.load(Relaxed) < self.asked.load(Relaxed)
    }

    /// Answers for the thread that calls.
    #[inline]
    pub(crate) fn answer(&self, thread: usize) {
        if self.is_asked(thread) {
            self.tell(thread, self.asked.load(Acquire));
        }
    }

    /// The thread that calls ends: this is its last answer, to every question.
    pub(crate) fn answer_for_good(&self, thread: usize) {
        self.tell(thread, u64::MAX);
    }

    fn tell(&self, thread: usize, question: u64) {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let told = &self.threads[thread];
        told.nanoseconds.store(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64, Relaxed);
        told.answered.store(question, Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn threads_answer_and_the_dead_have_answered() {
        let times = Arc::new(CpuTimes::new(2));
        let asked = Arc::clone(&times);
        let living = std::thread::spawn(move || {
            while !asked.is_asked(0) {
                std::thread::yield_now();
            }
            asked.answer(0);
            // Each tells of itself: the time of another thread may be less.
            asked.answer_for_good(0);
        });
        times.answer_for_good(1);
        let first = times.ask(2, || {});
        living.join().expect("it ends");
        assert!(times.ask(2, || {}) >= first);
    }
}
