//! Two or more contenders on the same buffers, in turn.
//!
//! # What is timed
//!
//! A *piece* is what one reading of the clock covers: in burst mode one burst, in stream mode a run
//! of submissions of one length (the last of them with the flush). The pieces of a workload differ,
//! as its lengths are mixed, so one piece's time says nothing of another's. Each piece is timed on
//! its own, many times over, and keeps its own minimum and its own median; the figure for the
//! workload is the sum of the minima (or medians) over all pieces, divided by the buffers.
//!
//! The alternative, to time whole passes and take the shortest, asks the machine for a pass
//! without a single interruption: the longer the pass, the fewer there are. A piece is some ten
//! thousand cycles, so that its minimum is soon the undisturbed time.
//!
//! # Turns
//!
//! In every round every contender has its turn on every piece, one after the other, so that a
//! minute in which the clock was low was low for all. A turn is a few repeats in a row: the first
//! brings code and data back into the nearest caches, the others are warm. For cold figures the
//! piece's buffers are evicted before each repeat; code, keys and outputs stay as they are.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::contender::Contender;
use super::sys::cache;
use super::sys::clock::Clock;
use super::workset::Workset;
use crate::error::PerfError;
use crate::names::{Cache, Mode};

/// Repeats in a row in one turn.
pub(crate) const TURN: usize = 4;

/// Rounds at least, whatever the budget.
pub(crate) const ROUNDS: usize = 3;

/// The shortest and the median of some times, of which there is at least one.
pub(crate) fn minimum_and_median(times: &mut [u64]) -> (f64, f64) {
    times.sort_unstable();
    let middle = times.len() / 2;
    let median = if times.len() % 2 == 1 {
        times[middle] as f64
    } else {
        (times[middle - 1] + times[middle]) as f64 / 2.0
    };
    (times[0] as f64, median)
}

/// What to time, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// How jobs are handed over.
    pub mode: Mode,
    /// Buffers of one piece: the burst, or in stream mode the submissions between two readings of
    /// the clock.
    pub piece: usize,
    /// Where the buffers are.
    pub cache: Cache,
    /// Rounds at least.
    pub rounds: usize,
    /// Rounds go on until this is spent.
    pub budget: Duration,
}

/// A contender's figures, in cycles of the counter per buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// From each piece's shortest repeat.
    pub minimum: f64,
    /// From each piece's median repeat.
    pub median: f64,
}

/// The times of one contender, by piece.
struct Times(Vec<Vec<u64>>);

impl Times {
    fn new(pieces: usize) -> Times {
        Times(vec![Vec::new(); pieces])
    }

    fn push(&mut self, piece: usize, ticks: u64) {
        self.0[piece].push(ticks);
    }

    fn figures(mut self, buffers: usize) -> Figures {
        let (mut minimum, mut median) = (0.0, 0.0);
        for times in &mut self.0 {
            let (shortest, middle) = minimum_and_median(times);
            minimum += shortest;
            median += middle;
        }
        let buffers = buffers as f64;
        Figures { minimum: minimum / buffers, median: median / buffers }
    }
}

/// The first `count` buffers in pieces of `piece`; the last may be shorter.
fn pieces(count: usize, piece: usize) -> Vec<Range<usize>> {
    (0..count).step_by(piece).map(|begin| begin..count.min(begin + piece)).collect()
}

/// Times every contender on the whole set and gives their figures in the same order.
///
/// # Errors
/// A contender failed.
///
/// # Panics
/// The set is empty or a piece is.
pub fn measure(
    contenders: &mut [Box<dyn Contender + '_>],
    workset: &Workset,
    plan: &Plan,
    clock: &Clock,
) -> Result<Vec<Figures>, PerfError> {
    assert!(!workset.is_empty() && plan.piece > 0, "nothing to measure");
    let pieces = pieces(workset.len(), plan.piece);
    let mut times: Vec<Times> = contenders.iter().map(|_| Times::new(pieces.len())).collect();
    let begin = Instant::now();
    let mut round = 0;
    while round < plan.rounds || begin.elapsed() < plan.budget {
        match plan.mode {
            Mode::Burst => bursts(contenders, workset, &pieces, plan, clock, &mut times)?,
            Mode::Stream => streams(contenders, workset, &pieces, plan, clock, &mut times)?,
        }
        round += 1;
    }
    Ok(times.into_iter().map(|times| times.figures(workset.len())).collect())
}

fn bursts(
    contenders: &mut [Box<dyn Contender + '_>],
    workset: &Workset,
    pieces: &[Range<usize>],
    plan: &Plan,
    clock: &Clock,
    times: &mut [Times],
) -> Result<(), PerfError> {
    for (number, piece) in pieces.iter().enumerate() {
        for (contender, times) in contenders.iter_mut().zip(times.iter_mut()) {
            for _ in 0..TURN {
                prepare(workset, piece.clone(), plan.cache);
                let (ticks, result) = clock.time(|| contender.burst(piece.clone()));
                result?;
                contender.collect();
                times.push(number, ticks);
            }
        }
    }
    Ok(())
}

fn streams(
    contenders: &mut [Box<dyn Contender + '_>],
    workset: &Workset,
    pieces: &[Range<usize>],
    plan: &Plan,
    clock: &Clock,
    times: &mut [Times],
) -> Result<(), PerfError> {
    for (contender, times) in contenders.iter_mut().zip(times) {
        for _ in 0..TURN {
            prepare(workset, 0..workset.len(), plan.cache);
            for (number, piece) in pieces.iter().enumerate() {
                let last = number + 1 == pieces.len();
                let (ticks, result) = clock.time(|| {
                    contender.submit(piece.clone())?;
                    if last { contender.flush() } else { Ok(()) }
                });
                result?;
                times.push(number, ticks);
            }
            contender.collect();
        }
    }
    Ok(())
}

fn prepare(workset: &Workset, buffers: Range<usize>, state: Cache) {
    if state == Cache::Cold {
        for index in buffers {
            cache::evict(workset.buffer(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::Workload;
    use super::*;
    use crate::names::Provider;

    #[test]
    fn each_piece_keeps_its_own_minimum_and_median() {
        let mut times = Times::new(2);
        for ticks in [130, 100, 110] {
            times.push(0, ticks);
        }
        for ticks in [900, 500, 700, 600] {
            times.push(1, ticks);
        }
        let figures = times.figures(6);
        assert_eq!(figures, Figures { minimum: 600.0 / 6.0, median: (110.0 + 650.0) / 6.0 });
    }

    #[test]
    fn the_last_piece_may_be_shorter() {
        assert_eq!(pieces(10, 4), [0..4, 4..8, 8..10]);
    }

    /// Counts what it is asked for.
    #[derive(Default)]
    struct Tally {
        bursts: Vec<Range<usize>>,
        submitted: usize,
        flushes: usize,
    }

    impl Contender for &mut Tally {
        fn provider(&self) -> Provider {
            Provider::Native
        }
        fn kernel(&self) -> String {
            "tally".to_owned()
        }
        fn burst(&mut self, range: Range<usize>) -> Result<(), PerfError> {
            self.bursts.push(range);
            Ok(())
        }
        fn submit(&mut self, range: Range<usize>) -> Result<(), PerfError> {
            self.submitted += range.len();
            Ok(())
        }
        fn flush(&mut self) -> Result<(), PerfError> {
            self.flushes += 1;
            Ok(())
        }
        fn output(&self, _: usize) -> &[u8] {
            &[]
        }
        fn clear(&mut self) {}
    }

    fn run(mode: Mode, cache: Cache) -> Tally {
        let workset = Workset::new(&Workload::Uniform, "md5".parse().unwrap(), 10, 1);
        let plan = Plan { mode, piece: 4, cache, rounds: 3, budget: Duration::ZERO };
        let mut tally = Tally::default();
        let figures =
            measure(&mut [Box::new(&mut tally)], &workset, &plan, &Clock::calibrate()).unwrap();
        assert_eq!(figures.len(), 1);
        assert!(figures[0].minimum <= figures[0].median);
        tally
    }

    #[test]
    fn every_round_runs_every_burst() {
        let tally = run(Mode::Burst, Cache::Cold);
        for piece in [0..4, 4..8, 8..10] {
            assert_eq!(tally.bursts.iter().filter(|&range| *range == piece).count(), 3 * TURN);
        }
        assert_eq!((tally.submitted, tally.flushes), (0, 0));
    }

    #[test]
    fn a_stream_is_flushed_once_at_its_end() {
        let tally = run(Mode::Stream, Cache::Warm);
        assert_eq!((tally.submitted, tally.flushes), (3 * TURN * 10, 3 * TURN));
        assert!(tally.bursts.is_empty());
    }
}
