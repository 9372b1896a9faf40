//! Which way the buffers of a set go.

use std::fmt;
use std::str::FromStr;

use broadloom_engine::Direction;

use crate::error::PerfError;

/// Which way the buffers of a set go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// All of them one way.
    All(Direction),
    /// Of a cipher, half of them each way, in an order without a pattern: real traffic goes both
    /// ways.
    Mixed,
}

impl Course {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Course> {
        Direction::ALL.into_iter().map(Course::All).chain([Course::Mixed])
    }

    /// Returns which way a buffer goes.
    pub fn of(self, index: usize) -> Direction {
        // A bit of a hash of the index.
        let product = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (product ^ product >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let encrypts = hash >> 40 & 1 == 0;
        match self {
            Course::All(direction) => direction,
            Course::Mixed if encrypts => Direction::Encrypt,
            Course::Mixed => Direction::Decrypt,
        }
    }
}

impl From<Direction> for Course {
    fn from(direction: Direction) -> Self {
        Course::All(direction)
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Course::All(direction) => fmt::Display::fmt(direction, f),
            Course::Mixed => f.write_str("mixed"),
        }
    }
}

impl FromStr for Course {
    type Err = PerfError;

    fn from_str(name: &str) -> Result<Self, PerfError> {
        crate::names::parse("direction", name, Course::all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_mix_goes_each_way_in_any_stretch_of_it() {
        for start in [0, 64, 1000] {
            let ways: Vec<_> = (start..start + 64).map(|index| Course::Mixed.of(index)).collect();
            let encrypted = ways.iter().filter(|way| **way == Direction::Encrypt).count();
            assert!((24..=40).contains(&encrypted), "{encrypted} of 64");
            let changes = ways.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!((16..=48).contains(&changes), "{changes} changes in 64");
        }
    }

    #[test]
    fn courses_print_as_they_are_read() {
        for course in Course::all() {
            assert_eq!(course.to_string().parse::<Course>().expect("a name"), course);
        }
        let error = "both".parse::<Course>().unwrap_err().to_string();
        assert!(error.contains("\"both\"") && error.contains("mixed"), "{error}");
    }
}
