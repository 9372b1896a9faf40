//! What callers bring to their meeting: jobs of the engine.

use broadloom::queue::{Contents, Handle};
use broadloom::{Job, Processor, Session};

use crate::meeting::{Errand, Meeting, Seat};

/// A job without the caller's data: it owns its bytes, because another thread may process it.
pub type OwnedJob = Job<'static>;

/// A job, and the session that does it faster where it has no company.
pub struct Task {
    pub job: OwnedJob,
    pub alone: Option<Session>,
}

impl Handle<'static> for Seat<Task> {
    fn contents(&mut self) -> &mut Contents<'static> {
        self.work.job.contents()
    }
}

impl Errand for Task {
    type Tool = Processor;

    fn process(processor: &mut Processor, seats: &mut [Seat<Task>]) {
        if let [Seat { work: Task { job, alone }, .. }] = seats
            && let Some(alone) = alone.take()
        {
            job.set_session(alone);
        }
        processor.process_many(seats);
    }
}

impl Meeting<Task> {
    /// Processes a job at once, on the calling thread. Where the provider panics, the job has no
    /// status.
    pub fn at_once(&self, mut job: OwnedJob) -> OwnedJob {
        self.with_tool(|processor| {
            processor.process_many(std::slice::from_mut(&mut job));
        });
        job
    }
}
