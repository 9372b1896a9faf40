//! How a burst is shared out: contiguous shares of near-equal cost.

use std::ops::Range;

use crate::job::{Handle, Operated};

/// What a job costs beside its bytes, in bytes that could be worked on in that time. Short jobs of
/// the native provider's kernels cost as much as 130 to 180 further bytes.
const JOB: usize = 150;

/// Less than this, in bytes, is not worth another thread: waking one takes some microseconds.
const LEAST: usize = 32 << 10;

/// Returns the contiguous shares, of near-equal cost, of a burst for at most `threads` threads:
/// fewer where the burst is small, and more where a share would have more than `most` jobs.
pub fn shares<'a, H: Handle<'a>>(
    jobs: &mut [H],
    threads: usize,
    most: usize,
) -> impl Iterator<Item = Range<usize>> {
    cut(jobs.len(), threads, most, move |place| jobs[place].operation().data.len() + JOB)
}

/// The same for so many jobs of any costs.
fn cut(
    jobs: usize,
    threads: usize,
    most: usize,
    mut cost: impl FnMut(usize) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    let total: usize = (0..jobs).map(&mut cost).sum();
    let count = (total / LEAST).clamp(1, threads.max(1)).max(jobs.div_ceil(most));
    let (mut start, mut before, mut number) = (0, 0, 0);
    std::iter::from_fn(move || {
        if start == jobs {
            return None;
        }
        number += 1;
        // Up to where the shares so far have their part of the whole, and at least one job.
        let until = total / count * number;
        let mut end = start;
        while end < jobs && end - start < most {
            let cost = cost(end);
            // A job on the border goes to the side that has more of it.
            if end > start && number < count && before + cost / 2 >= until {
                break;
            }
            before += cost;
            end += 1;
        }
        Some(std::mem::replace(&mut start, end)..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_costs(costs: &[usize], threads: usize, most: usize) -> Vec<Range<usize>> {
        let shares: Vec<_> = cut(costs.len(), threads, most, |place| costs[place]).collect();
        let joined: Vec<usize> = shares.iter().cloned().flatten().collect();
        assert!(
            joined.into_iter().eq(0..costs.len()),
            "{shares:?}: each job is in one, in its order"
        );
        assert!(shares.iter().all(|share| (1..=most).contains(&share.len())), "{shares:?}");
        shares
    }

    #[test]
    fn shares_cost_much_the_same() {
        // Lengths that grow: the later half of the jobs has three quarters of the bytes.
        let costs: Vec<usize> = (0..3000).map(|place| 100 + place).collect();
        for threads in [1, 2, 3, 7, 32] {
            let shares = cut_costs(&costs, threads, usize::MAX);
            assert_eq!(shares.len(), threads);
            let total: usize = costs.iter().sum();
            for share in shares {
                let cost: usize = costs[share].iter().sum();
                assert!(cost.abs_diff(total / threads) <= 3100, "{cost} of {total} by {threads}");
            }
        }
    }

    #[test]
    fn one_large_job_has_a_share_of_its_own() {
        let mut costs = vec![LEAST / 100; 200];
        costs[100] = 100 * LEAST;
        let shares = cut_costs(&costs, 2, usize::MAX);
        assert_eq!(shares.len(), 2);
        assert!(shares.contains(&(0..100)) || shares.contains(&(0..101)), "{shares:?}");
    }

    #[test]
    fn little_is_not_shared_out_and_no_share_is_too_long() {
        let count = |costs: &[usize]| cut_costs(costs, 8, 30).len();
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[LEAST - 1]), 1);
        assert_eq!((count(&[1; 30]), count(&[1; 31])), (1, 2));
        assert_eq!(count(&[LEAST; 3]), 3);
    }
}
