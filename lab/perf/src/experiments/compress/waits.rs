//! How a thread waits for a device's responses.

use std::time::Duration;

use broadloom::compression::Poll;
use broadloom_engine::{Handle, QueuePair};

use crate::report::pass::Pass;

/// How a thread waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// It looks, and lets other threads run: what source 003's program does.
    Yield,
    /// It looks again at once.
    Spin,
    /// It sleeps for so long.
    Every(Duration),
    /// It sleeps until the device interrupts.
    Interrupt,
    /// It sleeps until another thread, which looks this often, wakes it.
    Poller(Duration),
}

/// How long an interrupt is waited for before a thread looks for itself.
const LONGEST: Duration = Duration::from_millis(100);

impl Waits {
    /// For the framework.
    pub fn poll(self) -> Poll {
        match self {
            Waits::Yield => Poll::Yield,
            Waits::Spin => Poll::Spin,
            Waits::Every(interval) => Poll::Every(interval),
            Waits::Interrupt | Waits::Poller(_) => Poll::Interrupt,
        }
    }

    /// The device's options for it.
    pub fn options(self) -> Vec<(&'static str, String)> {
        let option = |name, value: &str| (name, value.to_owned());
        match self {
            Waits::Yield | Waits::Spin | Waits::Every(_) => Vec::new(),
            Waits::Interrupt => vec![option("responses", "interrupt")],
            Waits::Poller(interval) => {
                vec![
                    option("poller", "thread"),
                    ("poll-interval", format!("{}ns", interval.as_nanos())),
                ]
            }
        }
    }

    /// Waits for a queue pair's devices.
    pub fn wait<'a, H: Handle<'a>>(self, pair: &mut QueuePair<'a, H>) {
        match self {
            Waits::Yield => std::thread::yield_now(),
            Waits::Spin => std::hint::spin_loop(),
            Waits::Every(interval) => std::thread::sleep(interval),
            Waits::Interrupt | Waits::Poller(_) => pair.wait(LONGEST),
        }
    }

    /// A pass with the keys that say how.
    pub fn keys(self, pass: Pass) -> Pass {
        let (poll, interval, poller) = match self {
            Waits::Yield => ("yield", None, "inline"),
            Waits::Spin => ("spin", None, "inline"),
            Waits::Every(interval) => ("every", Some(interval), "inline"),
            Waits::Interrupt => ("interrupt", None, "inline"),
            Waits::Poller(interval) => ("every", Some(interval), "separate"),
        };
        Pass {
            poll: Some(poll.to_owned()),
            poll_us: interval.map(|interval| interval.as_secs_f64() * 1e6),
            poller: Some(poller.to_owned()),
            ..pass
        }
    }
}
