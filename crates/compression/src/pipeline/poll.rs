//! How a thread waits for a device.

use std::time::Duration;

use broadloom_engine::{Handle, QueuePair};

/// How a thread waits between two looks at a queue pair that has no complete job.
///
/// It matters with asynchronous providers alone: others are done when the queue pair is flushed.
///
/// ```
/// use broadloom_compression::{Format, Poll, Settings};
/// use std::time::Duration;
///
/// let poll = Poll::Every(Duration::from_micros(100));
/// let settings = Settings { poll, ..Settings::new(Format::Gzip) };
/// assert_ne!(settings.poll, Poll::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Poll {
    /// Lets other threads run: what source 003's program does.
    #[default]
    Yield,
    /// Looks again at once.
    Spin,
    /// Sleeps for so long.
    Every(Duration),
    /// Sleeps until the device says that there is something.
    Interrupt,
}

/// How long an interrupt is waited for before a thread looks for itself.
const LONGEST: Duration = Duration::from_millis(100);

impl Poll {
    /// Waits until it is time to look again.
    pub(super) fn wait<'a, H: Handle<'a>>(self, pair: &mut QueuePair<'a, H>) {
        match self {
            Poll::Yield => std::thread::yield_now(),
            Poll::Spin => std::hint::spin_loop(),
            Poll::Every(interval) => std::thread::sleep(interval),
            Poll::Interrupt => pair.wait(LONGEST),
        }
    }
}
