//! Passes: clients that start together, and what comes of them.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use super::meter::Meter;
use super::side::{Client, Over, Trouble};
use super::topic::Topic;
use crate::error::PerfError;
use crate::measure::sys::cpu_time;

/// What a pass came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Outcome {
    /// Operations of all clients.
    pub operations: usize,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Seconds from the first start to the last end.
    pub elapsed: f64,
    /// CPU seconds, user and system.
    pub cpu: f64,
    /// How long operations took, where they have times of their own.
    pub latency: Option<Latency>,
}

/// Nanoseconds of operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Latency {
    pub min: f64,
    pub mean: f64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
}

impl Latency {
    /// That of some times; none where there are none.
    pub fn of(mut times: Vec<u64>) -> Option<Latency> {
        times.sort_unstable();
        let at = |part: f64| {
            let rank = (times.len() as f64 * part).ceil() as usize;
            times[rank.clamp(1, times.len()) - 1] as f64
        };
        (!times.is_empty()).then(|| Latency {
            min: times[0] as f64,
            mean: times.iter().sum::<u64>() as f64 / times.len() as f64,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        })
    }
}

/// Says which row failed where.
pub(super) fn failed(over: Over, topic: Topic) -> impl Fn(Trouble) -> PerfError {
    move |trouble| PerfError::Storage {
        over: over.name(),
        figure: topic.name(),
        reason: trouble.to_string(),
    }
}

/// Prepares clients one after another and has them run together.
///
/// # Errors
/// What a client says.
pub(super) fn pass(
    clients: &mut [Box<dyn Client>],
    topic: Topic,
    operations: usize,
) -> Result<Outcome, Trouble> {
    for client in &mut *clients {
        client.prepare(topic, operations)?;
    }
    let barrier = Barrier::new(clients.len() + 1);
    let mut cpu = Duration::ZERO;
    let work = |client: &mut Box<dyn Client>| {
        barrier.wait();
        let begin = Instant::now();
        let meter = client.run(topic, operations, Meter::new())?;
        Ok((meter, begin, Instant::now()))
    };
    let work = &work;
    let done: Vec<Result<(Meter, Instant, Instant), Trouble>> = thread::scope(|scope| {
        let workers: Vec<_> =
            clients.iter_mut().map(|client| scope.spawn(move || work(client))).collect();
        cpu = cpu_time::of_process();
        barrier.wait();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().map(join).collect()
    });
    let cpu = (cpu_time::of_process() - cpu).as_secs_f64();
    let (mut outcome, mut times) = (Outcome { cpu, ..Outcome::default() }, Vec::new());
    let mut ends: Option<(Instant, Instant)> = None;
    for done in done {
        let (meter, begin, end) = done?;
        outcome.operations += meter.operations;
        outcome.bytes += meter.bytes;
        times.extend(meter.times);
        let (first, last) = ends.unwrap_or((begin, end));
        ends = Some((first.min(begin), last.max(end)));
    }
    outcome.elapsed = ends.map_or(0.0, |(first, last)| (last - first).as_secs_f64());
    outcome.latency = Latency::of(times);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_taken() {
        let latency = Latency::of((1..=200).rev().collect()).unwrap();
        let expected = Latency { min: 1.0, mean: 100.5, p50: 100.0, p99: 198.0, max: 200.0 };
        assert_eq!(latency, expected);
        let one = Latency::of(vec![7]).unwrap();
        assert_eq!((one.min, one.p50, one.p99, one.max), (7.0, 7.0, 7.0, 7.0));
        assert_eq!(Latency::of(Vec::new()), None);
    }

    /// Waits, and counts.
    struct Waiting(usize, bool);

    impl Client for Waiting {
        fn prepare(&mut self, _: Topic, operations: usize) -> Result<(), Trouble> {
            self.0 = operations;
            Ok(())
        }

        fn run(&mut self, _: Topic, operations: usize, meter: Meter) -> Result<Meter, Trouble> {
            let mut meter = meter;
            assert_eq!(self.0, operations);
            if self.1 {
                return Err("the disk is full".into());
            }
            for _ in 0..operations {
                thread::sleep(Duration::from_millis(2));
                meter.done(10);
            }
            Ok(meter)
        }
    }

    #[test]
    fn clients_add_up_and_a_failure_is_told() {
        let clients = |fails: [bool; 3]| -> Vec<Box<dyn Client>> {
            fails.into_iter().map(|fails| Box::new(Waiting(0, fails)) as _).collect()
        };
        let done = pass(&mut clients([false; 3]), Topic::Stat, 4).unwrap();
        assert_eq!((done.operations, done.bytes), (12, 120));
        assert!(done.elapsed >= 0.008 && done.latency.unwrap().min >= 2e6, "{done:?}");
        let failure = pass(&mut clients([false, true, false]), Topic::Stat, 4).unwrap_err();
        let said = failed(Over::Directory, Topic::Stat)(failure).to_string();
        assert_eq!(said, "stat over directory: the disk is full");
    }
}
