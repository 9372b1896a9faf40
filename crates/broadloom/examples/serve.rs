//! A thread that serves a queue with a manager of lanes alone, without sessions and providers: jobs
//! come in through a channel, and leave complete, each within a bound on its wait.
//!
//! ```sh
//! cargo run --release -p broadloom --example serve
//! ```

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use broadloom::lanes::{Cpu, HashJob, HmacKey, Job, Manager, OutOfOrder, Sha256};

/// Jobs that the example sends.
const JOBS: u32 = 1000;

fn main() {
    let key = HmacKey::<Sha256>::new(b"key");
    let clock = Clock::new();
    let (queue, jobs) = mpsc::sync_channel(256);
    let (done, tags) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut manager = OutOfOrder::new(&Cpu::detect(), 64);
            let patience = Duration::from_micros(50);
            serve(&mut manager, &jobs, &clock, patience, |job: HashJob<Sha256, [u8; 4], u32>| {
                let tag = *job.output().expect("the job is complete");
                done.send((*job.user(), tag)).expect("the main thread listens");
            });
        });
        for number in 0..JOBS {
            let job = HashJob::hmac(&key, number.to_le_bytes(), number);
            let job = job.by(clock.after(Duration::from_millis(1)));
            queue.send(job).expect("the thread serves the queue");
        }
        drop(queue);
    });
    let tags: Vec<_> = tags.iter().collect();
    assert_eq!(tags.len(), JOBS as usize, "every job came back");
    println!("{JOBS} tags, the first of job {}", tags[0].0);
}

/// A clock for deadlines: ticks are nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that starts now.
    fn new() -> Self {
        Clock { start: Instant::now() }
    }

    /// The ticks of this moment.
    fn now(&self) -> u64 {
        ticks(self.start.elapsed())
    }

    /// The ticks of a moment to come: what a job's `by` takes.
    fn after(&self, delay: Duration) -> u64 {
        self.now().saturating_add(ticks(delay))
    }
}

fn ticks(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Takes jobs from a queue to their completion, on the calling thread, until every sender is gone
/// and every job was handed to `complete`.
///
/// While jobs keep coming the lanes are kept full. When the queue has been empty for `patience`,
/// what is left in the manager is flushed, job by job, for as long as nothing new comes: flushing
/// runs lanes half empty, but an empty queue says that there is time for it. A job with a deadline
/// on `clock` ([`Clock::after`]) is completed when it comes even if the queue is never empty, as
/// soon as the next job arrives or `patience` is over.
fn serve<J: Job, M: Manager<J>>(
    manager: &mut M,
    jobs: &Receiver<J>,
    clock: &Clock,
    patience: Duration,
    mut complete: impl FnMut(J),
) {
    let mut idle = false;
    loop {
        match next(manager, jobs, if idle { Duration::ZERO } else { patience }) {
            Next::Job(job) => {
                idle = false;
                manager.submit(job).into_iter().for_each(&mut complete);
                while let Some(job) = manager.flush_expired(clock.now()) {
                    complete(job);
                }
            }
            Next::Idle => {
                idle = true;
                manager.flush().into_iter().for_each(&mut complete);
            }
            Next::Closed => break,
        }
    }
    while let Some(job) = manager.flush() {
        complete(job);
    }
}

/// What the queue has.
enum Next<J> {
    Job(J),
    Idle,
    Closed,
}

/// Waits for the next job: for ever if the manager is empty, else no longer than `patience`.
fn next<J: Job, M: Manager<J>>(manager: &M, jobs: &Receiver<J>, patience: Duration) -> Next<J> {
    match jobs.try_recv() {
        Ok(job) => return Next::Job(job),
        Err(TryRecvError::Disconnected) => return Next::Closed,
        Err(TryRecvError::Empty) => {}
    }
    if manager.in_flight() == 0 {
        return jobs.recv().map_or(Next::Closed, Next::Job);
    }
    match jobs.recv_timeout(patience) {
        Ok(job) => Next::Job(job),
        Err(RecvTimeoutError::Timeout) => Next::Idle,
        Err(RecvTimeoutError::Disconnected) => Next::Closed,
    }
}

#[cfg(test)]
mod tests {
    use broadloom::lanes::{InOrder, Sha1};

    use super::*;

    type Packet = HashJob<'static, Sha1, Vec<u8>, usize>;

    fn packet(number: usize) -> Packet {
        HashJob::digest(vec![number as u8; number * 37 % 3000], number)
    }

    /// Serves on a thread of its own, and gives the queue and what comes back.
    fn serving<M: Manager<Packet> + Send + 'static>(
        mut manager: M,
        patience: Duration,
    ) -> (mpsc::SyncSender<Packet>, mpsc::Receiver<usize>) {
        let (queue, jobs) = mpsc::sync_channel(16);
        let (done, numbers) = mpsc::channel();
        std::thread::spawn(move || {
            serve(&mut manager, &jobs, &Clock::new(), patience, |job| {
                assert!(job.output().is_some());
                done.send(*job.user()).expect("the test listens");
            });
        });
        (queue, numbers)
    }

    #[test]
    fn every_job_comes_back_when_the_queue_closes() {
        let (queue, numbers) = serving(OutOfOrder::new(&Cpu::detect(), 64), Duration::MAX);
        (0..500).for_each(|number| queue.send(packet(number)).expect("it is served"));
        drop(queue);
        let mut numbers: Vec<_> = numbers.iter().collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..500));
    }

    #[test]
    fn an_idle_queue_is_flushed_in_order() {
        let (queue, numbers) = serving(InOrder::new(&Cpu::detect(), 64), Duration::from_millis(1));
        (0..7).for_each(|number| queue.send(packet(number)).expect("it is served"));
        // The queue stays open: only idleness can bring these back.
        assert!((0..7).all(|number| numbers.recv() == Ok(number)));
        drop(queue);
        assert!(numbers.recv().is_err());
    }

    #[test]
    fn patience_is_lost_once_for_all_that_wait() {
        let (queue, numbers) =
            serving(OutOfOrder::new(&Cpu::detect(), 1000), Duration::from_millis(300));
        // So few that they wait in the manager, and so many that as many patiences would take
        // minutes.
        (0..400).for_each(|number| {
            queue.send(HashJob::digest(vec![number as u8; 10], number)).expect("it is served");
        });
        let limit = Duration::from_secs(60);
        let mut came: Vec<usize> = (0..400)
            .map(|_| numbers.recv_timeout(limit).expect("it comes without new patience"))
            .collect();
        came.sort_unstable();
        assert!(came.into_iter().eq(0..400));
        drop(queue);
    }

    #[test]
    fn a_deadline_is_met_on_a_busy_queue() {
        let clock = Clock::new();
        let (queue, jobs) = mpsc::sync_channel(64);
        let long = HashJob::digest(vec![1; 100_000], 0).by(clock.now());
        queue.send(long).expect("there is room");
        (1..20).for_each(|number| queue.send(packet(number)).expect("there is room"));
        drop(queue);
        let mut manager = OutOfOrder::new(&Cpu::detect(), 1000);
        let mut order = Vec::new();
        serve(&mut manager, &jobs, &clock, Duration::MAX, |job: Packet| order.push(*job.user()));
        assert_eq!(order.first(), Some(&0), "its time had come when it was submitted");
        assert_eq!(order.len(), 20);
    }
}
