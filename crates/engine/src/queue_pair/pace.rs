//! How often a queue pair reads the clock.

use std::time::{Duration, Instant};

/// Calls in a row that may do without the clock.
const SKIPPED: u8 = 7;

/// Reading the clock takes longer than everything else that a call with one job does. So where
/// calls follow each other closely, only every eighth reads it: if the last eight took no more than
/// a quarter of the time that is left until the first job has waited for long enough.
#[derive(Debug, Default)]
pub(super) struct Pace {
    last: Option<Instant>,
    skips: u8,
}

impl Pace {
    /// Returns `true` if this call does without the clock.
    #[inline]
    pub fn skips(&mut self) -> bool {
        let left = self.skips.checked_sub(1);
        self.skips = left.unwrap_or(0);
        left.is_some()
    }

    /// Has the next call read the clock, because a job came that may be due before the others.
    #[inline]
    pub fn look(&mut self) {
        self.skips = 0;
    }

    /// Notes that the clock was read, and when the first job has waited for long enough.
    #[inline]
    pub fn read(&mut self, now: Instant, expires: Instant) {
        let last = self.last.replace(now);
        let taken = last.map_or(Duration::MAX, |last| now.saturating_duration_since(last));
        let left = expires.saturating_duration_since(now);
        self.skips = if taken < left / 4 { SKIPPED } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_follow_closely_read_the_clock_now_and_then() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let at = |nanoseconds| start + Duration::from_nanos(nanoseconds);
        let expires = at(10_000);
        pace.read(start, expires);
        assert!(!pace.skips(), "nothing is known of the calls before");
        pace.read(at(100), expires);
        assert_eq!((0..20).take_while(|_| pace.skips()).count(), usize::from(SKIPPED));
        pace.read(at(900), expires);
        pace.look();
        assert!(!pace.skips(), "a job may be due");
    }

    #[test]
    fn slow_calls_and_calls_near_the_end_read_the_clock_each_time() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let at = |nanoseconds| start + Duration::from_nanos(nanoseconds);
        pace.read(start, at(1000));
        pace.read(at(100), at(400));
        assert!(!pace.skips(), "a third of the time is left to eight calls");
        pace.read(at(200), at(200));
        assert!(!pace.skips(), "a job is due");
        pace.read(at(5000), at(10_000));
        assert!(!pace.skips(), "there was a pause");
    }
}
