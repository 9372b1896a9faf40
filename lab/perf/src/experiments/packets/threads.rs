//! Threads that each protect bursts of their own, as those of a gateway do whose network card sorts
//! packets into a queue for each thread.
//!
//! # What is timed
//!
//! Flows are divided: flow `n` is the business of thread `n` modulo the number of threads. Each
//! thread has as many packets as any other, of the same lengths in the same order, so that all of
//! them have the same to do. In every round the threads make their packets ready, wait for each
//! other, and then process all their bursts. The round takes from when the first one begins to when
//! the last one is done. The figure is the shortest round, divided by the packets of all threads. A
//! single thread is measured in the same way.

use std::cell::Cell;
use std::hint::spin_loop;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::yield_now;
use std::time::Instant;

use broadloom_packets::{Flow, PacketProcessor, PacketWorkers};

use super::options::{Call, Case};
use super::ours::Ours;
use super::side::{Side, Traffic, failed};
use super::traffic::{Parcel, draw};
use super::{Bench, budget, count, verify};
use crate::error::PerfError;
use crate::measure::pairing::{ROUNDS, minimum_and_median};
use crate::measure::sys::clock::{start, stop};
use crate::report::row::Row;

/// Turns of a waiting loop before a thread lets others run.
const TURNS: usize = 1 << 14;

/// When a thread began and ended a round.
type Times = Vec<(u64, u64)>;

/// Measures a case on the flows of some packets.
///
/// # Errors
/// There are fewer flows than threads, threads cannot be started, or packets are wrong.
pub fn measure<F: Flow + 'static>(
    bench: &Bench,
    case: &Case,
    traffic: &Traffic<F>,
) -> Result<Row, PerfError> {
    if case.flows < case.workers {
        return Err(failed(format!(
            "{} flows are not enough for {} threads with flows of their own",
            case.flows, case.workers
        )));
    }
    let workers = PacketWorkers::new(case.workers, &bench.options.placement).map_err(failed)?;
    let shares: Vec<_> =
        (0..case.workers).map(|thread| Mutex::new(Some(share(case, traffic, thread)))).collect();
    let line = Line::new(case.workers);
    let times = workers.on_each(|thread, processor| {
        let share = shares[thread].lock().unwrap_or_else(PoisonError::into_inner).take();
        let share = share.ok_or_else(|| failed("a thread has been called twice"))?;
        let _leaves = Leaves(&line);
        rounds(bench, case, &share, processor, &line)
    });
    let times: Vec<Times> = times.into_iter().collect::<Result<_, _>>()?;
    let packets = case.workers * count(case);
    let bytes: usize = draw(case.frames, 1, count(case)).iter().map(|parcel| parcel.len).sum();
    let per_packet = |ticks: f64| ticks / packets as f64;
    let (minimum, median) = minimum_and_median(&mut spans(&times));
    let mean = bytes as f64 / count(case) as f64;
    let name = "native".to_owned();
    Ok(bench.row(case, (name, String::new()), mean, per_packet(minimum), per_packet(median)))
}

/// Returns what one thread works on.
fn share<F: Flow>(case: &Case, traffic: &Traffic<F>, thread: usize) -> Traffic<F> {
    let own = (case.flows - thread).div_ceil(case.workers);
    let parcels = draw(case.frames, own, count(case)).into_iter();
    let parcels: Vec<Parcel> = parcels
        .map(|Parcel { len, flow }| Parcel { len, flow: flow * case.workers + thread })
        .collect();
    Traffic {
        send: traffic.send.iter().map(Arc::clone).collect(),
        receive: traffic.receive.iter().map(Arc::clone).collect(),
        burst: case.burst,
        text: traffic.text,
        header: traffic.header,
        next: traffic.next.clone(),
        sequence: vec![Cell::new(0); parcels.len()],
        meta: traffic.meta,
        parcels,
    }
}

/// Does the rounds of one thread, and returns when each began and ended.
fn rounds<F: Flow + 'static>(
    bench: &Bench,
    case: &Case,
    traffic: &Traffic<F>,
    processor: &mut PacketProcessor,
    line: &Line,
) -> Result<Times, PerfError> {
    let pieces = 0..traffic.pieces();
    let own = Case { call: Call::Burst, ..case.clone() };
    let mut ours = Ours::new(traffic, &own, &bench.options.placement)?;
    ours.set_processor(mem::take(processor));
    let receiver = &mut PacketProcessor::new();
    for piece in pieces.clone().take(16) {
        ours.prepare(piece)?;
        ours.run(piece)?;
        verify(case, traffic, &mut ours, piece, receiver)?;
    }
    let mut times = Vec::new();
    let (begin, budget) = (Instant::now(), budget(bench, traffic));
    loop {
        for piece in pieces.clone() {
            ours.prepare(piece)?;
        }
        let is_enough = times.len() >= ROUNDS && begin.elapsed() >= budget;
        if line.wait(is_enough) {
            return Ok(times);
        }
        let begin = start();
        for piece in pieces.clone() {
            ours.run(piece)?;
        }
        times.push((begin, stop()));
    }
}

/// Returns how long each round took, from the first beginning to the last end.
fn spans(times: &[Times]) -> Vec<u64> {
    let rounds = times.iter().map(Vec::len).min().unwrap_or(0);
    let span = |round: usize| {
        let of_round = || times.iter().map(|times| times[round]);
        let begin = of_round().map(|(begin, _)| begin).min().unwrap_or(0);
        of_round().map(|(_, end)| end).max().unwrap_or(0).saturating_sub(begin)
    };
    (0..rounds).map(span).collect()
}

/// Where threads wait for each other. They do so without sleeping, so that all go on at once.
struct Line {
    threads: usize,
    waiting: AtomicUsize,
    /// How often all threads have gone on, or [`ENDED`].
    times: AtomicUsize,
    /// A thread has had enough.
    is_enough: AtomicBool,
}

/// Nobody waits any more.
const ENDED: usize = usize::MAX;

impl Line {
    fn new(threads: usize) -> Self {
        let (waiting, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Line { threads, waiting, times, is_enough: AtomicBool::new(false) }
    }

    /// Waits for all threads. All of them are told the same: `true` if one has had enough. A thread
    /// that has [left](Leaves) is not waited for, and ends it for all.
    fn wait(&self, is_enough: bool) -> bool {
        if is_enough {
            self.is_enough.store(true, Ordering::Relaxed);
        }
        let time = self.times.load(Ordering::Acquire);
        if time == ENDED {
            return true;
        }
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            let next = if self.is_enough.load(Ordering::Relaxed) { ENDED } else { time + 1 };
            self.times.store(next, Ordering::Release);
        }
        let mut turns = 0;
        while self.times.load(Ordering::Acquire) == time {
            turns += 1;
            match turns % TURNS {
                0 => yield_now(),
                _ => spin_loop(),
            }
        }
        self.times.load(Ordering::Acquire) == ENDED
    }
}

/// Lets the others end when a thread leaves the line, even with an error or a panic.
struct Leaves<'l>(&'l Line);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.times.store(ENDED, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_the_last_thread() {
        let times = [vec![(5, 20), (30, 50), (60, 61)], vec![(7, 25), (29, 40)]];
        assert_eq!(spans(&times), [20, 21]);
        assert!(spans(&[vec![], vec![(1, 2)]]).is_empty());
    }

    #[test]
    fn all_threads_do_as_many_rounds_as_the_one_that_ends_them() {
        let line = Line::new(3);
        let rounds = std::thread::scope(|scope| {
            let threads = [7, 100, 100].map(|most| {
                let line = &line;
                scope.spawn(move || (0..).take_while(|round| !line.wait(*round >= most)).count())
            });
            threads.map(|thread| thread.join().expect("it does not panic"))
        });
        assert_eq!(rounds, [7; 3]);
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_left() {
        let line = Line::new(2);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| line.wait(false));
            drop(Leaves(&line));
            assert!(waits.join().expect("it does not panic"));
        });
        assert!(line.wait(false));
    }
}
