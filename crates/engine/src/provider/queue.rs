//! What one thread has of a provider.

use super::device::DeviceQueue;
use crate::operation::Operation;

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

    /// How full the lanes were so far, where there are any.
    fn occupancy(&self) -> Option<Occupancy> {
        None
    }
}

/// How full lanes were: steps of a lane that advanced a buffer, of all the steps that lanes took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occupancy {
    /// Steps of lanes that had a buffer.
    pub used: u64,
    /// Steps of all lanes.
    pub offered: u64,
}
