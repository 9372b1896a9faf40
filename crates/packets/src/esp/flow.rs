//! Flows of ESP: one direction of a security association.

use broadloom_engine::{Registry, Session};
use broadloom_lanes::prefetch;

use super::config::{EspConfig, Mode, UdpPorts};
use super::ip::{self, Headers, NO_NEXT_HEADER, Version};
use super::outer::Outer;
use super::sequence::{self, NextNumber};
use super::suite::{Covered, HEADER, MAX_IV, Mask, Place, Suite};
use super::{trailer, udp};
use crate::counters::Counters;
use crate::error::{FlowError, PacketError};
use crate::flow::Flow;
use crate::frame::Frame;
use crate::plan::{Step, Work};
use crate::replay::ReplayWindow;

/// The most bytes of a protected packet: lengths in headers have 16 bits.
const MAX_LEN: usize = u16::MAX as usize;

/// What an ESP packet is accompanied by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EspMeta {
    /// The protocol of what is protected, as IP numbers it.
    ///
    /// After a packet was unprotected it is the packet's next header: 4 or 41 out of a tunnel, for
    /// an inner packet of IPv4 or IPv6. In [`Mode::Payload`] the caller sets it before a payload is
    /// protected. In [`Mode::Tunnel`] a caller that sets it to 59 asks for a dummy packet, whatever
    /// the bytes are; any other value is replaced by the number of the inner packet's version.
    pub next_header: u8,
    /// The IV of a packet that is to be protected, if its flow takes IVs
    /// ([`EspConfig::takes_ivs`]): the first [`iv_len`](super::EspAlgorithm::iv_len) bytes.
    pub iv: [u8; MAX_IV],
    /// Where the ESP header is, from the packet's beginning.
    header: u16,
    /// Where the number of the payload's protocol is, from the packet's beginning.
    next_at: u16,
    /// The bytes before the ESP header while a shifted header covers them.
    covered: Covered,
    /// The length and the checksum that the header of a packet had.
    replaced: [[u8; 2]; 2],
}

impl EspMeta {
    /// Returns the meta data of a payload of a protocol, for [`Mode::Payload`].
    pub fn payload(protocol: u8) -> Self {
        EspMeta { next_header: protocol, ..EspMeta::default() }
    }

    /// Returns the meta data of a dummy packet, which its receiver drops (RFC 4303, 2.6): it hides
    /// when there is traffic. The bytes of such a packet may be anything.
    pub fn dummy() -> Self {
        EspMeta::payload(NO_NEXT_HEADER)
    }
}

/// What a flow does.
enum Side {
    Outbound(Outbound),
    Inbound(Inbound),
}

/// What a flow that protects packets knows, beside its algorithm.
struct Outbound {
    numbers: NextNumber,
    headroom: Headroom,
    /// The bytes that a shorter packet is padded to.
    pad_to: u16,
}

/// What a flow that unprotects packets knows, beside its algorithm.
struct Inbound {
    /// `None` if packets may come twice.
    window: Option<ReplayWindow>,
    packet_limit: u64,
    headers: Before,
    /// What the flow of the other direction has, for [`EspFlow::room`].
    outer_len: u8,
    pad_to: u16,
}

/// Which headers are before ESP, of packets to be protected.
enum Headroom {
    None,
    Transport,
    Tunnel(Outer),
}

/// Which headers are before ESP, of packets to be unprotected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    None,
    Transport,
    Tunnel,
}

/// One direction of a security association of ESP.
///
/// An outbound flow protects packets, and an inbound flow unprotects them. A packet that is given
/// to a flow of the wrong direction is refused with [`PacketError::WrongFlow`].
// With many flows, every line that a packet needs is waited for. In this order, and with the
// beginning of a line, it needs two: all but the counters that few packets reach is on these. No
// two flows share a line, so that threads with flows of their own do not disturb each other.
#[repr(C, align(64))]
pub struct EspFlow {
    side: Side,
    suite: Suite,
    udp: Option<UdpPorts>,
    counters: Counters,
    mask: Mask,
}

/// Bytes of two lines.
const LINES: usize = 2 * 64;

const _: () = {
    use std::mem::offset_of;

    assert!(offset_of!(EspFlow, counters) + size_of::<u64>() <= LINES);
    // What asks for this asks for both lines.
    assert!(offset_of!(EspFlow, side) == 0 && size_of::<Side>() > LINES / 2);
    // A program may have a million flows.
    assert!(size_of::<EspFlow>() <= 3 * 64);
};

impl EspFlow {
    /// Opens a flow that protects packets.
    ///
    /// # Errors
    /// A key or a value does not fit, or no provider has the algorithm.
    pub fn outbound(registry: &Registry, config: &EspConfig<'_>) -> Result<Self, FlowError> {
        config.check()?;
        let protocol = if config.udp.is_some() { udp::PROTOCOL } else { ip::ESP };
        if let Some(UdpPorts { source, destination }) = config.udp {
            for (what, port) in [
                ("the source port of an outbound flow", source),
                ("the destination port of an outbound flow", destination),
            ] {
                if port == 0 {
                    let (value, valid) = ("0".to_owned(), "1 to 65535".to_owned());
                    return Err(FlowError::Parameter { what, value, valid });
                }
            }
        }
        let side = Side::Outbound(Outbound {
            numbers: NextNumber::new(config.first, config.extended, config.packet_limit),
            headroom: match &config.mode {
                Mode::Payload => Headroom::None,
                Mode::Transport => Headroom::Transport,
                Mode::Tunnel(tunnel) => Headroom::Tunnel(Outer::new(tunnel, protocol)),
            },
            pad_to: config.pad_to as u16,
        });
        EspFlow::new(registry, config, side)
    }

    /// Opens a flow that unprotects packets.
    ///
    /// # Errors
    /// As [`outbound`](EspFlow::outbound), or the replay window has a size that there is not.
    pub fn inbound(registry: &Registry, config: &EspConfig<'_>) -> Result<Self, FlowError> {
        config.check()?;
        let window = match config.window {
            0 if config.extended => {
                return Err(FlowError::Parameter {
                    what: "the replay window under extended numbers",
                    value: "0".to_owned(),
                    valid: "32 to 65536; the high half of a number is inferred from it".to_owned(),
                });
            }
            0 => None,
            size => Some(ReplayWindow::new(size)?),
        };
        let before = config.first.checked_sub(1).filter(|before| *before > 0);
        if let (Some(window), Some(before)) = (&window, before) {
            window.accept(before).expect("an empty window takes any number");
        }
        let (headers, outer_len) = match &config.mode {
            Mode::Payload => (Before::None, 0),
            Mode::Transport => (Before::Transport, 0),
            Mode::Tunnel(tunnel) => (Before::Tunnel, Outer::new(tunnel, ip::ESP).len() as u8),
        };
        let (packet_limit, pad_to) = (config.packet_limit, config.pad_to as u16);
        let inbound = Inbound { window, packet_limit, headers, outer_len, pad_to };
        EspFlow::new(registry, config, Side::Inbound(inbound))
    }

    fn new(registry: &Registry, config: &EspConfig<'_>, side: Side) -> Result<Self, FlowError> {
        let opens = matches!(side, Side::Inbound(_));
        Ok(EspFlow {
            side,
            suite: Suite::new(registry, config, opens)?,
            udp: config.udp,
            counters: Counters::default(),
            mask: Mask::draw(config.algorithm, opens)?,
        })
    }

    /// Returns the security parameters index.
    pub fn spi(&self) -> u32 {
        self.suite.spi
    }

    /// Returns the number that the next packet gets; `None` if the flow is inbound, or has no
    /// number left.
    pub fn next_number(&self) -> Option<u64> {
        match &self.side {
            Side::Outbound(outbound) => outbound.numbers.peek(),
            Side::Inbound(_) => None,
        }
    }

    /// Returns the highest number of an authentic packet; `None` if there was none, or if the flow
    /// is outbound or has no replay window. Of a flow that goes on where another one ended, it may
    /// be the number before the first.
    pub fn highest_number(&self) -> Option<u64> {
        match &self.side {
            Side::Outbound(_) => None,
            Side::Inbound(inbound) => inbound.window.as_ref().and_then(ReplayWindow::highest),
        }
    }

    /// Returns the session of the engine that works for the flow.
    pub fn session(&self) -> &Session {
        self.suite.session()
    }

    /// Says which number the next packet of an outbound flow gets, for example where another flow
    /// ended. Packets that are protected at the same time have numbers from before or from then on.
    /// Numbers that are left out count against [`EspConfig::packet_limit`].
    ///
    /// # Errors
    /// [`FlowError::Parameter`]: the flow is inbound, it has no such number, or the number is below
    /// the next one, so that an IV would come twice. A flow that takes IVs
    /// ([`EspConfig::takes_ivs`]) may count from any number.
    pub fn set_next(&self, number: u64) -> Result<(), FlowError> {
        let refuse = |valid| FlowError::Parameter {
            what: "the next number",
            value: number.to_string(),
            valid,
        };
        let Side::Outbound(outbound) = &self.side else {
            return Err(refuse("none; an inbound flow gives no numbers".to_owned()));
        };
        outbound
            .numbers
            .set(number, self.suite.takes_ivs())
            .map_err(|valid| refuse(format!("{} to {}", valid.start(), valid.end())))
    }

    /// Returns the bytes of the IV that a packet has to bring in [`EspMeta::iv`] to be protected;
    /// `None` if the flow makes IVs itself, or is inbound.
    pub fn given_iv_len(&self) -> Option<usize> {
        let takes_ivs = matches!(self.side, Side::Outbound(_)) && self.suite.takes_ivs();
        takes_ivs.then_some(self.suite.iv_len())
    }

    /// Returns the bytes that a packet needs before and behind it to be protected, at most.
    pub fn room(&self) -> (usize, usize) {
        let (outer, pad_to) = match &self.side {
            Side::Outbound(Outbound { headroom: Headroom::Tunnel(outer), pad_to, .. }) => {
                (outer.len(), *pad_to)
            }
            Side::Outbound(_) => (0, 0),
            Side::Inbound(inbound) => (inbound.outer_len.into(), inbound.pad_to),
        };
        let head = outer + self.esp_header_len() + self.suite.shift();
        let padding = self.suite.alignment() - 1 + trailer::FIXED;
        (head, usize::from(pad_to) + padding + self.suite.tag_len())
    }

    /// Returns the bytes of the UDP header, the ESP header and the IV.
    #[inline]
    fn esp_header_len(&self) -> usize {
        let udp = if self.udp.is_some() { udp::HEADER } else { 0 };
        udp + HEADER + self.suite.iv_len()
    }

    /// Returns the whole number of a packet, from the low half that was sent.
    #[inline]
    fn number(&self, low: u32, window: Option<&ReplayWindow>) -> Result<u64, PacketError> {
        let number = match window {
            Some(window) if self.suite.extended => {
                sequence::infer(low, window.highest().unwrap_or(0), window.size())
            }
            _ => Some(low.into()),
        };
        let valid = 1..=sequence::last(self.suite.extended);
        let number = number.filter(|number| valid.contains(number));
        let number = number.ok_or(PacketError::Replay { number: low.into() })?;
        window.map_or(Ok(()), |window| window.check(number))?;
        Ok(number)
    }

    /// Puts back what was changed before and behind a packet's text, so that it could be
    /// authenticated.
    #[inline]
    fn restore(&self, frame: &mut Frame<'_>, meta: &EspMeta, work: &Work) {
        let header = frame.start() + usize::from(meta.header);
        self.suite.restore(frame.buffer_mut(), header, meta.covered, work);
    }

    fn wrong_direction(&self) -> PacketError {
        PacketError::WrongFlow { found: self.suite.spi.into() }
    }

    /// Moves the headers of a packet in transport mode to its payload, which begins at `payload`,
    /// and corrects their lengths.
    fn deliver_transport(&self, packet: &mut [u8], meta: &EspMeta, payload: usize, len: usize) {
        let udp = if self.udp.is_some() { udp::HEADER } else { 0 };
        let headers = Headers { len: usize::from(meta.header) - udp, next_at: meta.next_at.into() };
        let start = payload - headers.len;
        packet.copy_within(..headers.len, start);
        let total = headers.len + len;
        ip::set_payload(&mut packet[start..], headers, meta.next_header, total);
    }
}

impl Flow for EspFlow {
    type Meta = EspMeta;

    fn protect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut EspMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let Side::Outbound(Outbound { numbers, headroom, pad_to }) = &self.side else {
            return Err(self.wrong_direction());
        };
        let (asked, tag_len) = (meta.next_header, self.suite.tag_len());
        let (outer, headers, next_header) = match headroom {
            Headroom::None => (0, Headers { len: 0, next_at: 0 }, asked),
            Headroom::Transport => {
                let headers = ip::headers_before_payload(frame.bytes())?;
                (0, headers, frame.bytes()[headers.next_at])
            }
            Headroom::Tunnel(outer) => {
                let next_header = match asked {
                    NO_NEXT_HEADER => NO_NEXT_HEADER,
                    _ => match ip::check(frame.bytes())? {
                        Version::V4 => ip::IPV4,
                        Version::V6 => ip::IPV6,
                    },
                };
                (outer.len(), Headers { len: outer.len(), next_at: 0 }, next_header)
            }
        };
        // What moves to the front of the ESP header, and what is encrypted.
        let moved = headers.len - outer;
        let inside = frame.len() - moved;
        let fill = usize::from(*pad_to).saturating_sub(inside);
        let padding = trailer::padding(inside + fill, self.suite.alignment());
        let head = outer + self.esp_header_len();
        let tail = fill + padding + trailer::FIXED + tag_len;
        let total = frame.len() + head + tail;
        if total > MAX_LEN {
            let max = frame.len().saturating_sub(total - MAX_LEN);
            return Err(PacketError::TooLong { len: frame.len(), max });
        }
        let shift = if headers.len == 0 && self.udp.is_none() { self.suite.shift() } else { 0 };
        frame.has_room(head + shift, tail)?;
        let number = numbers.take()?;

        let behind = frame.append(tail)?;
        if fill > 0 {
            behind[..fill].fill(0);
        }
        trailer::write(&mut behind[fill..tail - tag_len], next_header);
        frame.prepend(head)?;
        let start = frame.start();
        let packet = frame.bytes_mut();
        let udp_at = headers.len;
        let header = udp_at + head - outer - HEADER - self.suite.iv_len();
        match headroom {
            Headroom::None => {}
            Headroom::Transport => {
                packet.copy_within(head..head + moved, 0);
                meta.replaced = if packet[0] >> 4 == 4 {
                    [[packet[2], packet[3]], [packet[10], packet[11]]]
                } else {
                    [[packet[4], packet[5]], [0; 2]]
                };
                let protocol = if self.udp.is_some() { udp::PROTOCOL } else { ip::ESP };
                ip::set_payload(packet, headers, protocol, total);
            }
            Headroom::Tunnel(outer) => {
                let inner_at = (next_header != NO_NEXT_HEADER).then_some(head);
                outer.write(packet, inner_at, number);
            }
        }
        if let Some(ports) = self.udp {
            udp::write(&mut packet[udp_at..udp_at + udp::HEADER], ports, total - udp_at);
        }
        packet[header..header + 4].copy_from_slice(&self.suite.spi.to_be_bytes());
        packet[header + 4..header + 8].copy_from_slice(&(number as u32).to_be_bytes());
        meta.next_header = next_header;
        meta.header = header as u16;
        meta.next_at = headers.next_at as u16;
        let place = Place { header: start + header, tag: start + total - tag_len };
        let buffer = frame.buffer_mut();
        let given = if self.suite.masks_ivs() { &self.mask.0 } else { &meta.iv };
        Ok(self.suite.seal(buffer, place, number, given, &mut meta.covered, work))
    }

    #[inline]
    fn protected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut EspMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.restore(frame, meta, work);
        if self.udp.is_none() {
            return Ok(Step::Complete);
        }
        let has_ip = match &self.side {
            Side::Outbound(outbound) => !matches!(outbound.headroom, Headroom::None),
            Side::Inbound(_) => false,
        };
        if has_ip && frame.bytes()[0] >> 4 == 6 {
            let len = usize::from(meta.header) - udp::HEADER;
            let headers = Headers { len, next_at: meta.next_at.into() };
            ip::set_v6_udp_checksum(frame.bytes_mut(), headers);
        }
        Ok(Step::Complete)
    }

    fn unprotect(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut EspMeta,
        work: &mut Work,
    ) -> Result<&Session, PacketError> {
        let Side::Inbound(inbound) = &self.side else {
            return Err(self.wrong_direction());
        };
        let packet = frame.bytes();
        let protocol = if self.udp.is_some() { udp::PROTOCOL } else { ip::ESP };
        let headers = match inbound.headers {
            Before::None => Headers { len: 0, next_at: 0 },
            _ => ip::headers_before(packet, protocol)?,
        };
        let mut header = headers.len;
        if let Some(ports) = self.udp {
            udp::check(&packet[header..], ports)?;
            header += udp::HEADER;
        }
        let (tag_len, alignment) = (self.suite.tag_len(), self.suite.alignment());
        let text = header + HEADER + self.suite.iv_len();
        let min = text + alignment + tag_len;
        frame.has_at_least(min)?;
        let field = |at: usize| u32::from_be_bytes(packet[at..at + 4].try_into().expect("4 bytes"));
        let spi = field(header);
        if spi != self.suite.spi {
            return Err(PacketError::WrongFlow { found: spi.into() });
        }
        let text_len = packet.len() - tag_len - text;
        if text_len & (alignment - 1) != 0 {
            let value = text_len as u64;
            return Err(PacketError::Malformed { field: "length of the ciphertext", value });
        }
        let number = self.number(field(header + 4), inbound.window.as_ref())?;
        if frame.start() + header < self.suite.shift() {
            let have = frame.start() + header;
            return Err(PacketError::NoHeadRoom { need: self.suite.shift(), have });
        }
        meta.header = header as u16;
        meta.next_at = headers.next_at as u16;
        let place = Place { header: frame.start() + header, tag: frame.end() - tag_len };
        Ok(self.suite.open(frame.buffer_mut(), place, number, &mut meta.covered, work))
    }

    fn unprotected(
        &self,
        frame: &mut Frame<'_>,
        meta: &mut EspMeta,
        work: &Work,
    ) -> Result<Step<'_>, PacketError> {
        self.restore(frame, meta, work);
        let Side::Inbound(Inbound { window, packet_limit, headers, .. }) = &self.side else {
            return Err(self.wrong_direction());
        };
        if *packet_limit != u64::MAX && self.counters.packets() >= *packet_limit {
            return Err(PacketError::KeyUsedUp { packets: *packet_limit });
        }
        window.as_ref().map_or(Ok(()), |window| window.accept(work.number))?;
        let packet = frame.bytes_mut();
        let start = usize::from(meta.header) + HEADER + self.suite.iv_len();
        let text = &mut packet[start..];
        let end = text.len() - self.suite.tag_len();
        let (mut len, next_header) = trailer::read(&text[..end])?;
        if next_header == NO_NEXT_HEADER {
            return Err(PacketError::Dummy);
        }
        meta.next_header = next_header;
        let mut kept = 0;
        match headers {
            Before::None => {}
            Before::Transport => {
                let udp = self.esp_header_len() - HEADER - self.suite.iv_len();
                kept = usize::from(meta.header) - udp;
                self.deliver_transport(packet, meta, start, len);
            }
            Before::Tunnel => {
                len = ip::inner_len(&text[..len], next_header)?;
                let class = ip::traffic_class(packet);
                ip::merge_ecn(&mut packet[start..start + len], class)?;
            }
        }
        let behind = packet.len() - start - len;
        frame.remove_front(start - kept)?;
        frame.remove_back(behind)?;
        Ok(Step::Complete)
    }

    fn failed(&self, frame: &mut Frame<'_>, meta: &mut EspMeta, work: &Work) {
        self.restore(frame, meta, work);
        let Side::Outbound(outbound) = &self.side else { return };
        if matches!(outbound.headroom, Headroom::Transport) {
            let head = self.esp_header_len();
            let len = usize::from(meta.header) + HEADER + self.suite.iv_len() - head;
            let packet = frame.bytes_mut();
            packet.copy_within(..len, head);
            let headers = &mut packet[head..];
            headers[usize::from(meta.next_at)] = meta.next_header;
            let [total, checksum] = meta.replaced;
            if headers[0] >> 4 == 4 {
                headers[2..4].copy_from_slice(&total);
                headers[10..12].copy_from_slice(&checksum);
            } else {
                headers[4..6].copy_from_slice(&total);
            }
        }
    }

    fn touch_itself(&self) {
        prefetch(&self.side);
    }

    #[inline]
    fn touch(&self, _: bool) -> Option<&Session> {
        Some(self.session())
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// Returns the SPI of a packet, by which its flow is found: of an IP packet with ESP, or with ESP
/// in UDP from or to port 4500. `None` if it is neither, or a fragment.
pub fn spi(packet: &[u8]) -> Option<u32> {
    let headers = ip::headers_before(packet, ip::ESP);
    let at = match headers {
        Ok(headers) => headers.len,
        Err(_) => {
            let headers = ip::headers_before(packet, udp::PROTOCOL).ok()?;
            let datagram = &packet[headers.len..];
            let ports = [
                datagram.first_chunk::<4>()?[..2].try_into().ok()?,
                datagram[2..4].try_into().ok()?,
            ];
            if !ports.map(u16::from_be_bytes).contains(&super::UDP_PORT) {
                return None;
            }
            headers.len + udp::HEADER
        }
    };
    payload_spi(packet.get(at..)?)
}

/// Returns the SPI at the beginning of an ESP packet without an IP header, by which its flow is
/// found; `None` if it is shorter than an ESP header, a keepalive, or a message of a key exchange.
pub fn payload_spi(packet: &[u8]) -> Option<u32> {
    let spi = u32::from_be_bytes(*packet.first_chunk::<HEADER>()?.first_chunk()?);
    (spi != 0).then_some(spi)
}
