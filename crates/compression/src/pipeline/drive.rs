//! One thread's way from the ordered map through the engine's driver, and back.
//!
//! Jobs are enqueued one by one, and what is complete is given on at once: a provider that works
//! within the call has a chunk's bytes still in its cache, and no thread hoards what another could
//! do.

use std::convert::Infallible;

use broadloom_engine::{Driver, Feed, QueueConfig, QueuePair};
use broadloom_ordered::{Belt, Next};

use super::{ChunkJob, Numbered, Plan, Poll};

/// A filled job, or a done one.
pub(crate) type Boxed<J> = Box<Numbered<J>>;

/// A thread's side of the map. No error is its own: results carry theirs.
pub(crate) trait Side<J> {
    /// Gives the next job. Where the thread has nothing else to do it waits for one, and does not
    /// say [`Next::Later`].
    fn next(&mut self, may_wait: bool) -> Next<Boxed<J>>;
    /// Takes a complete job.
    fn done(&mut self, job: Boxed<J>);
}

impl<J> Side<J> for &Belt<Boxed<J>, Boxed<J>> {
    fn next(&mut self, may_wait: bool) -> Next<Boxed<J>> {
        Belt::next(self, may_wait)
    }

    fn done(&mut self, job: Boxed<J>) {
        self.put(job.turn, job);
    }
}

/// Takes jobs through a queue pair of their own until there are none. They are given back in
/// whatever order they become complete.
pub(super) fn drive<'a, J: ChunkJob<'a>>(plan: &Plan<'_>, side: &mut impl Side<J>) {
    let config =
        QueueConfig { capacity: plan.outstanding, max_wait: None, ..QueueConfig::default() };
    let driven = Driver::new(config).run(&mut Chunks { side, poll: plan.poll });
    driven.unwrap_or_else(|never| match never {});
}

/// A side, as the engine's driver wants it.
struct Chunks<'s, S> {
    side: &'s mut S,
    poll: Poll,
}

impl<'a, J: ChunkJob<'a>, S: Side<J>> Feed<'a, Boxed<J>> for Chunks<'_, S> {
    type Error = Infallible;

    fn next(
        &mut self,
        pair: &mut QueuePair<'a, Boxed<J>>,
        jobs: &mut Vec<Boxed<J>>,
        _room: usize,
    ) -> Result<broadloom_engine::Next, Infallible> {
        Ok(match self.side.next(pair.in_flight() == 0) {
            Next::Item(turn, mut job) => {
                job.turn = turn;
                jobs.push(job);
                broadloom_engine::Next::Jobs
            }
            Next::Later => broadloom_engine::Next::Later,
            Next::End => broadloom_engine::Next::End,
        })
    }

    fn done(
        &mut self,
        complete: &mut Vec<Boxed<J>>,
        again: &mut Vec<Boxed<J>>,
    ) -> Result<(), Infallible> {
        for mut job in complete.drain(..) {
            match job.job.again() {
                true => again.push(job),
                false => self.side.done(job),
            }
        }
        Ok(())
    }

    fn wait(&mut self, pair: &mut QueuePair<'a, Boxed<J>>) {
        self.poll.wait(pair);
    }
}
