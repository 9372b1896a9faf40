//! What a run took: elapsed time, cycles, CPU time.

use std::time::{Duration, Instant};

use broadloom_perf::measure::sys::clock::{start, stop};
use broadloom_perf::measure::sys::cpu_time;

use crate::report::Taken;

/// How long the counter's rate is measured.
const MEASURED: Duration = Duration::from_secs(1);

/// The clocks of a program.
pub struct Clock {
    given: Option<f64>,
    since: (u64, Instant),
}

impl Clock {
    /// Clocks for a counter whose rate in MHz is `given`, or is measured from now on where it is
    /// not.
    pub fn new(given: Option<f64>) -> Clock {
        Clock { given, since: (start(), Instant::now()) }
    }

    /// Does a piece of work. Seconds are cycles over the given rate, as the source has it, or the
    /// system's where none is given.
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> (Taken, R) {
        let (cpu, wall, begin) = (cpu_time::of_process(), Instant::now(), start());
        let result = work();
        let cycles = stop().wrapping_sub(begin);
        let wall = wall.elapsed().as_secs_f64();
        let cpu = cpu_time::of_process().saturating_sub(cpu).as_secs_f64();
        let elapsed = self.given.map_or(wall, |mhz| cycles as f64 / (mhz * 1e6));
        (Taken { elapsed, cycles, cpu, device: None }, result)
    }

    /// The counter's rate in MHz: the one given, or the one measured since the beginning, which was
    /// a second ago at least when this returns.
    pub fn mhz(&self) -> f64 {
        self.given.unwrap_or_else(|| {
            let (begin, wall) = self.since;
            std::thread::sleep(MEASURED.saturating_sub(wall.elapsed()));
            let cycles = stop().wrapping_sub(begin);
            cycles as f64 / wall.elapsed().as_secs_f64() / 1e6
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_rate_turns_cycles_into_seconds() {
        let (taken, result) = Clock::new(Some(1000.0)).time(|| 7);
        assert_eq!(result, 7);
        assert_eq!(taken.elapsed, taken.cycles as f64 / 1e9);
        assert_eq!(Clock::new(Some(2694.0)).mhz(), 2694.0);
    }
}
