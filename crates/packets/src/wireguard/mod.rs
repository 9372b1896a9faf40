//! Transport data of WireGuard (the protocol's whitepaper, section 5.4.6).
//!
//! A message is a header of 16 bytes (type 4, the receiver's index, a counter of 64 bits, all in
//! little-endian order) and a packet sealed by ChaCha20-Poly1305, which was padded with zeros to a
//! multiple of 16 bytes before. The keys come from the handshake, which is not a part of this
//! crate.

use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::{AeadAlgorithm, Registry, Session, Transform};

use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Plan, Step, Work};
use crate::replay::ReplayWindow;

/// Bytes of a message's header.
pub const HEADER: usize = 16;

/// Bytes of the tag.
pub const TAG: usize = 16;

/// Packets are padded to a multiple of so many bytes.
const PADDING: usize = 16;

/// The type of a message that carries data.
const TRANSPORT_DATA: u32 = 4;

/// A key is given up after so many messages: the counter never comes near its end.
const REJECT_AFTER: u64 = u64::MAX - (1 << 13);

/// Packets that may arrive late: the whitepaper asks for about 2000.
const WINDOW: u32 = 8128;

/// Both directions of one peer under one pair of keys.
///
/// Protecting needs 16 bytes of room before the packet and up to 31 behind it. An empty packet is a
/// keepalive, in both directions. An unprotected packet comes with its padding, as the protocol has
/// it; [`trimmed_len`] says how long the IP packet within is.
pub struct WireGuardFlow {
    seal: Session,
    open: Session,
    /// The index by which the peer knows this flow, and by which we know it.
    peer_index: u32,
    own_index: u32,
    next: AtomicU64,
    window: ReplayWindow,
    counters: Counters,
}

impl WireGuardFlow {
    /// Opens a flow with the keys of a handshake: messages to the peer are sealed with `send_key`
    /// and carry `peer_index`; messages from the peer are opened with `receive_key` and carry
    /// `own_index`.
    ///
    /// # Errors
    /// No provider opens ChaCha20-Poly1305.
    pub fn new(
        registry: &Registry,
        send_key: &[u8; 32],
        peer_index: u32,
        receive_key: &[u8; 32],
        own_index: u32,
    ) -> Result<Self, FlowError> {
        let aead = AeadAlgorithm::ChaCha20Poly1305;
        Ok(WireGuardFlow {
            seal: registry.open(&Transform::aead(aead, send_key).seal()?)?,
            open: registry.open(&Transform::aead(aead, receive_key).open()?)?,
            peer_index,
            own_index,
            next: AtomicU64::new(0),
            window: ReplayWindow::new(WINDOW)?,
            counters: Counters::default(),
        })
    }

    /// Returns the index of the peer that a message is for, by which its flow is found; `None` if
    /// it carries no data.
    pub fn receiver_index(message: &[u8]) -> Option<u32> {
        let kind = u32::from_le_bytes(*message.first_chunk()?);
        let index = u32::from_le_bytes(message.get(4..8)?.try_into().ok()?);
        (kind == TRANSPORT_DATA).then_some(index)
    }

    /// Returns the counter of the next message to the peer; `None` if there is none left.
    pub fn next_number(&self) -> Option<u64> {
        let next = self.next.load(Ordering::Relaxed);
        (next < REJECT_AFTER).then_some(next)
    }

    /// Returns the highest counter of an authentic message from the peer.
    pub fn highest_number(&self) -> Option<u64> {
        self.window.highest()
    }

    /// Takes the next counter.
    fn take_counter(&self) -> Result<u64, PacketError> {
        let next = |next: u64| (next < REJECT_AFTER).then_some(next + 1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        taken.map_err(|_| PacketError::SequenceCycled)
    }
}

/// Returns the nonce of a counter: four zeros, and the counter in little-endian order.
fn nonce(counter: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&counter.to_le_bytes());
    nonce
}

impl Flow for WireGuardFlow {
    type Meta = ();

    #[inline]
    fn protect(
        &self,
        frame: &mut Frame<'_>,
        (): &mut (),
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let padding = frame.len().next_multiple_of(PADDING) - frame.len();
        frame.has_room(HEADER, padding + TAG)?;
        let counter = self.take_counter()?;
        frame.append(padding)?.fill(0);
        let text = frame.start()..frame.end();
        frame.append(TAG)?;
        let header = frame.prepend(HEADER)?;
        header[..4].copy_from_slice(&TRANSPORT_DATA.to_le_bytes());
        header[4..8].copy_from_slice(&self.peer_index.to_le_bytes());
        header[8..].copy_from_slice(&counter.to_le_bytes());
        let tag = text.end;
        Ok(Plan::aead(&self.seal, &nonce(counter), text, tag).number(counter).write(work))
    }

    #[inline]
    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        (): &mut (),
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        frame.has_at_least(HEADER + TAG)?;
        let message = frame.bytes();
        let kind = u32::from_le_bytes(message[..4].try_into().expect("4 bytes"));
        if kind != TRANSPORT_DATA {
            return Err(PacketError::Malformed { field: "message type", value: kind.into() });
        }
        let index = u32::from_le_bytes(message[4..8].try_into().expect("4 bytes"));
        if index != self.own_index {
            return Err(PacketError::WrongFlow { found: index.into() });
        }
        let counter = u64::from_le_bytes(message[8..16].try_into().expect("8 bytes"));
        if counter >= REJECT_AFTER {
            return Err(PacketError::SequenceCycled);
        }
        self.window.check(counter)?;
        let (start, tag) = (frame.start() + HEADER, frame.end() - TAG);
        Ok(Plan::aead(&self.open, &nonce(counter), start..tag, tag).number(counter).write(work))
    }

    #[inline]
    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        (): &mut (),
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.window.accept(work.number)?;
        frame.remove_front(HEADER)?;
        frame.remove_back(TAG)?;
        Ok(Step::Complete)
    }

    #[inline]
    fn touch(&self, protects: bool) -> Option<&Session> {
        Some(if protects { &self.seal } else { &self.open })
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// Returns the length of the IP packet that an unprotected message holds, without its padding, as
/// the IP header says; `None` if it is no whole IP packet. An empty message is a keepalive, with 0.
pub fn trimmed_len(packet: &[u8]) -> Option<usize> {
    let field = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]));
    let len = match packet.first().map(|first| first >> 4) {
        None => 0,
        Some(4) => usize::from(field(2)?),
        Some(6) => usize::from(field(4)?) + 40,
        Some(_) => return None,
    };
    (len <= packet.len()).then_some(len)
}
