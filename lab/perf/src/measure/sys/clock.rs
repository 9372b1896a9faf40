//! The time-stamp counter, read so that no instruction slips past a reading.
//!
//! On x86-64 this is the TSC, which on any CPU of the last decade ticks at a constant rate whatever
//! the core's clock does. On AArch64 it is the virtual counter, which ticks far slower than the
//! core: figures there are coarse, and only long runs mean something.

use std::time::{Duration, Instant};

pub use super::arch::start;

/// Reads the counter after a measured piece of work: all of it is done.
#[inline(always)]
pub fn stop() -> u64 {
    start()
}

/// What the counter needs to be of use: its rate, and what reading it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    hertz: f64,
    overhead: u64,
}

impl Clock {
    /// Compares the counter with the system's clock for 25 ms, and times an empty measurement.
    pub fn calibrate() -> Clock {
        let wall = Instant::now();
        let begin = start();
        while wall.elapsed() < Duration::from_millis(25) {
            core::hint::spin_loop();
        }
        let seconds = wall.elapsed().as_secs_f64();
        let hertz = stop().wrapping_sub(begin) as f64 / seconds;
        let overhead = (0..2000)
            .map(|_| {
                let begin = start();
                stop().wrapping_sub(begin)
            })
            .min()
            .unwrap_or(0);
        Clock { hertz, overhead }
    }

    /// Ticks a second.
    pub fn hertz(&self) -> f64 {
        self.hertz
    }

    /// Ticks that an empty measurement takes; [`Clock::time`] has taken them off already.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// Runs `work` and returns its ticks and its result.
    #[inline(always)]
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> (u64, R) {
        let begin = start();
        let result = work();
        let ticks = stop().wrapping_sub(begin);
        (ticks.saturating_sub(self.overhead), result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_goes_forward_at_a_believable_rate() {
        let clock = Clock::calibrate();
        assert!(clock.hertz() > 1e6 && clock.hertz() < 1e11, "{} Hz", clock.hertz());
        let (ticks, result) = clock.time(|| {
            std::thread::sleep(Duration::from_millis(5));
            7
        });
        assert_eq!(result, 7);
        assert!(ticks as f64 >= 0.004 * clock.hertz(), "{ticks} ticks");
    }
}
