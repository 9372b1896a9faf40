//! Interrupts: a file descriptor for each instance, and a thread that raises it when the model says
//! so.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};

use crate::device::Device;

/// An instance's interrupt line.
#[derive(Debug)]
pub(crate) struct Line {
    event: OwnedFd,
    /// It is readable, or about to be.
    raised: AtomicBool,
}

/// Interrupts that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    waiting: Mutex<BinaryHeap<Reverse<Due>>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Due {
    time: u64,
    line: Arc<Line>,
}

impl Line {
    pub(crate) fn new() -> io::Result<Line> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Line { event, raised: AtomicBool::new(false) })
    }

    /// Raises it, unless it is.
    pub(crate) fn raise(&self) {
        if !self.raised.swap(true, AcqRel) {
            self.write();
        }
    }

    /// Makes it readable, whatever was noted of it before.
    pub(crate) fn write(&self) {
        self.raised.store(true, Release);
        // It only fails where the counter is at its end, and the line is raised then.
        let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
    }

    /// Takes the line down. Returns `true` if it was up. The caller looks for responses after that:
    /// one that came before would not raise the line again.
    ///
    /// The event is read before the flag is cleared. In the other order, a raise between the two
    /// would set the flag, and the read would take its event: no later raise would write another.
    pub(crate) fn acknowledge(&self) -> bool {
        rustix::io::read(&self.event, &mut [0; 8]).is_ok() | self.raised.swap(false, AcqRel)
    }

    /// Waits until it is up, or for so long.
    pub(crate) fn wait(&self, timeout: Duration) {
        let timeout =
            Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        // A signal may end the wait early, as may anything.
        let _ = rustix::event::poll(&mut [PollFd::new(&self.event, PollFlags::IN)], Some(&timeout));
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

impl Interrupts {
    fn waiting(&self) -> MutexGuard<'_, BinaryHeap<Reverse<Due>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises a line at these times.
    pub(crate) fn at(&self, times: impl Iterator<Item = u64>, line: &Arc<Line>) {
        let mut waiting = self.waiting();
        let first = |waiting: &BinaryHeap<Reverse<Due>>| waiting.peek().map(|due| due.0.time);
        let before = first(&waiting);
        waiting.extend(times.map(|time| Reverse(Due { time, line: Arc::clone(line) })));
        if first(&waiting) != before {
            drop(waiting);
            self.changed.notify_one();
        }
    }

    /// Wakes the thread. It may be about to wait: the lock is taken, so that it is not woken too
    /// early.
    pub(crate) fn wake(&self) {
        drop(self.waiting());
        self.changed.notify_one();
    }
}

/// Raises lines in time, until the device stops.
pub(crate) fn run(device: &Device, thread: usize) {
    let Some(interrupts) = &device.interrupts else { return };
    wake_on_time();
    let mut waiting = interrupts.waiting();
    while !device.stopping.load(SeqCst) {
        device.cpu_times.answer(thread);
        let now = device.clock.now();
        while waiting.peek().is_some_and(|due| due.0.time <= now) {
            if let Some(Reverse(due)) = waiting.pop() {
                due.line.raise();
            }
        }
        if device.cpu_times.is_asked(thread) {
            continue;
        }
        let next = waiting.peek().map(|due| Duration::from_nanos(due.0.time - now));
        waiting = match next {
            Some(time) => {
                let waited = interrupts.changed.wait_timeout(waiting, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => interrupts.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
        };
    }
    drop(waiting);
    device.cpu_times.answer_for_good(thread);
}

/// Has the system wake the thread that calls when its time has come, and not when it suits.
pub(crate) fn wake_on_time() {
    #[cfg(target_os = "linux")]
    {
        // Where it is refused, the thread wakes some 50 µs later than it should.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.time == other.time
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.time.cmp(&other.time)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_readable_from_its_raising_to_its_acknowledgement() {
        let line = Line::new().expect("there are descriptors");
        let readable = || {
            let mut events = [PollFd::new(&line, PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            rustix::event::poll(&mut events, Some(&now)).expect("it can be polled") == 1
        };
        assert!(!readable() && !line.acknowledge());
        line.raise();
        line.raise();
        assert!(readable());
        assert!(line.acknowledge());
        assert!(!readable() && !line.acknowledge());
        line.raise();
        assert!(readable());
    }

    #[test]
    fn a_line_can_be_raised_after_any_meeting_of_raises_and_acknowledgements() {
        for _ in 0..500 {
            let line = Line::new().expect("there are descriptors");
            std::thread::scope(|scope| {
                scope.spawn(|| (0..200).for_each(|_| line.raise()));
                for _ in 0..200 {
                    line.acknowledge();
                }
            });
            line.raise();
            let mut events = [PollFd::new(&line, PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            assert_eq!(rustix::event::poll(&mut events, Some(&now)), Ok(1));
        }
    }
}
