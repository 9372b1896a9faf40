//! One thread's way from a belt of chunks through the engine's driver, and back.
//!
//! Jobs are enqueued one by one, and what is complete is given on at once: a provider that works
//! within the call has a chunk's bytes still in its cache, and no thread hoards what another could
//! do.

use broadloom_engine::{Driver, Feed, QueueConfig, QueuePair};

use super::{ChunkJob, Numbered, Plan, Poll};

/// The next step.
pub(super) enum Next<J> {
    /// This.
    Job(Box<Numbered<J>>),
    /// Nothing now.
    Later,
    /// Nothing any more.
    End,
}

/// The source and the sink of a thread's loop.
pub(super) trait Belt<J> {
    /// The error type.
    type Error;
    /// Gives the next job. Where the thread has nothing else to do it waits for one, and does not
    /// say [`Next::Later`].
    fn next(&mut self, may_wait: bool) -> Result<Next<J>, Self::Error>;
    /// Takes a complete job.
    fn done(&mut self, job: Box<Numbered<J>>) -> Result<(), Self::Error>;
}

/// Takes jobs through a queue pair of their own until there are none. They are given back in
/// whatever order they become complete.
pub(super) fn drive<'a, J: ChunkJob<'a>, B: Belt<J>>(
    plan: &Plan<'_>,
    belt: &mut B,
) -> Result<(), B::Error> {
    let config =
        QueueConfig { capacity: plan.outstanding, max_wait: None, ..QueueConfig::default() };
    Driver::new(config).run(&mut Chunks { belt, poll: plan.poll })
}

/// A belt, as the engine's driver wants it.
struct Chunks<'b, B> {
    belt: &'b mut B,
    poll: Poll,
}

impl<'a, J: ChunkJob<'a>, B: Belt<J>> Feed<'a, Box<Numbered<J>>> for Chunks<'_, B> {
    type Error = B::Error;

    fn next(
        &mut self,
        pair: &mut QueuePair<'a, Box<Numbered<J>>>,
        jobs: &mut Vec<Box<Numbered<J>>>,
        _room: usize,
    ) -> Result<broadloom_engine::Next, B::Error> {
        Ok(match self.belt.next(pair.in_flight() == 0)? {
            Next::Job(job) => {
                jobs.push(job);
                broadloom_engine::Next::Jobs
            }
            Next::Later => broadloom_engine::Next::Later,
            Next::End => broadloom_engine::Next::End,
        })
    }

    fn done(
        &mut self,
        complete: &mut Vec<Box<Numbered<J>>>,
        again: &mut Vec<Box<Numbered<J>>>,
    ) -> Result<(), B::Error> {
        for mut job in complete.drain(..) {
            match job.job.again() {
                true => again.push(job),
                false => self.belt.done(job)?,
            }
        }
        Ok(())
    }

    fn wait(&mut self, pair: &mut QueuePair<'a, Box<Numbered<J>>>) {
        self.poll.wait(pair);
    }
}
