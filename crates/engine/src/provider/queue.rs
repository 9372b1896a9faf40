//! What one thread has of a provider.

use super::device::DeviceQueue;
use super::stream::Portion;
use crate::operation::Operation;
use crate::plain::PlainJobs;
use broadloom_lanes::Occupancy;

/// A queue of either kind.
pub enum AnyQueue {
    /// It works within the calls of its owner.
    Local(Box<dyn Queue>),
    /// It hands its work to a device, and learns of its end later.
    Device(Box<dyn DeviceQueue>),
}

impl AnyQueue {
    /// A queue that works within the calls of its owner.
    pub fn local(queue: impl Queue + 'static) -> Self {
        AnyQueue::Local(Box::new(queue))
    }

    /// A queue whose work a device does.
    pub fn device(queue: impl DeviceQueue + 'static) -> Self {
        AnyQueue::Device(Box::new(queue))
    }
}

/// What one thread needs to work: contexts, managers, scratch memory.
pub trait Queue: Send {
    /// Operations of a [class](crate::provider::ProviderSession::class) that are worth waiting for:
    /// so many together cost less each than fewer would.
    fn batch(&mut self, class: u8) -> usize;

    /// Works. Every operation must be [completed](Operation::complete) before this returns: one
    /// that is not counts as failed ([`JobError::NotDone`](crate::JobError::NotDone)).
    ///
    /// The operations are those of sessions of this queue's provider, in any mix.
    fn run(&mut self, operations: &mut [&mut Operation<'_>]);

    /// Works on [plain jobs](crate::PlainJob), which are those of sessions of this queue's provider
    /// in any mix, and in order. It [completes](crate::provider::PlainOperation::complete) each
    /// before it returns.
    ///
    /// Returns `false` if the queue takes none and has done nothing: the engine then makes them
    /// operations.
    fn run_plain(&mut self, jobs: &mut PlainJobs<'_, '_>) -> bool {
        let _ = jobs;
        false
    }

    /// Has messages of this queue's provider take portions, in any mix, of each message at most
    /// one. Every portion must be done, if the queue [commits](Portion::commit) to it, before this
    /// returns.
    ///
    /// Sessions of which none [begins](crate::provider::ProviderSession::begin) a message do not
    /// need this: without it, portions fail.
    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let _ = portions;
    }

    /// Returns how full the lanes were so far, if there are any.
    fn occupancy(&self) -> Option<Occupancy> {
        None
    }
}
