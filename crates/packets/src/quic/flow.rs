//! Flows: the keys of one type of packets, and what their packet number space remembers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_engine::{Registry, Session};

use super::header::{FIXED, Layout, MAX_CONNECTION_ID, PacketType, long_layout, short_layout};
use super::keys::{Age, Open, Seal, mask};
use super::number::{MAX_NUMBER, whole_number};
use super::secrets::{InitialSecrets, Secret};
use super::suite::{QuicSuite, QuicVersion};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Associated, Mask, Plan, Step, Work};
use crate::replay::ReplayWindow;

/// Bytes of the tag.
pub const TAG: usize = 16;

/// Bytes of the sample that a header's mask is computed from.
const SAMPLE: usize = 16;

/// A packet number's longest encoding: the sample begins so many bytes behind the number's first.
const MAX_NUMBER_LEN: usize = 4;

/// The bit of the first byte of a short header that is the key phase.
const KEY_PHASE: u8 = 0x04;

/// Which end of a connection a flow belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The end that opened the connection.
    Client,
    /// The end that accepted it.
    Server,
}

/// Who decides which number a packet gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Numbers {
    /// The flow counts, from 0 on.
    #[default]
    Counted,
    /// The caller says the number of each packet in [`QuicMeta::number`], in any order. A number
    /// that was used before is refused, and so is one that is more than [`QuicConfig::window`]
    /// below the highest.
    Given,
}

/// What a flow is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuicConfig {
    /// The AEAD, and the cipher that masks headers.
    pub suite: QuicSuite,
    /// The version, which decides labels and packet types.
    pub version: QuicVersion,
    /// The type of all packets of the flow.
    pub packets: PacketType,
    /// Bytes of the connection ID in short headers that are sent, which the peer chose.
    pub peer_id_len: usize,
    /// Bytes of the connection ID in short headers that are received, which this end chose.
    pub own_id_len: usize,
    /// Who numbers the packets that are sent.
    pub numbers: Numbers,
    /// How far below the highest number a packet may arrive: 32 to 65,536.
    pub window: u32,
    /// `true` if the fixed bit may be zero, as RFC 9287 lets both ends agree.
    pub fixed_bit_may_be_zero: bool,
    /// How many packets one key may protect. RFC 9001, B.1 permits more than the suite's limit
    /// where all packets are short.
    pub confidentiality_limit: u64,
    /// How many packets that are not authentic may come, under all keys together.
    pub integrity_limit: u64,
}

impl QuicConfig {
    /// Returns a configuration with the limits of the suite, connection IDs of 8 bytes, numbers
    /// that the flow counts and a window of 2048 packets.
    pub fn new(suite: QuicSuite, version: QuicVersion, packets: PacketType) -> Self {
        QuicConfig {
            suite,
            version,
            packets,
            peer_id_len: 8,
            own_id_len: 8,
            numbers: Numbers::Counted,
            window: 2048,
            fixed_bit_may_be_zero: false,
            confidentiality_limit: suite.confidentiality_limit(),
            integrity_limit: suite.integrity_limit(),
        }
    }

    /// Returns `true` if the packets have a key phase.
    pub(super) fn has_key_updates(&self) -> bool {
        self.packets == PacketType::OneRtt
    }

    fn check(&self) -> Result<(), FlowError> {
        for (what, len) in [
            ("the peer's connection IDs", self.peer_id_len),
            ("this end's connection IDs", self.own_id_len),
        ] {
            if len > MAX_CONNECTION_ID {
                let (value, valid) = (format!("{len} bytes"), "0 to 20 bytes".to_owned());
                return Err(FlowError::Parameter { what, value, valid });
            }
        }
        Ok(())
    }
}

/// The traffic secrets of a flow, as TLS gives them.
#[derive(Clone, Copy, Default)]
pub struct QuicSecrets<'a> {
    /// The secret of packets that are sent; a server has none for 0-RTT packets.
    pub send: Option<&'a [u8]>,
    /// The secret of packets that are received; a client has none for 0-RTT packets.
    pub receive: Option<&'a [u8]>,
}

impl<'a> QuicSecrets<'a> {
    /// Returns the secrets of both directions.
    pub fn both(send: &'a [u8], receive: &'a [u8]) -> Self {
        QuicSecrets { send: Some(send), receive: Some(receive) }
    }
}

/// What accompanies a packet, into a flow or out of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuicMeta {
    /// The packet's number. Protecting, it is what the caller wants where the numbers are
    /// [`Given`](Numbers::Given), and else is written by the flow; unprotecting, it is what the
    /// packet had.
    pub number: u64,
    /// The key phase that the packet has or had; `false` in long headers.
    pub key_phase: bool,
    /// Bytes of the connection ID in this packet's short header, if not those of the flow.
    pub connection_id_len: Option<usize>,
    /// `true` if the packet was sealed and its header is yet to be masked.
    is_sealed: bool,
    number_at: usize,
    age: Age,
    undo: Undo,
}

impl QuicMeta {
    /// Returns what accompanies a packet that is to get this number.
    pub fn with_number(number: u64) -> Self {
        QuicMeta { number, ..QuicMeta::default() }
    }
}

/// The bytes of a header that were changed, so that they can be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Undo {
    first: u8,
    /// The length, if the header has one, and the packet number.
    at: usize,
    len: usize,
    bytes: [u8; 8 + MAX_NUMBER_LEN],
}

impl Undo {
    #[inline]
    fn save(packet: &[u8], layout: Layout) -> Self {
        let at = layout.number_at - layout.length_width;
        let len = layout.length_width + MAX_NUMBER_LEN;
        let mut bytes = [0; 8 + MAX_NUMBER_LEN];
        // Of a short header it is a constant number of bytes, which takes no call.
        match layout.length_width {
            0 => bytes[..MAX_NUMBER_LEN].copy_from_slice(&packet[at..][..MAX_NUMBER_LEN]),
            _ => bytes[..len].copy_from_slice(&packet[at..][..len]),
        }
        Undo { first: packet[0], at, len, bytes }
    }

    fn restore(&self, packet: &mut [u8]) {
        packet[0] = self.first;
        packet[self.at..self.at + self.len].copy_from_slice(&self.bytes[..self.len]);
    }
}

/// What a packet number space remembers, across all keys.
struct Space {
    /// The next number to send, where the flow counts.
    next: AtomicU64,
    /// The numbers that were sent, where the caller gives them.
    used: Option<ReplayWindow>,
    received: ReplayWindow,
}

/// What a connection's flow remembers across key updates.
#[derive(Default)]
struct Shared {
    /// The newest generation of keys under which an authentic packet came.
    newest: AtomicU64,
    /// Packets that were not authentic.
    forgeries: AtomicU64,
    counters: Counters,
}

/// Both directions of one type of packets of one connection: Initial, Handshake, 0-RTT or 1-RTT.
///
/// A packet is protected together with its header, as the [module](super) describes.
///
/// The keys of a flow never change. After a key update there is a new flow, which
/// [`updated`](QuicFlow::updated) makes from the old one and which shares its numbers and its
/// counters. Packets that hold the old one are not disturbed.
pub struct QuicFlow {
    config: QuicConfig,
    /// How many key updates there were; the lowest bit is the key phase.
    generation: u64,
    is_stream_mask: bool,
    seal: Option<Seal>,
    open: Option<Open>,
    space: Arc<Space>,
    shared: Arc<Shared>,
}

impl QuicFlow {
    /// Opens a flow with traffic secrets of a handshake.
    ///
    /// # Errors
    /// A secret is not as long as the suite's hash, a connection ID is longer than 20 bytes, the
    /// window has a size that there is not, or no provider opens the suite's algorithms.
    pub fn new(
        registry: &Registry,
        config: &QuicConfig,
        secrets: QuicSecrets<'_>,
    ) -> Result<Self, FlowError> {
        config.check()?;
        let secret = |secret: &[u8]| Secret::new(config.suite, secret);
        let seal = secrets.send.map(|send| Seal::new(registry, config, secret(send)?));
        let open = secrets.receive.map(|receive| Open::new(registry, config, secret(receive)?));
        let used = match config.numbers {
            Numbers::Counted => None,
            Numbers::Given => Some(ReplayWindow::new(config.window)?),
        };
        let received = ReplayWindow::new(config.window)?;
        Ok(QuicFlow {
            config: config.clone(),
            generation: 0,
            is_stream_mask: config.suite == QuicSuite::ChaCha20Poly1305,
            seal: seal.transpose()?,
            open: open.transpose()?,
            space: Arc::new(Space { next: AtomicU64::new(0), used, received }),
            shared: Arc::default(),
        })
    }

    /// Opens the flow of Initial packets, whose keys follow from the Destination Connection ID of
    /// the client's first Initial packet. After a Retry they follow from the ID that the server
    /// chose in it.
    ///
    /// # Errors
    /// No provider opens AES-128-GCM or AES-ECB.
    pub fn initial(
        registry: &Registry,
        version: QuicVersion,
        connection_id: &[u8],
        side: Side,
    ) -> Result<Self, FlowError> {
        let config = QuicConfig::new(QuicSuite::Aes128Gcm, version, PacketType::Initial);
        let secrets = InitialSecrets::new(version, connection_id);
        let (client, server) = (&secrets.client[..], &secrets.server[..]);
        let secrets = match side {
            Side::Client => QuicSecrets::both(client, server),
            Side::Server => QuicSecrets::both(server, client),
        };
        QuicFlow::new(registry, &config, secrets)
    }

    /// Returns the flow with the packet number space of another one: 0-RTT and 1-RTT packets share
    /// theirs (RFC 9000, 12.3).
    ///
    /// Call it before the first packet.
    #[must_use]
    pub fn with_numbers_of(mut self, other: &QuicFlow) -> Self {
        self.space = Arc::clone(&other.space);
        self
    }

    /// Returns the flow after a key update: it sends with the next keys and the other key phase.
    /// It receives packets of the new phase, late ones of the old phase, and those of one update
    /// more. The old flow stays usable.
    ///
    /// Call it once when [`peer_has_updated`](QuicFlow::peer_has_updated), before anything is sent
    /// that acknowledges such a packet; or to begin an update, which a QUIC stack may do only after
    /// the peer acknowledged a packet of this generation (RFC 9001, 6.1).
    ///
    /// # Errors
    /// The packets are not 1-RTT packets, or no provider opens the suite's algorithms.
    pub fn updated(&self, registry: &Registry) -> Result<Self, FlowError> {
        if !self.config.has_key_updates() {
            return Err(FlowError::Parameter {
                what: "the type of packets with a key update",
                value: format!("{:?}", self.config.packets),
                valid: format!("{:?}", PacketType::OneRtt),
            });
        }
        let seal = self.seal.as_ref().map(|seal| seal.next(registry, &self.config));
        let open = self.open.as_ref().map(|open| open.next(registry, &self.config));
        Ok(self.with_keys(self.generation + 1, seal.transpose()?, open.transpose()?))
    }

    /// Returns the flow without the keys before the last update, which are wiped when the flows
    /// before are dropped, too. RFC 9001, 6.5 recommends it three times the probe timeout after the
    /// update.
    #[must_use]
    pub fn without_previous_keys(&self) -> Self {
        let open = self.open.as_ref().map(Open::without_previous);
        self.with_keys(self.generation, self.seal.clone(), open)
    }

    fn with_keys(&self, generation: u64, seal: Option<Seal>, open: Option<Open>) -> Self {
        QuicFlow {
            config: self.config.clone(),
            generation,
            is_stream_mask: self.is_stream_mask,
            seal,
            open,
            space: Arc::clone(&self.space),
            shared: Arc::clone(&self.shared),
        }
    }

    /// Returns `true` if an authentic packet came under newer keys than this flow sends with: the
    /// peer has updated its keys, and this end has to follow.
    pub fn peer_has_updated(&self) -> bool {
        self.shared.newest.load(Ordering::Relaxed) > self.generation
    }

    /// Returns how many key updates there were; the lowest bit is the key phase of packets that are
    /// sent.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns how many packets the current key has protected, which a QUIC stack compares with
    /// [`QuicConfig::confidentiality_limit`] to begin a key update in time.
    pub fn packets_under_key(&self) -> u64 {
        self.seal.as_ref().map_or(0, Seal::sealed)
    }

    /// Returns how many packets were not authentic, under all keys.
    pub fn forgeries(&self) -> u64 {
        self.shared.forgeries.load(Ordering::Relaxed)
    }

    /// Returns the highest number of an authentic packet that was received.
    pub fn highest_received(&self) -> Option<u64> {
        self.space.received.highest()
    }

    /// Returns the number of the next packet that is sent; `None` if the caller gives the numbers,
    /// or if there is none left.
    pub fn next_number(&self) -> Option<u64> {
        let next = self.space.next.load(Ordering::Relaxed);
        (self.space.used.is_none() && next <= MAX_NUMBER).then_some(next)
    }

    /// Returns the configuration.
    pub fn config(&self) -> &QuicConfig {
        &self.config
    }

    /// Finds the fields of a header.
    #[inline]
    fn layout(&self, packet: &[u8], id_len: usize) -> Result<Layout, PacketError> {
        let layout = match self.config.packets {
            PacketType::OneRtt => short_layout(packet, id_len)?,
            packets => long_layout(packet, self.config.version, packets)?,
        };
        if packet[0] & FIXED == 0 && !self.config.fixed_bit_may_be_zero {
            return Err(PacketError::Malformed { field: "fixed bit", value: 0 });
        }
        Ok(layout)
    }

    /// Takes the next number, or the one that the caller wants.
    #[inline]
    fn take_number(&self, given: u64) -> Result<u64, PacketError> {
        let number = match &self.space.used {
            None => self.space.next.fetch_add(1, Ordering::Relaxed),
            Some(_) => given,
        };
        if number > MAX_NUMBER {
            return Err(PacketError::SequenceCycled);
        }
        if let Some(used) = &self.space.used {
            used.accept(number)?;
        }
        Ok(number)
    }

    /// Finds the fields of the header of a packet that was received.
    #[inline]
    fn received_layout(&self, packet: &[u8], meta: &QuicMeta) -> Result<Layout, PacketError> {
        let id_len = meta.connection_id_len.unwrap_or(self.config.own_id_len);
        let layout = self.layout(packet, id_len)?;
        if layout.length_width != 0 {
            let (length, rest) = (layout.length(packet), packet.len() - layout.number_at);
            if length != rest as u64 {
                return Err(PacketError::Malformed { field: "length", value: length });
            }
        }
        Ok(layout)
    }

    /// Accepts an authentic packet, whose first byte is unmasked, or says why not.
    #[inline]
    fn accept(
        &self,
        open: &Open,
        first: u8,
        meta: &QuicMeta,
        number: u64,
    ) -> Result<(), PacketError> {
        let reserved = first & self.config.packets.reserved();
        if reserved != 0 {
            return Err(PacketError::Malformed { field: "reserved bits", value: reserved.into() });
        }
        if number > MAX_NUMBER {
            return Err(PacketError::Malformed { field: "packet number", value: number });
        }
        if !open.is_in_order(meta.age, number) {
            let value = meta.key_phase.into();
            return Err(PacketError::Malformed { field: "key phase", value });
        }
        self.space.received.accept(number)?;
        open.received(meta.age, number);
        if meta.age == Age::Next {
            self.shared.newest.fetch_max(self.generation + 1, Ordering::Relaxed);
        } else if meta.age == Age::Current && self.generation != 0 {
            self.shared.newest.fetch_max(self.generation, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Puts a packet's header back, and returns why the packet is refused.
    #[cold]
    fn refuse(frame: &mut Frame<'_>, meta: &QuicMeta, error: PacketError) -> PacketError {
        meta.undo.restore(frame.bytes_mut());
        error
    }
}

impl Flow for QuicFlow {
    type Meta = QuicMeta;

    const MASKS: bool = true;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut QuicMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let seal = self.seal.as_ref().ok_or(PacketError::NoKey)?;
        let id_len = meta.connection_id_len.unwrap_or(self.config.peer_id_len);
        let layout = self.layout(frame.bytes(), id_len)?;
        let number_at = layout.number_at;
        // The sample of the mask is within the packet then.
        frame.has_at_least(number_at + MAX_NUMBER_LEN)?;
        frame.has_room(0, TAG)?;
        let first = frame.bytes()[0];
        let reserved = first & self.config.packets.reserved();
        if reserved != 0 {
            return Err(PacketError::Malformed { field: "reserved bits", value: reserved.into() });
        }
        let undo = Undo::save(frame.bytes(), layout);
        let len = frame.len();
        if layout.length_width != 0 {
            layout.set_length(frame.bytes_mut(), len + TAG - number_at)?;
        }
        meta.undo = undo;
        // Counted before the number is taken, so that no packet takes one in vain.
        let limit = self.config.confidentiality_limit;
        if !seal.count(limit) {
            let error = PacketError::KeyUsedUp { packets: limit };
            return Err(QuicFlow::refuse(frame, meta, error));
        }
        let number = match self.take_number(meta.number) {
            Ok(number) => number,
            Err(error) => return Err(QuicFlow::refuse(frame, meta, error)),
        };
        meta.number = number;
        meta.number_at = number_at;
        meta.is_sealed = true;
        let packet = frame.bytes_mut();
        meta.key_phase = self.config.has_key_updates() && self.generation & 1 == 1;
        if self.config.has_key_updates() {
            packet[0] = (first & !KEY_PHASE) | (u8::from(meta.key_phase) * KEY_PHASE);
        }
        let number_len = usize::from(first & 3) + 1;
        // What is behind the number stays as it is. So it is always four bytes that are written.
        let field = packet[number_at..].first_chunk_mut().expect("it was checked");
        let behind = 8 * (MAX_NUMBER_LEN - number_len);
        let kept = u32::from_be_bytes(*field) & !(u32::MAX << behind);
        *field = ((number as u32) << behind | kept).to_be_bytes();
        let (start, tag) = (frame.start(), frame.end());
        frame.append(TAG)?;
        let text = start + number_at + number_len;
        let plan = Plan::aead(&seal.session, &seal.iv.nonce(number), text..tag, tag);
        Ok(plan.associated(Associated::Before(start..text)).number(number).write(work))
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut QuicMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let open = self.open.as_ref().ok_or(PacketError::NoKey)?;
        let limit = self.config.integrity_limit;
        if self.forgeries() >= limit {
            let error = PacketError::KeyUsedUp { packets: limit };
            return Err(QuicFlow::refuse(frame, meta, error));
        }
        // Nothing is decided here by what was under the mask: a packet with a wrong or a repeated
        // number goes the same way as a right one (RFC 9001, 9.5).
        let (packet, number_at) = (frame.bytes(), meta.number_at);
        let first = packet[0];
        let number_len = usize::from(first & 3) + 1;
        let field = packet[number_at..number_at + MAX_NUMBER_LEN].try_into().expect("4 bytes");
        let bits = 8 * number_len as u32;
        let truncated = u64::from(u32::from_be_bytes(field) >> (32 - bits));
        let expected = self.space.received.highest().map_or(0, |highest| highest + 1);
        let number = whole_number(expected, truncated, bits);
        meta.number = number;
        meta.key_phase = self.config.has_key_updates() && first & KEY_PHASE != 0;
        let own_phase = self.config.has_key_updates() && self.generation & 1 == 1;
        let (age, key) = open.choose(meta.key_phase != own_phase, number);
        meta.age = age;
        let (start, tag) = (frame.start(), frame.end() - TAG);
        let text = start + number_at + number_len;
        let plan = Plan::aead(&key.session, &key.iv.nonce(number), text..tag, tag);
        Ok(plan.associated(Associated::Before(start..text)).number(number).write(work))
    }

    #[inline]
    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut QuicMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        let open = self.open.as_ref().ok_or(PacketError::NoKey)?;
        let first = frame.bytes()[0];
        let accepted = self.accept(open, first, meta, work.number);
        if let Err(error) = accepted {
            return Err(QuicFlow::refuse(frame, meta, error));
        }
        frame.remove_front(meta.number_at + usize::from(first & 3) + 1)?;
        frame.remove_back(TAG)?;
        Ok(Step::Complete)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut QuicMeta, _: &Work) {
        if !std::mem::take(&mut meta.is_sealed) {
            self.shared.forgeries.fetch_add(1, Ordering::Relaxed);
        }
        meta.undo.restore(frame.bytes_mut());
    }

    #[inline]
    fn mask(&self, frame: &Frame<'_>, meta: &QuicMeta) -> Result<Option<Mask<'_>>, PacketError> {
        let packet = frame.bytes();
        let (session, number_at) = match (meta.is_sealed, &self.seal, &self.open) {
            (true, Some(seal), _) => (&seal.mask, meta.number_at),
            (false, _, Some(open)) => (&open.mask, self.received_layout(packet, meta)?.number_at),
            _ => return Err(PacketError::NoKey),
        };
        let sample_at = number_at + MAX_NUMBER_LEN;
        frame.has_at_least(sample_at + SAMPLE)?;
        let sample = packet[sample_at..sample_at + SAMPLE].try_into().expect("16 bytes");
        Ok(Some(mask(session, self.is_stream_mask, sample)))
    }

    #[inline]
    fn masked(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut QuicMeta,
        mask: &[u8; 16],
        protects: bool,
    ) -> Result<(), PacketError> {
        let packet = frame.bytes_mut();
        if !protects {
            let layout = self.received_layout(packet, meta)?;
            meta.number_at = layout.number_at;
            meta.undo = Undo::save(packet, layout);
        }
        meta.is_sealed = false;
        let masked = mask[0] & self.config.packets.masked();
        // The length of the number is read in the clear: before the mask or after it.
        let clear = if protects { packet[0] } else { packet[0] ^ masked };
        packet[0] ^= masked;
        let unmasked = 8 * (3 - u32::from(clear & 3));
        let bits = u32::from_be_bytes(mask[1..5].try_into().expect("4 bytes"));
        let bits = (bits & (u32::MAX << unmasked)).to_be_bytes();
        let number = &mut packet[meta.number_at..meta.number_at + MAX_NUMBER_LEN];
        number.iter_mut().zip(bits).for_each(|(byte, bits)| *byte ^= bits);
        Ok(())
    }

    #[inline]
    fn touch(&self, protects: bool) -> Option<&Session> {
        match protects {
            true => self.seal.as_ref().map(|seal| &seal.session),
            false => self.open.as_ref().map(Open::session),
        }
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.shared.counters
    }
}
