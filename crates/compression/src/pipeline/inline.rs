//! A single thread that reads, works and writes.

use super::drive::{Belt, Next, drive};
use super::turns::Turns;
use super::{ChunkJob, Numbered, Plan, Sink, Source};

/// Takes all chunks of a source to a sink, on the calling thread.
pub(super) fn inline<'a, J, S, K, E>(
    plan: &Plan<'_>,
    make: &(dyn Fn() -> J + Sync),
    source: &mut S,
    sink: &mut K,
) -> Result<(), E>
where
    J: ChunkJob<'a>,
    S: Source<J, Error = E>,
    K: Sink<J, Error = E>,
{
    let window = plan.window();
    let turns = Turns::new(window);
    let idle = Vec::with_capacity(window);
    let mut belt =
        Inline { make, source, sink, to_make: window, filled: 0, idle, turns, failed: None };
    drive(plan, &mut belt)?;
    belt.failed.map_or(Ok(()), Err)
}

struct Inline<'b, J, S, K, E> {
    make: &'b (dyn Fn() -> J + Sync),
    source: &'b mut S,
    sink: &'b mut K,
    /// Jobs that may still be made.
    to_make: usize,
    filled: u64,
    idle: Vec<Box<Numbered<J>>>,
    turns: Turns<J>,
    /// The source's error, which comes after all results.
    failed: Option<E>,
}

impl<J, S, K, E> Belt<J> for Inline<'_, J, S, K, E>
where
    S: Source<J, Error = E>,
    K: Sink<J, Error = E>,
{
    type Error = E;

    fn next(&mut self, _may_wait: bool) -> Result<Next<J>, E> {
        // The one used last: its buffers are in the nearest cache.
        let mut job = match self.idle.pop() {
            Some(job) => job,
            None if self.to_make > 0 => {
                self.to_make -= 1;
                Box::new(Numbered { number: 0, job: (self.make)() })
            }
            None => return Ok(Next::Later),
        };
        match self.source.fill(&mut job.job) {
            Ok(true) => {
                job.number = self.filled;
                self.filled += 1;
                Ok(Next::Job(job))
            }
            Ok(false) => Ok(Next::End),
            Err(error) => {
                self.failed = Some(error);
                Ok(Next::End)
            }
        }
    }

    fn done(&mut self, job: Box<Numbered<J>>) -> Result<(), E> {
        self.turns.put(job);
        while let Some(mut job) = self.turns.take() {
            self.sink.take(&mut job.job)?;
            self.idle.push(job);
        }
        Ok(())
    }
}
