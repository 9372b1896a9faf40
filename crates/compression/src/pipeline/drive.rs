//! One thread's loop around its queue pair.
//!
//! Jobs are enqueued one by one, so that a provider that works within the call still finds the
//! chunk in its cache. The loop waits for a device only when it can add nothing.

use broadloom_engine::{QueueConfig, QueuePair};

use super::{ChunkJob, Numbered, Plan};

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
///
/// Jobs are enqueued one by one, and what is complete is given on at once: a provider that works
/// within the call has a chunk's bytes still in its cache, and no thread hoards what another could
/// do. Only when nothing can be added does it have lanes flushed, or wait for a device.
pub(super) fn drive<'a, J: ChunkJob<'a>, B: Belt<J>>(
    plan: &Plan<'_>,
    belt: &mut B,
) -> Result<(), B::Error> {
    let config =
        QueueConfig { capacity: plan.outstanding, max_wait: None, ..QueueConfig::default() };
    let mut pair: QueuePair<'a, Box<Numbered<J>>> = QueuePair::new(config);
    let mut burst = Vec::with_capacity(plan.outstanding);
    let mut complete = Vec::with_capacity(plan.outstanding);
    let mut ended = false;
    loop {
        let mut added = false;
        if !ended && pair.in_flight() < plan.outstanding {
            match belt.next(pair.in_flight() == 0)? {
                Next::Job(job) => {
                    burst.push(job);
                    pair.enqueue(&mut burst);
                    added = true;
                }
                Next::Later => {}
                Next::End => ended = true,
            }
        }
        pair.dequeue(&mut complete, usize::MAX);
        if complete.is_empty() && !added {
            if pair.in_flight() == 0 {
                match ended {
                    true => return Ok(()),
                    false => continue,
                }
            }
            match pair.awaits_device() {
                true => plan.poll.wait(&mut pair),
                false => pair.flush(),
            }
            pair.dequeue(&mut complete, usize::MAX);
        }
        for mut job in complete.drain(..) {
            match job.job.again() {
                true => burst.push(job),
                false => belt.done(job)?,
            }
        }
        // They have just left: there is room for all of them.
        pair.enqueue(&mut burst);
    }
}
