//! How the device's threads sleep while there is no work, and how they are woken.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use crate::sync::{AtomicBool, Thread, current, fence, park};

/// The threads that may sleep.
#[derive(Debug, Default)]
pub(crate) struct Doze {
    beds: Box<[Bed]>,
}

/// A thread, and whether it sleeps or is about to.
#[derive(Debug)]
struct Bed {
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Doze {
    /// For so many threads.
    pub(crate) fn new(threads: usize) -> Self {
        let bed = |_| Bed { asleep: AtomicBool::new(false), thread: OnceLock::new() };
        Doze { beds: (0..threads).map(bed).collect() }
    }

    /// Lets thread number `own` sleep, until it is woken, unless `busy` finds something to do. It
    /// may wake without a reason.
    pub(crate) fn sleep(&self, own: usize, mut busy: impl FnMut() -> bool) {
        let bed = &self.beds[own];
        bed.thread.get_or_init(current);
        // Swapped, and not stored: loom does not know otherwise that it comes after a waker's swap.
        bed.asleep.swap(true, SeqCst);
        // Either the waker sees that this thread is asleep, or this thread sees what it was to be
        // woken for.
        fence(SeqCst);
        if !busy() {
            park();
        }
        bed.asleep.store(false, Relaxed);
    }

    /// Wakes sleeping threads, as many as there are requests to work on.
    #[inline]
    pub(crate) fn wake(&self, requests: usize) {
        fence(SeqCst);
        let mut left = requests;
        for bed in &self.beds {
            if left == 0 {
                return;
            }
            if bed.asleep.load(Relaxed) && bed.asleep.swap(false, SeqCst) {
                if let Some(thread) = bed.thread.get() {
                    thread.unpark();
                }
                left -= 1;
            }
        }
    }

    /// Wakes every thread.
    pub(crate) fn wake_all(&self) {
        self.wake(usize::MAX);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::ring::{Descriptor, request};
    use crate::sync::Arc;

    /// Whenever the doorbell rings, a device that sleeps, or is about to, wakes: else it would be
    /// parked for ever, which loom reports.
    #[test]
    fn no_doorbell_is_slept_through() {
        loom::model(|| {
            let doze = Arc::new(Doze::new(1));
            let (mut writer, mut reader) = request::ring(2);
            let device = {
                let doze = doze.clone();
                loom::thread::spawn(move || {
                    let mut read = 0;
                    while read < 2 {
                        match reader.read() {
                            Some(_) => read += 1,
                            None => doze.sleep(0, || reader.has_next()),
                        }
                    }
                })
            };
            for slot in 0..2 {
                let descriptor = Descriptor { slot, generation: 0, size: 0, time: 0 };
                assert!(writer.write(descriptor));
                let rung = writer.ring(0);
                doze.wake(rung);
            }
            device.join().unwrap();
        });
    }
}
