//! Sessions: the packets of all SSRCs that come to one port.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use broadloom_engine::Session;

use super::context::SrtpContext;
use super::index::Indices;
use super::meta::SrtpMeta;
use crate::counters::Counters;
use crate::error::PacketError;
use crate::flow::{Flow, Flows};
use crate::frame::Frame;
use crate::plan::{Step, Work};

/// All streams of one direction under the keys of a context: a stream is added by its first packet.
///
/// A stream that is received is added when its first packet was authenticated, and not before, so
/// that forged packets add none. An [`SrtpStream`](super::SrtpStream) spares each packet the search
/// for its stream, and has counters of its own.
///
/// ```
/// # use broadloom_engine::Registry;
/// # let mut registry = Registry::new();
/// # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
/// use std::sync::Arc;
///
/// use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpSession};
/// use broadloom_packets::{Packet, PacketProcessor};
///
/// let keys = [MasterKey::new(&[1; 16], &[2; 12])];
/// let config = SrtpConfig::new(SrtpProfile::Aes128Gcm, keys);
/// let session = SrtpSession::new(Arc::new(SrtpContext::new(&registry, &config)?), 100);
/// let forged = b"\x80\x60\x00\x01\x00\x00\x00\x00\x00\x00\x5e\xedsixteen and more bytes";
/// let mut packets = [Packet::new(&session, forged.to_vec(), 0..forged.len())];
/// assert_eq!(PacketProcessor::new().unprotect_burst(&mut packets).refused, 1);
/// assert_eq!(session.len(), 0);
/// # Ok::<(), broadloom_packets::FlowError>(())
/// ```
pub struct SrtpSession {
    context: Arc<SrtpContext>,
    streams: Flows<u32, Indices>,
    max_streams: usize,
    /// Locked while a stream is added.
    adding: Mutex<()>,
    counters: Counters,
}

impl SrtpSession {
    /// Returns a session without streams, which will have at most `max_streams`.
    pub fn new(context: Arc<SrtpContext>, max_streams: usize) -> Self {
        SrtpSession {
            context,
            streams: Flows::new(),
            max_streams,
            adding: Mutex::new(()),
            counters: Counters::default(),
        }
    }

    /// Returns the context.
    pub fn context(&self) -> &Arc<SrtpContext> {
        &self.context
    }

    /// Returns how many streams there are.
    pub fn len(&self) -> usize {
        self.streams.len()
    }

    /// Returns `true` if there are no streams.
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// Returns the roll-over counter of a stream; `None` if there is no such stream.
    pub fn roc(&self, ssrc: u32) -> Option<u32> {
        Some(self.streams.get(&ssrc)?.roc())
    }

    /// Removes a stream that is received, and says whether there was one. A later packet of its
    /// SSRC adds it again, and then packets that were received before pass once more: remove a
    /// stream only if its SSRC is known to have left, and never one that was sent.
    pub fn remove(&self, ssrc: u32) -> bool {
        self.streams.remove(&ssrc).is_some()
    }

    /// Returns a stream, which is added if there is none.
    fn stream(&self, ssrc: u32) -> Result<Arc<Indices>, PacketError> {
        if let Some(indices) = self.streams.get(&ssrc) {
            return Ok(indices);
        }
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have added it meanwhile.
        if let Some(indices) = self.streams.get(&ssrc) {
            return Ok(indices);
        }
        if self.streams.len() >= self.max_streams {
            return Err(PacketError::WrongFlow { found: ssrc.into() });
        }
        let indices = Arc::new(self.context.indices(0, 0).expect("a context has a valid window"));
        self.streams.insert(ssrc, Arc::clone(&indices));
        Ok(indices)
    }
}

impl fmt::Debug for SrtpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} streams, {:?}", self.len(), self.context)
    }
}

impl Flow for SrtpSession {
    type Meta = SrtpMeta;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let ssrc = SrtpContext::ssrc(frame.bytes(), meta.kind)?;
        let indices = self.stream(ssrc)?;
        Ok(self.context.protect(&indices, frame, meta)?.write(work))
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
        let ssrc = SrtpContext::ssrc(frame.bytes(), meta.kind)?;
        let indices = self.streams.get(&ssrc);
        Ok(self.context.unprotect(indices.as_deref(), frame, meta)?.write(work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut SrtpMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let ssrc = SrtpContext::ssrc(frame.bytes(), meta.kind)?;
        let accept = |is_rtcp, index| self.stream(ssrc)?.accept(is_rtcp, index);
        self.context.unprotected(accept, frame, meta, work)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut SrtpMeta, work: &Work) {
        self.context.failed(frame, meta, work);
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }
}
