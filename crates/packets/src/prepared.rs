//! Packets as jobs of the engine, for its queue pairs and workers.

use std::fmt;
use std::ops::Range;

use broadloom_engine::{Bytes, Contents, Data, Handle, Job, Session};

use crate::burst::{Way, describe};
use crate::flow::Flow;
use crate::packet::{FlowRef, Packet};
use crate::plan::Work;

/// A packet that was framed and is now a job: it goes through a
/// [`QueuePair`](broadloom_engine::QueuePair) or [`Workers`](broadloom_engine::Workers) as a job
/// does. [`PacketProcessor`](crate::PacketProcessor) makes it and completes it.
#[must_use]
pub struct Prepared<F: Flow + 'static> {
    pub(crate) job: Job<'static>,
    flow: FlowRef<'static, F>,
    range: Range<usize>,
    meta: F::Meta,
    rest: Rest,
}

/// What is needed to complete a packet, beside the packet.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) work: Work,
    /// The range that the packet had when it came.
    pub(crate) original: Range<usize>,
    pub(crate) way: Way,
}

impl<F: Flow + 'static> Prepared<F> {
    pub(crate) fn new(
        packet: Packet<'static, F>,
        original: Range<usize>,
        session: Session,
        work: Work,
        way: Way,
    ) -> Self {
        let Packet { flow, buffer, range, meta, .. } = packet;
        let associated = work.associated.bytes(buffer.as_slice()).to_vec();
        let whole = Work { data: 0..buffer.as_slice().len(), ..work.clone() };
        let mut job = Job::new(session, Data::InPlace(buffer));
        describe(&mut job, &whole);
        if !associated.is_empty() {
            job.set_associated(Bytes::Owned(associated));
        }
        Prepared { job, flow, range, meta, rest: Rest { work, original, way } }
    }

    /// Takes the packet and the rest apart.
    pub(crate) fn take_apart(self) -> (Packet<'static, F>, Rest) {
        let Prepared { job, flow, range, meta, rest } = self;
        let Data::InPlace(buffer) = job.into_parts().0 else {
            unreachable!("a packet's job works in place");
        };
        (Packet { flow, buffer, range, meta, status: None }, rest)
    }
}

impl<F: Flow> fmt::Debug for Prepared<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("job", &self.job).finish_non_exhaustive()
    }
}

impl<F: Flow + 'static> Handle<'static> for Prepared<F> {
    fn contents(&mut self) -> &mut Contents<'static> {
        self.job.contents()
    }
}
