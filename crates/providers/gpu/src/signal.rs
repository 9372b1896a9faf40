//! What a callback raises, and a driver waits for.

#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A count of responses, which only grows, and a file descriptor where the system has one for it.
#[derive(Debug)]
pub(crate) struct Signal {
    raised: Mutex<u64>,
    changed: Condvar,
    #[cfg(target_os = "linux")]
    event: Option<OwnedFd>,
}

impl Signal {
    pub fn new() -> Self {
        Signal {
            raised: Mutex::new(0),
            changed: Condvar::new(),
            #[cfg(target_os = "linux")]
            event: {
                use rustix::event::{EventfdFlags, eventfd};
                // Without a descriptor there is still the count.
                eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()
            },
        }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that there is a response.
    pub fn raise(&self) {
        let mut raised = self.lock();
        *raised += 1;
        self.changed.notify_all();
        #[cfg(target_os = "linux")]
        if let Some(event) = &self.event {
            // It only fails where the counter is at its end, and it is readable then.
            let _ = rustix::io::write(event, &1u64.to_ne_bytes());
        }
    }

    /// The count now. Where it is another than was seen before, the descriptor is readable no more.
    /// Responses must be looked for after that.
    pub fn acknowledge(&self, seen: u64) -> u64 {
        let raised = self.lock();
        #[cfg(target_os = "linux")]
        if let Some(event) = &self.event
            && *raised != seen
        {
            // It only fails where it is not readable.
            let _ = rustix::io::read(event, &mut [0; 8]);
        }
        *raised
    }

    /// Waits until the count is another, or for so long.
    pub fn wait(&self, seen: u64, timeout: Duration) {
        let same = |raised: &mut u64| *raised == seen;
        // Whether it timed out, or something came, the caller looks for itself.
        drop(self.changed.wait_timeout_while(self.lock(), timeout, same));
    }

    /// A descriptor that is readable from `raise` to `acknowledge`.
    #[cfg(target_os = "linux")]
    pub fn event(&self) -> Option<BorrowedFd<'_>> {
        self.event.as_ref().map(AsFd::as_fd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_when_the_signal_is_raised() {
        let signal = Signal::new();
        let seen = signal.acknowledge(0);
        std::thread::scope(|scope| {
            scope.spawn(|| signal.raise());
            signal.wait(seen, Duration::from_secs(60));
        });
        assert_eq!(signal.acknowledge(seen), seen + 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_descriptor_is_readable_until_it_is_acknowledged() {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let signal = Signal::new();
        let readable = || {
            let event = signal.event().expect("there are descriptors");
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&now)).expect("it can be polled")
        };
        assert_eq!(readable(), 0);
        signal.raise();
        assert_eq!(readable(), 1);
        signal.acknowledge(0);
        assert_eq!(readable(), 0);
    }
}
