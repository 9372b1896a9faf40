//! Threads at work for all sides in turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use broadloom_engine::{Session, pin_to};

use super::case::Case;
use super::gate::Gate;
use super::material::{Made, Material};
use super::side::Side;
use super::worker::{Lane, Latencies, Nothing, Worker};
use crate::error::PerfError;
use crate::measure::pairing::{Figures, ROUNDS, TURN, minimum_and_median};
use crate::measure::sys::clock::{self, Clock};
use crate::names::Sharing;

/// Everything that one comparison takes.
pub struct Crew<'a> {
    case: &'a Case,
    material: &'a Material,
    sides: &'a [&'a Side],
    /// Of each side, one session, or one for each core; none of a library.
    sessions: Vec<Vec<Session>>,
    runs: Vec<Runs>,
}

/// What a side runs, in words.
pub struct Runs {
    /// An instruction set, a library's version.
    pub kernel: String,
    /// The library's call, if the side is a library.
    pub peer_call: Option<&'static str>,
}

/// What a measurement came to, besides its figures.
pub struct Measured<T> {
    /// The figures of each side.
    pub figures: Vec<T>,
    /// Why threads could not be kept on their cores.
    pub unpinned: Option<String>,
}

/// What one thread brings home: its samples of each side, and why it was not pinned.
type Home<S> = (Vec<Vec<S>>, Option<String>);

/// What all threads bring home: the same of each of them, and why one was not pinned.
type Homes<S> = (Vec<Vec<Vec<S>>>, Option<String>);

impl<'a> Crew<'a> {
    /// Opens the sessions.
    ///
    /// # Errors
    /// A side does not have the algorithm.
    pub fn new(
        case: &'a Case,
        material: &'a Material,
        sides: &'a [&'a Side],
    ) -> Result<Crew<'a>, PerfError> {
        let count = match case.sharing {
            Sharing::Shared => 1,
            Sharing::PerCore => case.cores,
        };
        let (mut all, mut runs) = (Vec::new(), Vec::new());
        for side in sides {
            let mut sessions = Vec::new();
            runs.push(match side.seat(material)? {
                Some(bare) => Runs {
                    kernel: bare.kernel(),
                    peer_call: Some(bare.call(case.pace.is_stream())),
                },
                None => {
                    let open = |_| side.session(material.plain(), material.direction());
                    sessions = (0..count).map(open).collect::<Result<_, _>>()?;
                    Runs { kernel: sessions[0].kernel(), peer_call: None }
                }
            });
            all.push(sessions);
        }
        Ok(Crew { case, material, sides, sessions: all, runs })
    }

    /// Returns what each side runs.
    pub fn runs(&self) -> &[Runs] {
        &self.runs
    }

    fn worker<'w>(
        &'w self,
        thread: usize,
        buffers: Vec<&'w mut [u8]>,
    ) -> Result<Worker<'w>, PerfError> {
        let mut lanes = Vec::new();
        let capacity = self.case.pace.outstanding().unwrap_or(self.material.len());
        for (side, sessions) in self.sides.iter().zip(&self.sessions) {
            lanes.push(match side.seat(self.material)? {
                Some(bare) => Lane::bare(bare),
                None => Lane::engine(&sessions[thread % sessions.len()], capacity),
            });
        }
        Ok(Worker::new(self.material, lanes, buffers, self.case.pace, self.case.cache))
    }

    /// Has every side do all buffers once, and compares what they made of them.
    ///
    /// # Errors
    /// A job fails, what is deciphered is not the plaintext, or two sides disagree.
    pub fn agree(&self) -> Result<(), PerfError> {
        let mut buffers = self.material.buffers();
        let mut worker = self.worker(0, buffers.split_mut())?;
        let mut first: Option<Vec<Made>> = None;
        for (index, side) in self.sides.iter().enumerate() {
            worker.prepare(index);
            worker.pass(index, &mut Nothing);
            worker.gather(index, side)?;
            let made = worker.made(index, side)?;
            let reference = first.get_or_insert_with(|| made.clone());
            if let Some(buffer) = (0..made.len()).find(|&buffer| made[buffer] != reference[buffer])
            {
                return Err(PerfError::Mismatch {
                    algorithm: self.case.algorithm,
                    direction: self.material.direction(),
                    first: self.sides[0].name(),
                    second: side.name(),
                    buffer,
                    len: self.material.plain().buffer(buffer).len(),
                });
            }
        }
        Ok(())
    }

    /// Cycles per buffer of each side: from the start of the first thread to the end of the last,
    /// over the buffers of all of them. The counters of all cores are taken to agree, as those of
    /// today's machines do.
    ///
    /// # Errors
    /// A job fails.
    pub fn throughput(
        &self,
        cores: &[usize],
        clock: &Clock,
        budget: Duration,
    ) -> Result<Measured<Figures>, PerfError> {
        let (threads, unpinned) = self.run(cores, budget, |worker, side| {
            let begin = clock::start();
            worker.pass(side, &mut Nothing);
            (begin, clock::stop())
        })?;
        let buffers = (self.material.len() * self.case.cores) as f64;
        let figures = (0..self.sides.len()).map(|side| {
            let of_side = || threads.iter().map(|samples| &samples[side]);
            let repeats = of_side().map(Vec::len).min().unwrap_or(0);
            let elapsed = |repeat: usize| {
                let begin = of_side().map(|samples| samples[repeat].0).min().unwrap_or(0);
                let end = of_side().map(|samples| samples[repeat].1).max().unwrap_or(0);
                end.saturating_sub(begin).saturating_sub(clock.overhead())
            };
            let mut times: Vec<u64> = (0..repeats).map(elapsed).collect();
            let (minimum, median) = minimum_and_median(&mut times);
            Figures { minimum: minimum / buffers, median: median / buffers }
        });
        Ok(Measured { figures: figures.collect(), unpinned })
    }

    /// Returns how long each job of each side was away, of all threads, in ticks of the counter.
    ///
    /// # Errors
    /// A job fails.
    pub fn latency(
        &self,
        cores: &[usize],
        budget: Duration,
    ) -> Result<Measured<Vec<u64>>, PerfError> {
        let (threads, unpinned) = self.run(cores, budget, |worker, side| {
            let mut latencies = Latencies::with_capacity(self.material.len());
            worker.pass(side, &mut latencies);
            latencies.ticks
        })?;
        let figures = (0..self.sides.len()).map(|side| {
            let samples = threads.iter().flat_map(|samples| samples[side].iter().flatten());
            samples.copied().collect()
        });
        Ok(Measured { figures: figures.collect(), unpinned })
    }

    /// Has all threads do one pass together, and measure it, for each side in turn, again and
    /// again. Gives every thread's samples of every side.
    fn run<S: Send>(
        &self,
        cores: &[usize],
        budget: Duration,
        measure: impl Fn(&mut Worker<'_>, usize) -> S + Sync,
    ) -> Result<Homes<S>, PerfError> {
        let (gate, go_on) = (Gate::new(self.case.cores), AtomicBool::new(true));
        let work = |thread: usize| -> Result<Home<S>, PerfError> {
            let pass = gate.pass();
            let pinned = cores.get(thread).map(|&core| pin_to(core));
            let mut buffers = self.material.buffers();
            // Another thread would wait for ever for one that ends here without a panic.
            let worker = self.worker(thread, buffers.split_mut());
            let mut worker = worker.expect("libraries that were set up once are set up again");
            let mut samples: Vec<Vec<S>> = self.sides.iter().map(|_| Vec::new()).collect();
            let mut failure = Ok(());
            let (begin, mut round) = (Instant::now(), 0);
            loop {
                if thread == 0 {
                    go_on.store(round < ROUNDS || begin.elapsed() < budget, Ordering::Relaxed);
                }
                pass.wait();
                if !go_on.load(Ordering::Relaxed) {
                    break;
                }
                for (index, side) in self.sides.iter().enumerate() {
                    for _ in 0..TURN {
                        worker.prepare(index);
                        pass.wait();
                        samples[index].push(measure(&mut worker, index));
                        let gathered = worker.gather(index, side);
                        failure = failure.and(gathered);
                    }
                }
                round += 1;
            }
            failure?;
            Ok((samples, pinned.and_then(Result::err).map(|error| error.to_string())))
        };
        let homes: Vec<Result<Home<S>, PerfError>> = std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                (0..self.case.cores).map(|thread| scope.spawn(move || work(thread))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        let (mut all, mut unpinned) = (Vec::new(), None);
        for home in homes {
            let (samples, why) = home?;
            all.push(samples);
            unpinned = unpinned.or(why);
        }
        Ok((all, unpinned))
    }
}
