//! Passes: threads that keep jobs outstanding until all buffers are done.

use std::thread;
use std::time::{Duration, Instant};

use broadloom_engine::{Algorithm, Driver, Feed, Job, Next, QueueConfig, QueuePair, Session};

use crate::error::PerfError;
use crate::measure::sys::cpu_time;

/// Threads at work, each with its queue pair.
pub(super) struct Crew<'s> {
    pub session: &'s Session,
    /// What each job checks, if so.
    pub signature: Option<&'s [u8]>,
    /// What stays on the device; without it, each job has data of its own.
    pub resident: Option<&'s [u8]>,
    pub size: usize,
    pub threads: usize,
    /// Jobs that each thread has outstanding.
    pub outstanding: usize,
    /// Buffers of each thread.
    pub buffers: usize,
}

/// What a row says of jobs whose data stay on the device.
pub(super) const RESIDENT: &str = "resident";

/// Where parts of data begin that a device can read without a copy.
pub(super) const STRIDE: usize = 8;

/// How long a pass took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub elapsed: Duration,
    pub cpu: Duration,
}

/// Bytes that differ from text to text.
pub(super) fn text(number: usize, size: usize) -> Vec<u8> {
    (0..size).map(|at| (number * 31 + at * 7) as u8).collect()
}

/// A job with data of its own, as an algorithm needs it. With a signature all have the first text,
/// which is the one that was signed.
pub(super) fn job<'s>(
    session: &'s Session,
    signature: Option<&'s [u8]>,
    number: usize,
    size: usize,
) -> Job<'s> {
    if let Some(signature) = signature {
        return Job::new(session, text(0, size)).signature(signature);
    }
    let algorithm = session.algorithm();
    let nonce = match algorithm {
        Algorithm::Hash(_) => 0,
        _ if algorithm.nonce_lens().contains(12) => 12,
        _ if algorithm.nonce_lens().contains(16) => 16,
        _ => 0,
    };
    Job::new(session, text(number, size)).nonce(&[7; 16][..nonce])
}

/// A part of data, of so many bytes. There are as many as fit, and then they begin anew.
fn part(data: &[u8], number: usize, size: usize) -> &[u8] {
    let stride = size.next_multiple_of(STRIDE);
    let start = number % (data.len() / stride).max(1) * stride;
    &data[start..start + size]
}

impl Crew<'_> {
    /// Does all buffers once.
    ///
    /// # Errors
    /// A job failed.
    pub fn pass(&self) -> Result<Time, PerfError> {
        let (begin, cpu) = (Instant::now(), cpu_time::of_process());
        let done: Result<(), PerfError> = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads).map(|_| scope.spawn(|| self.work())).collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        });
        let time = Time { elapsed: begin.elapsed(), cpu: cpu_time::of_process() - cpu };
        done.map(|()| time)
    }

    /// A thread's part.
    fn work(&self) -> Result<(), PerfError> {
        let config =
            QueueConfig { capacity: self.outstanding, max_wait: None, ..QueueConfig::default() };
        let outstanding = self.outstanding.min(self.buffers);
        let jobs = (0..outstanding).map(|number| {
            Box::new(match self.resident {
                Some(data) => Job::new(self.session, part(data, number, self.size)),
                None => job(self.session, self.signature, number, self.size),
            })
        });
        let mut laps = Laps { idle: jobs.collect(), left: self.buffers };
        Driver::new(config).run(&mut laps)
    }
}

/// A job that comes back goes out again.
struct Laps<'s> {
    #[expect(clippy::vec_box, reason = "a queue pair moves them faster so")]
    idle: Vec<Box<Job<'s>>>,
    left: usize,
}

impl<'s> Feed<'s, Box<Job<'s>>> for Laps<'s> {
    type Error = PerfError;

    fn next(
        &mut self,
        _: &mut QueuePair<'s, Box<Job<'s>>>,
        jobs: &mut Vec<Box<Job<'s>>>,
        room: usize,
    ) -> Result<Next, PerfError> {
        if self.left == 0 {
            return Ok(Next::End);
        }
        let count = room.min(self.left).min(self.idle.len());
        jobs.extend(self.idle.drain(self.idle.len() - count..));
        self.left -= count;
        Ok(if count == 0 { Next::Later } else { Next::Jobs })
    }

    fn done(
        &mut self,
        complete: &mut Vec<Box<Job<'s>>>,
        _again: &mut Vec<Box<Job<'s>>>,
    ) -> Result<(), PerfError> {
        for job in complete.iter() {
            if let Some(Err(error)) = job.status() {
                let spec = job.session().provider().to_owned();
                return Err(PerfError::Provider { spec, reason: error.to_string() });
            }
        }
        self.idle.append(complete);
        Ok(())
    }
}
