//! The processor time that this process has used.

use std::time::Duration;

/// User and system time of all threads of this process, since it began.
#[cfg(unix)]
pub fn of_process() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// Systems other than Unix are not asked: no time at all.
#[cfg(not(unix))]
pub fn of_process() -> Duration {
    Duration::ZERO
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_takes_none() {
        let begin = of_process();
        let mut sum = 0u64;
        while of_process() - begin < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(sum > 0);
    }
}
