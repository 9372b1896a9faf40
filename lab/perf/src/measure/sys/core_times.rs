//! What a core did with its time, as the system counts it in `/proc/stat`.

use std::fs;
use std::ops::Sub;

/// Ticks of the system's clock that a core spent, since the machine started or between two
/// readings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreTimes {
    /// In programs.
    pub user: u64,
    /// In the kernel, on behalf of programs.
    pub system: u64,
    /// In interrupts and in what they left to be done.
    pub interrupt: u64,
    /// In nothing, or waiting for a disk.
    pub idle: u64,
}

impl CoreTimes {
    /// Reads the times of a core; `None` where the system does not tell.
    pub fn of(core: usize) -> Option<CoreTimes> {
        parse(&fs::read_to_string("/proc/stat").ok()?, core)
    }

    /// Returns user, system, interrupt and idle time as parts of their sum; `None` if no tick has
    /// passed.
    pub fn parts(&self) -> Option<[f64; 4]> {
        let all = [self.user, self.system, self.interrupt, self.idle];
        let sum: u64 = all.iter().sum();
        (sum > 0).then(|| all.map(|ticks| ticks as f64 / sum as f64))
    }
}

impl Sub for CoreTimes {
    type Output = CoreTimes;

    fn sub(self, earlier: CoreTimes) -> CoreTimes {
        CoreTimes {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            interrupt: self.interrupt.saturating_sub(earlier.interrupt),
            idle: self.idle.saturating_sub(earlier.idle),
        }
    }
}

impl std::iter::Sum for CoreTimes {
    fn sum<I: Iterator<Item = CoreTimes>>(times: I) -> CoreTimes {
        times.fold(CoreTimes::default(), |sum, one| CoreTimes {
            user: sum.user + one.user,
            system: sum.system + one.system,
            interrupt: sum.interrupt + one.interrupt,
            idle: sum.idle + one.idle,
        })
    }
}

/// Finds the line of a core: user, nice, system, idle, iowait, irq, softirq.
fn parse(stat: &str, core: usize) -> Option<CoreTimes> {
    let name = format!("cpu{core}");
    let line = stat.lines().find(|line| line.split(' ').next() == Some(&name))?;
    let ticks: Vec<u64> = line.split(' ').skip(1).map_while(|one| one.parse().ok()).collect();
    let [user, nice, system, idle, iowait, irq, softirq, ..] = ticks[..] else { return None };
    Some(CoreTimes { user: user + nice, system, interrupt: irq + softirq, idle: idle + iowait })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_core_is_read() {
        let stat =
            "cpu  9 9 9 9 9 9 9 9 0 0\ncpu1 1 2 3 4 5 6 7 8 0 0\ncpu10 9 9 9 9 9 9 9 9 0 0\n";
        let expected = CoreTimes { user: 3, system: 3, interrupt: 13, idle: 9 };
        assert_eq!(parse(stat, 1), Some(expected));
        assert_eq!(parse(stat, 2), None);
        assert_eq!(parse("cpu0 1 2", 0), None);
    }

    #[test]
    fn parts_are_of_what_has_passed() {
        let earlier = CoreTimes { user: 10, system: 10, interrupt: 0, idle: 5 };
        let later = CoreTimes { user: 11, system: 12, interrupt: 1, idle: 5 };
        assert_eq!((later - earlier).parts(), Some([0.25, 0.5, 0.25, 0.0]));
        assert_eq!((later - later).parts(), None);
    }
}
