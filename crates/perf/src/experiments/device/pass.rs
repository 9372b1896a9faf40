//! Passes: threads that keep jobs outstanding until all buffers are done.

use std::thread;
use std::time::{Duration, Instant};

use broadloom_engine::{Algorithm, Driver, Feed, Job, Next, QueueConfig, QueuePair, Session};

use crate::error::PerfError;
use crate::measure::sys::cpu_time;

/// Threads at work, each with its queue pair.
pub(super) struct Crew<'s> {
    pub session: &'s Session,
    pub size: usize,
    pub threads: usize,
    /// Jobs that each thread has outstanding.
    pub outstanding: usize,
    /// Buffers of each thread.
    pub buffers: usize,
}

/// How long a pass took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub elapsed: Duration,
    pub cpu: Duration,
}

/// A job with data of its own, as an algorithm needs it.
pub(super) fn job(session: &Session, number: usize, size: usize) -> Job<'_> {
    let text = (0..size).map(|at| (number * 31 + at * 7) as u8).collect::<Vec<_>>();
    let algorithm = session.algorithm();
    let nonce = match algorithm {
        Algorithm::Hash(_) => 0,
        _ if algorithm.nonce_lens().contains(12) => 12,
        _ if algorithm.nonce_lens().contains(16) => 16,
        _ => 0,
    };
    Job::new(session, text).nonce(&[7; 16][..nonce])
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
        let jobs = (0..outstanding).map(|number| Box::new(job(self.session, number, self.size)));
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
