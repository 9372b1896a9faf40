//! An ordered parallel map: chunks in, the engine's jobs side by side, results out in the order of
//! the chunks.
//!
//! The caller's call is synchronous. Below it, each thread owns a queue pair with up to
//! [`Plan::outstanding`] jobs (half-sync/half-async). A [`ChunkSource`] fills jobs, and a
//! [`ChunkSink`] takes complete jobs. Jobs and their buffers are used again, so that after the
//! first round no chunk needs an allocation.
//!
//! [`whole()`] is for an input and an output in memory: its threads read and write, too, along a
//! [`Line`](broadloom_ordered::Line). [`stream()`] reads and writes while threads work, on a
//! [`Belt`](broadloom_ordered::Belt). Both deal chunks to any free thread, and report the error
//! that comes first in the input, whichever comes first in time. They stop soon after an error.

mod alone;
mod drive;
mod peeked;
mod poll;
mod pool;
mod stream;
#[cfg(test)]
mod tests;
mod threads;
mod whole;

use broadloom_engine::{Contents, Handle};
use broadloom_ordered::Turn;

pub(crate) use alone::{OwnWork, work_alone};
pub(crate) use drive::Side;
pub use poll::Poll;
pub(crate) use stream::stream;
pub use threads::ThreadError;
pub(crate) use whole::whole;

/// How work is spread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'p> {
    /// Threads, each with a queue pair.
    pub threads: usize,
    /// Jobs in each queue pair, at most.
    pub outstanding: usize,
    /// Cores to which threads are pinned, round robin. With pinned threads, only the sink of a
    /// stream runs on the caller's thread.
    pub cores: Option<&'p [usize]>,
    /// How a thread waits between looks at an empty queue pair.
    pub poll: Poll,
}

impl Plan<'_> {
    /// Jobs for each thread: twice as many as can be outstanding, so that a slow one at the front
    /// does not keep the queue pair empty while those behind it are held.
    fn window(&self) -> usize {
        2 * self.outstanding
    }

    /// Jobs that may be on their way at a time, with all threads together.
    pub(crate) fn jobs(&self) -> usize {
        self.threads * self.window()
    }
}

/// What a thread does with chunks.
pub(crate) trait ChunkWork: Send + Sized {
    /// Takes chunks from the map, works on them, and gives them back, until there are none. They
    /// are given back in whatever order they become complete.
    fn drive<S: Side<Self>>(plan: &Plan<'_>, side: &mut S);
}

impl<'a, J: ChunkJob<'a>> ChunkWork for J {
    fn drive<S: Side<Self>>(plan: &Plan<'_>, side: &mut S) {
        drive::drive(plan, side);
    }
}

/// A chunk on its way: one or several jobs of the engine, one after another.
pub(crate) trait ChunkJob<'a>: Handle<'a> + Send {
    /// The queue pair is done with its operation, well or badly. Returns whether there is another
    /// one to be done now.
    fn again(&mut self) -> bool {
        false
    }
}

/// Where chunks come from.
pub(crate) trait ChunkSource<J> {
    /// The error type.
    type Error;
    /// Makes a job that was new, or done, one for the next chunk; `false` if there is none.
    fn fill(&mut self, job: &mut J) -> Result<bool, Self::Error>;
    /// Returns `true` if the next chunk may be long in coming, and the last one should not wait for
    /// it.
    fn may_wait(&self) -> bool {
        false
    }
}

/// Where results go.
pub(crate) trait ChunkSink<J> {
    /// The error type.
    type Error;
    /// Takes the results of a job that is done, in the order of chunks. Where the job has failed,
    /// this is who says so.
    fn take(&mut self, job: &mut J) -> Result<(), Self::Error>;
}

/// A job and its chunk's place in the input.
pub(crate) struct Numbered<J> {
    turn: Turn,
    job: J,
}

impl<'a, J: ChunkJob<'a>> Handle<'a> for Numbered<J> {
    fn contents(&mut self) -> &mut Contents<'a> {
        self.job.contents()
    }
}
