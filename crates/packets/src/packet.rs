//! Packets: a flow, a buffer, and the range that the packet occupies.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use broadloom_engine::Buffer;

use crate::error::PacketError;
use crate::flow::Flow;

/// A packet's flow, borrowed or owned together with others.
#[derive(Debug)]
pub enum FlowRef<'a, F> {
    /// Borrowed for the packet's life.
    Borrowed(&'a F),
    /// Owned together with others: the flow lives until the packet is done, even if it is removed
    /// from a table meanwhile.
    Shared(Arc<F>),
}

impl<F> FlowRef<'_, F> {
    /// Returns the flow.
    #[inline]
    pub fn get(&self) -> &F {
        match self {
            FlowRef::Borrowed(flow) => flow,
            FlowRef::Shared(flow) => flow,
        }
    }
}

impl<'a, F> From<&'a F> for FlowRef<'a, F> {
    fn from(flow: &'a F) -> Self {
        FlowRef::Borrowed(flow)
    }
}

impl<F> From<Arc<F>> for FlowRef<'_, F> {
    fn from(flow: Arc<F>) -> Self {
        FlowRef::Shared(flow)
    }
}

/// A packet of a flow, in a buffer that may have room before and behind it.
///
/// The buffer is borrowed or owned. After the packet was protected or unprotected,
/// [`bytes`](Packet::bytes) is the result, which lies in the same buffer.
#[must_use]
pub struct Packet<'a, F: Flow> {
    pub(crate) flow: FlowRef<'a, F>,
    pub(crate) buffer: Buffer<'a>,
    pub(crate) range: Range<usize>,
    pub(crate) meta: F::Meta,
    pub(crate) status: Option<Result<(), PacketError>>,
}

impl<'a, F: Flow> Packet<'a, F> {
    /// Returns a packet of a flow that occupies `range` of `buffer`.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    pub fn new(
        flow: impl Into<FlowRef<'a, F>>,
        buffer: impl Into<Buffer<'a>>,
        range: Range<usize>,
    ) -> Self {
        let buffer = buffer.into();
        let len = buffer.as_slice().len();
        assert!(
            range.start <= range.end && range.end <= len,
            "the packet at {range:?} is not within its buffer of {len} bytes"
        );
        Packet { flow: flow.into(), buffer, range, meta: F::Meta::default(), status: None }
    }

    /// Returns the packet with what its protocol wants to know beside the bytes, such as a record's
    /// type.
    pub fn with_meta(mut self, meta: F::Meta) -> Self {
        self.meta = meta;
        self
    }

    /// Returns the flow.
    pub fn flow(&self) -> &F {
        self.flow.get()
    }

    /// Returns the packet: before the burst as it was given, after it the result. After a failure
    /// it is the range that was given, whose bytes may have been wiped.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer.as_slice()[self.range.clone()]
    }

    /// Returns the range of the buffer that the packet occupies.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the whole buffer.
    pub fn buffer(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// Returns the whole buffer, to be filled for the packet's next use.
    pub fn buffer_mut(&mut self) -> &mut [u8] {
        self.status = None;
        self.buffer.as_mut_slice()
    }

    /// Says which range of the buffer the packet occupies, for its next use.
    ///
    /// # Panics
    /// If the range is not within the buffer.
    pub fn set_range(&mut self, range: Range<usize>) {
        let len = self.buffer.as_slice().len();
        assert!(
            range.start <= range.end && range.end <= len,
            "the packet at {range:?} is not within its buffer of {len} bytes"
        );
        self.range = range;
        self.status = None;
    }

    /// Returns what the protocol knows of the packet beside its bytes.
    pub fn meta(&self) -> &F::Meta {
        &self.meta
    }

    /// Returns what the protocol knows of the packet beside its bytes, to be changed.
    pub fn meta_mut(&mut self) -> &mut F::Meta {
        &mut self.meta
    }

    /// Returns how it went; `None` before the packet was in a burst.
    pub fn status(&self) -> Option<Result<(), PacketError>> {
        self.status
    }

    /// Returns `true` if the packet was in a burst and all went well.
    pub fn succeeded(&self) -> bool {
        matches!(self.status, Some(Ok(())))
    }

    /// Takes the packet apart: its buffer, and the range that it occupies.
    pub fn into_parts(self) -> (Buffer<'a>, Range<usize>) {
        (self.buffer, self.range)
    }
}

impl<F: Flow> fmt::Debug for Packet<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet of {} bytes, {:?}", self.range.len(), self.status)
    }
}
