//! What readers of a [`Histogram`] ask it for.

use std::cmp::Ordering;

use crate::{Bucket, Histogram};

impl Histogram {
    /// Returns the values that were added after `before`, an earlier state of this histogram.
    #[must_use]
    pub fn since(&self, before: &Histogram) -> Histogram {
        let subtracted = |mine: u64, theirs: u64| mine.saturating_sub(theirs);
        let mut buckets = combine(&self.buckets, &before.buckets, subtracted);
        buckets.retain(|bucket| bucket.count > 0);
        let count = self.count.saturating_sub(before.count);
        let sum = if count == 0 { 0.0 } else { (self.sum - before.sum).max(0.0) };
        Histogram { count, sum, buckets }
    }

    /// Adds the values of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        self.buckets = combine(&self.buckets, &other.buckets, u64::saturating_add);
        self.count = self.count.saturating_add(other.count);
        self.sum += other.sum;
    }

    /// Returns a value such that at least `share` of all values (0.5 for the median) are at or
    /// below it: the upper end of a bucket. Returns `None` if there are no values.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let counted: u64 = self.buckets.iter().map(|bucket| bucket.count).sum();
        let rank = (share * counted as f64).ceil().max(1.0);
        let mut seen = 0;
        let reached = self.buckets.iter().find(|bucket| {
            seen += bucket.count;
            seen as f64 >= rank
        });
        reached.or(self.buckets.last()).map(|bucket| bucket.upper)
    }

    /// Returns the mean of all values. Returns `None` if there are no values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// Combines the counts of equal buckets of two sorted lists. A bucket that one list lacks counts
/// as 0 there.
fn combine(mine: &[Bucket], theirs: &[Bucket], count: impl Fn(u64, u64) -> u64) -> Vec<Bucket> {
    let mut combined = Vec::with_capacity(mine.len().max(theirs.len()));
    let (mut left, mut right) = (mine.iter().peekable(), theirs.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some(one), Some(other)) => one.upper.total_cmp(&other.upper),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return combined,
        };
        let one = if order.is_le() { left.next() } else { None };
        let other = if order.is_ge() { right.next() } else { None };
        let upper = one.or(other).map_or(f64::NAN, |bucket| bucket.upper);
        let of = |bucket: Option<&Bucket>| bucket.map_or(0, |bucket| bucket.count);
        combined.push(Bucket { upper, count: count(of(one), of(other)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[(f64, u64)]) -> Histogram {
        let buckets = values.iter().map(|&(upper, count)| Bucket { upper, count });
        Histogram {
            count: values.iter().map(|(_, count)| count).sum(),
            sum: values.iter().map(|&(upper, count)| upper * count as f64).sum(),
            buckets: buckets.collect(),
        }
    }

    #[test]
    fn only_values_that_came_later_are_left() {
        let before = histogram(&[(1.0, 5), (4.0, 2)]);
        let after = histogram(&[(0.5, 1), (1.0, 5), (4.0, 10), (8.0, 1)]);
        assert_eq!(after.since(&before), histogram(&[(0.5, 1), (4.0, 8), (8.0, 1)]));
        assert_eq!(after.since(&after), Histogram::default());
        assert_eq!(before.since(&after), Histogram::default(), "counters never shrink");
    }

    #[test]
    fn merged_histograms_keep_their_order() {
        let mut merged = histogram(&[(1.0, 5), (4.0, 2)]);
        merged.merge(&histogram(&[(2.0, 1), (4.0, 1), (9.0, 3)]));
        assert_eq!(merged, histogram(&[(1.0, 5), (2.0, 1), (4.0, 3), (9.0, 3)]));
    }

    #[test]
    fn percentiles_are_ends_of_buckets() {
        let values = histogram(&[(1.0, 50), (2.0, 49), (100.0, 1)]);
        for (share, value) in [(0.0, 1.0), (0.5, 1.0), (0.501, 2.0), (0.99, 2.0), (0.991, 100.0)] {
            assert_eq!(values.percentile(share), Some(value), "{share}");
        }
        assert_eq!(values.percentile(1.0), Some(100.0));
        assert_eq!(values.mean(), Some(2.48));
        let nothing = Histogram::default();
        assert_eq!((nothing.percentile(0.5), nothing.mean()), (None, None));
    }
}
