//! Streams: the packets of one SSRC.

use std::fmt;
use std::sync::Arc;

use broadloom_engine::Session;

use super::context::SrtpContext;
use super::index::Indices;
use super::meta::SrtpMeta;
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Step, Work};

/// A stream: the packets of one SSRC, in one direction, under the keys of a context.
///
/// Protecting needs room behind a packet: for the tag and the MKI, and for four bytes more if the
/// packet is RTCP. With Cryptex, a packet that has sources and no header extension needs four bytes
/// of room before it.
///
/// The caller numbers RTP packets. Each number is protected once, so that no nonce is used twice:
/// [`Replay`](PacketError::Replay) refuses a number that was used, or that is older than the replay
/// window. SRTCP's index is counted by the stream.
pub struct SrtpStream {
    context: Arc<SrtpContext>,
    ssrc: u32,
    indices: Indices,
    counters: Counters,
}

impl SrtpStream {
    /// Returns a stream that begins with the roll-over counter 0.
    pub fn new(context: Arc<SrtpContext>, ssrc: u32) -> Self {
        SrtpStream::resume(context, ssrc, 0, 0).expect("a context has a valid window")
    }

    /// Returns a stream that others have begun: it goes on with this roll-over counter, which a
    /// receiver that joins late is told, and sends this index of SRTCP first.
    ///
    /// # Errors
    /// The index of SRTCP is 2^31 or more.
    pub fn resume(
        context: Arc<SrtpContext>,
        ssrc: u32,
        roc: u32,
        rtcp_index: u32,
    ) -> Result<Self, FlowError> {
        let indices = context.indices(roc, rtcp_index)?;
        Ok(SrtpStream { context, ssrc, indices, counters: Counters::default() })
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<SrtpContext> {
        &self.context
    }

    /// Returns the SSRC.
    pub fn ssrc(&self) -> u32 {
        self.ssrc
    }

    /// Returns the roll-over counter of the newest packet.
    pub fn roc(&self) -> u32 {
        self.indices.roc()
    }

    /// Checks that a packet belongs to this stream.
    #[inline]
    fn check(&self, frame: &Frame<'_>, meta: &SrtpMeta) -> Result<(), PacketError> {
        let found = SrtpContext::ssrc(frame.bytes(), meta.kind)?;
        match found == self.ssrc {
            true => Ok(()),
            false => Err(PacketError::WrongFlow { found: found.into() }),
        }
    }
}

impl fmt::Debug for SrtpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SSRC {:#x}, {:?}", self.ssrc, self.context)
    }
}

impl Flow for SrtpStream {
    type Meta = SrtpMeta;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        self.check(frame, meta)?;
        Ok(self.context.protect(&self.indices, frame, meta)?.write(work))
    }

    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.context.protected(frame, meta, work)
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        self.check(frame, meta)?;
        Ok(self.context.unprotect(Some(&self.indices), frame, meta)?.write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let accept = |is_rtcp, index| self.indices.accept(is_rtcp, index);
        self.context.unprotected(accept, frame, meta, work)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut SrtpMeta, work: &Work) {
        self.context.failed(frame, meta, work);
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.counters
    }
}
