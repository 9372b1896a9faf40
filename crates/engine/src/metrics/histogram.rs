//! Histograms of a fixed size, which one thread writes and any thread reads.

use std::sync::atomic::{AtomicU64, Ordering};

use super::add;

/// Bits of a value below its highest bit that tell buckets apart: each power of two has four
/// buckets, so that a bucket is at most a quarter wider than its smallest value.
const SUB_BITS: u32 = 2;
/// The exponent of the largest values: in nanoseconds, these are 37 minutes and more.
const MAX_EXPONENT: u32 = 41;
/// Buckets of a histogram.
const BUCKETS: usize = ((MAX_EXPONENT - SUB_BITS + 2) as usize) << SUB_BITS;

/// Counters of a histogram.
#[derive(Debug)]
pub(super) struct Buckets {
    counts: [AtomicU64; BUCKETS],
    sum: AtomicU64,
}

impl Default for Buckets {
    fn default() -> Self {
        Buckets { counts: [const { AtomicU64::new(0) }; BUCKETS], sum: AtomicU64::new(0) }
    }
}

impl Buckets {
    /// Adds a value. Only the owner may do so.
    #[inline]
    pub fn record(&self, value: u64) {
        add(&self.counts[bucket(value)], 1);
        add(&self.sum, value);
    }
}

/// Returns the bucket of a value. A bucket ends at a power of two, or a quarter, a half or three
/// quarters of the way to the next, and holds this value, too.
fn bucket(value: u64) -> usize {
    let value = value.saturating_sub(1);
    if value < 1 << SUB_BITS {
        return value as usize;
    }
    let exponent = value.ilog2();
    let sub = value >> (exponent - SUB_BITS) & ((1 << SUB_BITS) - 1);
    let bucket = ((exponent - SUB_BITS + 1) as usize) << SUB_BITS | sub as usize;
    bucket.min(BUCKETS - 1)
}

/// Returns the largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let (step, sub) = (bucket >> SUB_BITS, bucket as u64 & ((1 << SUB_BITS) - 1));
    match step {
        0 => sub + 1,
        _ if bucket == BUCKETS - 1 => u64::MAX,
        _ => ((1 << SUB_BITS) + sub + 1) << (step - 1),
    }
}

/// How often values of each size were seen: a histogram at one moment.
///
/// A bucket is at most a quarter wider than its smallest value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    sum: u64,
}

impl Histogram {
    /// Returns how many values there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of all values.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// Returns the buckets that hold any value, smallest first: the largest value of the bucket,
    /// and how many values it holds. The last bucket of all holds whatever is larger, and its
    /// largest value is [`u64::MAX`].
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(bucket, count)| (upper(bucket), *count))
    }

    /// Adds what was counted.
    pub(super) fn add(&mut self, buckets: &Buckets) {
        self.counts.resize(BUCKETS, 0);
        for (sum, count) in self.counts.iter_mut().zip(&buckets.counts) {
            *sum += count.load(Ordering::Relaxed);
        }
        self.sum = self.sum.wrapping_add(buckets.sum.load(Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another_and_hold_their_values() {
        for number in 0..BUCKETS {
            assert_eq!(bucket(upper(number)), number, "the largest value of bucket {number}");
            if number > 0 {
                assert_eq!(bucket(upper(number - 1) + 1), number, "the smallest of {number}");
            }
        }
        assert_eq!([0, 1, 4, 5, 8, 9, 10, 11].map(bucket), [0, 0, 3, 4, 7, 8, 8, 9]);
        for exponent in 0..MAX_EXPONENT {
            assert_eq!(upper(bucket(1 << exponent)), 1 << exponent, "powers of two end buckets");
        }
    }

    #[test]
    fn a_histogram_says_how_often_each_size_was_seen() {
        let buckets = Buckets::default();
        [5, 5, 100, u64::MAX / 4].into_iter().for_each(|value| buckets.record(value));
        let mut histogram = Histogram::default();
        histogram.add(&buckets);
        histogram.add(&buckets);
        assert_eq!(histogram.count(), 8);
        assert_eq!(histogram.sum(), 2 * (110 + u64::MAX / 4));
        let found: Vec<_> = histogram.buckets().collect();
        assert_eq!(found, [(5, 4), (112, 2), (u64::MAX, 2)]);
    }
}
