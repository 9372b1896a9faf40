//! Headers (RFC 9000, 17; RFC 9369, 3.2), and datagrams of several packets (RFC 9000, 12.2).

use std::ops::Range;

use super::suite::QuicVersion;
use crate::error::PacketError;

/// The longest connection ID, in bytes.
pub const MAX_CONNECTION_ID: usize = 20;

/// Bits of the first byte: a long header.
const LONG: u8 = 0x80;
/// Set in every packet, unless both ends agreed otherwise (RFC 9287).
pub(super) const FIXED: u8 = 0x40;

/// A type of packets that are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PacketType {
    /// Initial packets, with keys that everybody can derive.
    Initial,
    /// 0-RTT packets, which only clients send.
    ZeroRtt,
    /// Handshake packets.
    Handshake,
    /// 1-RTT packets: the only ones with a short header, and with key updates.
    OneRtt,
}

impl PacketType {
    /// Returns the type with this number in the long headers of a version; `None` is a Retry.
    fn from_bits(version: QuicVersion, bits: u8) -> Option<Self> {
        let bits = match version {
            QuicVersion::V1 => bits,
            QuicVersion::V2 => bits.wrapping_sub(1) & 3,
        };
        [Some(PacketType::Initial), Some(PacketType::ZeroRtt), Some(PacketType::Handshake), None]
            [usize::from(bits)]
    }

    /// Bits of the first byte that must be zero.
    #[inline]
    pub(super) fn reserved(self) -> u8 {
        if self == PacketType::OneRtt { 0x18 } else { 0x0c }
    }

    /// Bits of the first byte that are masked.
    #[inline]
    pub(super) fn masked(self) -> u8 {
        if self == PacketType::OneRtt { 0x1f } else { 0x0f }
    }
}

/// Where the fields of a packet are that its protection needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Layout {
    /// Where the packet number begins.
    pub(super) number_at: usize,
    /// Bytes of the field Length directly before it; none in a short header.
    pub(super) length_width: usize,
}

impl Layout {
    /// Returns the value of the field Length.
    pub(super) fn length(self, packet: &[u8]) -> u64 {
        let field = &packet[self.number_at - self.length_width..self.number_at];
        field.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
            & ((1 << (8 * self.length_width - 2)) - 1)
    }

    /// Writes the field Length at the width that it has.
    ///
    /// # Errors
    /// [`PacketError::TooLong`]; nothing was written.
    pub(super) fn set_length(self, packet: &mut [u8], length: usize) -> Result<(), PacketError> {
        let (width, number_at) = (self.length_width, self.number_at);
        let max = (1_u64 << (8 * width - 2)) - 1;
        if length as u64 > max {
            let max = number_at + usize::try_from(max).unwrap_or(usize::MAX - number_at);
            return Err(PacketError::TooLong { len: number_at + length, max });
        }
        let bits = (width.trailing_zeros() as u64) << (8 * width - 2);
        let bytes = (length as u64 | bits).to_be_bytes();
        packet[number_at - width..number_at].copy_from_slice(&bytes[8 - width..]);
        Ok(())
    }
}

/// The bytes of a header, read from the front.
struct Reader<'d> {
    bytes: &'d [u8],
    at: usize,
}

impl<'d> Reader<'d> {
    fn take(&mut self, len: usize) -> Result<&'d [u8], PacketError> {
        let min = self.at.saturating_add(len);
        let taken = self.bytes.get(self.at..min);
        let taken = taken.ok_or(PacketError::Runt { len: self.bytes.len(), min })?;
        self.at = min;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, PacketError> {
        Ok(self.take(1)?[0])
    }

    /// Reads an integer of 1, 2, 4 or 8 bytes (RFC 9000, 16), and returns its bytes' number too.
    fn integer(&mut self) -> Result<(u64, usize), PacketError> {
        let first = self.byte()?;
        let width = 1 << (first >> 6);
        let rest = self.take(width - 1)?;
        let first = u64::from(first & 0x3f);
        Ok((rest.iter().fold(first, |value, byte| value << 8 | u64::from(*byte)), width))
    }

    /// Reads as many bytes as an integer says.
    fn counted(&mut self) -> Result<&'d [u8], PacketError> {
        let (len, _) = self.integer()?;
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    fn connection_id(&mut self) -> Result<&'d [u8], PacketError> {
        let len = self.byte()?;
        if usize::from(len) > MAX_CONNECTION_ID {
            let field = "connection ID length";
            return Err(PacketError::Malformed { field, value: len.into() });
        }
        self.take(len.into())
    }
}

/// What the first packet of some bytes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketKind {
    /// A packet that is protected.
    Protected(PacketType),
    /// A Retry, which ends with a tag (see [`RetryIntegrity`](super::RetryIntegrity)).
    Retry,
    /// A Version Negotiation packet.
    VersionNegotiation,
    /// A packet with a long header of a version that is not known.
    OtherVersion,
}

/// The part of a packet's header that is not masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketHeader<'d> {
    /// What the packet is.
    pub kind: PacketKind,
    /// Where the packet is in its datagram.
    pub range: Range<usize>,
    /// The field Version of a long header.
    pub version: Option<u32>,
    /// The Destination Connection ID.
    pub destination: &'d [u8],
    /// The Source Connection ID of a long header.
    pub source: Option<&'d [u8]>,
    /// The token of an Initial packet; empty in others.
    pub token: &'d [u8],
}

/// Reads the header of the packet that `bytes` begin with; its range counts from there.
fn read<'d>(bytes: &'d [u8], id_len: usize) -> Result<(PacketHeader<'d>, Layout), PacketError> {
    let mut reader = Reader { bytes, at: 0 };
    let first = reader.byte()?;
    if first & LONG == 0 {
        let destination = reader.take(id_len)?;
        let kind = PacketKind::Protected(PacketType::OneRtt);
        let layout = Layout { number_at: reader.at, length_width: 0 };
        let range = 0..bytes.len();
        let header =
            PacketHeader { kind, range, version: None, destination, source: None, token: &[] };
        return Ok((header, layout));
    }
    let number = u32::from_be_bytes(reader.take(4)?.try_into().expect("4 bytes"));
    let version = QuicVersion::from_number(number);
    // Other versions may have longer connection IDs (RFC 8999).
    let id = |reader: &mut Reader<'d>| match version {
        Some(_) => reader.connection_id(),
        None => reader.byte().and_then(|len| reader.take(len.into())),
    };
    let (destination, source) = (id(&mut reader)?, id(&mut reader)?);
    let packet_type = version.map(|version| PacketType::from_bits(version, first >> 4 & 3));
    let kind = match packet_type {
        None if number == 0 => PacketKind::VersionNegotiation,
        None => PacketKind::OtherVersion,
        Some(None) => PacketKind::Retry,
        Some(Some(packet_type)) => PacketKind::Protected(packet_type),
    };
    let mut header = PacketHeader {
        kind,
        range: 0..bytes.len(),
        version: Some(number),
        destination,
        source: Some(source),
        token: &[],
    };
    let mut layout = Layout::default();
    if let PacketKind::Protected(packet_type) = kind {
        if packet_type == PacketType::Initial {
            header.token = reader.counted()?;
        }
        let (length, length_width) = reader.integer()?;
        layout = Layout { number_at: reader.at, length_width };
        let end = usize::try_from(length).ok().and_then(|length| reader.at.checked_add(length));
        header.range.end = end.unwrap_or(usize::MAX);
    }
    Ok((header, layout))
}

/// Finds the fields of a long header that its protection needs, and checks that it is of this
/// version and type.
#[cold]
pub(super) fn long_layout(
    packet: &[u8],
    version: QuicVersion,
    packet_type: PacketType,
) -> Result<Layout, PacketError> {
    let (header, layout) = read(packet, 0)?;
    match header.version {
        Some(number) if number == version.number() => {}
        Some(number) => {
            return Err(PacketError::Malformed { field: "version", value: number.into() });
        }
        None => {
            let field = "header form";
            return Err(PacketError::Malformed { field, value: 0 });
        }
    }
    if header.kind != PacketKind::Protected(packet_type) {
        let value = u64::from(packet[0] >> 4 & 3);
        return Err(PacketError::Malformed { field: "packet type", value });
    }
    Ok(layout)
}

/// Finds the fields of a short header with a connection ID of `id_len` bytes.
#[inline]
pub(super) fn short_layout(packet: &[u8], id_len: usize) -> Result<Layout, PacketError> {
    match packet.first() {
        None => Err(PacketError::Runt { len: 0, min: 1 + id_len }),
        Some(first) if first & LONG != 0 => {
            Err(PacketError::Malformed { field: "header form", value: 1 })
        }
        Some(_) => Ok(Layout { number_at: 1 + id_len, length_width: 0 }),
    }
}

/// Returns the packets of a datagram, each of which goes into a burst by itself. `id_len` is how
/// many bytes the connection IDs have that the receiver chose: short headers do not say it.
///
/// A packet with another Destination Connection ID than the datagram's first one is left out, as
/// RFC 9000, 12.2 asks.
///
/// ```
/// use broadloom_packets::quic::{PacketKind, PacketType, split};
///
/// let mut datagram = vec![0xe0, 0, 0, 0, 1, 1, 7, 0, 0x14]; // a Handshake packet of version 1
/// datagram.extend([0; 20]);
/// datagram.extend([0x40, 7]); // a 1-RTT packet
/// datagram.extend([0; 20]);
/// let packets: Vec<_> = split(&datagram, 1).collect::<Result<_, _>>()?;
/// assert_eq!(packets[0].kind, PacketKind::Protected(PacketType::Handshake));
/// assert_eq!((packets[0].range.clone(), packets[1].range.clone()), (0..29, 29..51));
/// # Ok::<(), broadloom_packets::PacketError>(())
/// ```
///
/// # Errors
/// The last item is an error if the rest of the datagram is no packet.
pub fn split(
    datagram: &[u8],
    id_len: usize,
) -> impl Iterator<Item = Result<PacketHeader<'_>, PacketError>> {
    Split { datagram, id_len, at: 0, first: None }
        .filter(|item| item.as_ref().map_or(true, |(_, belongs)| *belongs))
        .map(|item| item.map(|(header, _)| header))
}

/// The packets of a datagram, each with whether its connection ID is that of the first one.
struct Split<'d> {
    datagram: &'d [u8],
    id_len: usize,
    at: usize,
    first: Option<&'d [u8]>,
}

impl<'d> Iterator for Split<'d> {
    type Item = Result<(PacketHeader<'d>, bool), PacketError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.datagram[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (start, end) = (self.at, self.datagram.len());
        // Whatever follows an error cannot be found.
        self.at = end;
        let mut header = match read(rest, self.id_len) {
            Ok((header, _)) if header.range.end <= rest.len() => header,
            Ok((header, _)) => {
                let (len, min) = (rest.len(), header.range.end);
                return Some(Err(PacketError::Runt { len, min }));
            }
            Err(error) => return Some(Err(error)),
        };
        self.at = start + header.range.end;
        header.range = start..self.at;
        let belongs = *self.first.get_or_insert(header.destination) == header.destination;
        Some(Ok((header, belongs)))
    }
}
