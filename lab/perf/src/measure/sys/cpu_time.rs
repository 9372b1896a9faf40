//! The processor time that this process or a thread of it has used.

use std::time::Duration;

/// User and system time of all threads of this process, since it began.
#[cfg(unix)]
pub fn of_process() -> Duration {
    read(rustix::time::ClockId::ProcessCPUTime)
}

/// User and system time of the calling thread, since it began.
#[cfg(unix)]
pub fn of_thread() -> Duration {
    read(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn read(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
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
    fn a_thread_does_not_have_the_time_of_others() {
        std::thread::scope(|scope| {
            let begin = of_thread();
            scope.spawn(|| {
                let begin = of_thread();
                while of_thread() - begin < Duration::from_millis(20) {}
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(of_thread() - begin < Duration::from_millis(15));
        });
    }

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
