//! The headers of IPv4 (RFC 791) and IPv6 (RFC 8200), as far as ESP reads and changes them.

use crate::error::PacketError;

/// The number of ESP as an IP protocol.
pub(super) const ESP: u8 = 50;
/// The number of IPv4 within another protocol.
pub(super) const IPV4: u8 = 4;
/// The number of IPv6 within another protocol.
pub(super) const IPV6: u8 = 41;
/// The number that says that nothing follows, by which dummy packets are known (RFC 4303, 2.6).
pub(super) const NO_NEXT_HEADER: u8 = 59;

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION_OPTIONS: u8 = 60;

/// Bytes of an IPv4 header without options.
pub(super) const V4_HEADER: usize = 20;
/// Bytes of an IPv6 header without extension headers.
pub(super) const V6_HEADER: usize = 40;

/// A version of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V4,
    V6,
}

/// The headers before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Headers {
    /// Bytes of the IP header and the extension headers.
    pub(super) len: usize,
    /// Where the number of the payload's protocol is.
    pub(super) next_at: usize,
}

fn field(packet: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([packet[at], packet[at + 1]])
}

fn malformed<T>(field: &'static str, value: impl Into<u64>) -> Result<T, PacketError> {
    Err(PacketError::Malformed { field, value: value.into() })
}

/// Returns the version of a packet of which all fixed fields of the header are there.
#[inline]
pub(super) fn version(packet: &[u8]) -> Result<Version, PacketError> {
    let len = packet.len();
    let (version, min) = match packet.first().map(|first| first >> 4) {
        None => return Err(PacketError::Runt { len, min: V4_HEADER }),
        Some(4) => (Version::V4, V4_HEADER),
        Some(6) => (Version::V6, V6_HEADER),
        Some(other) => return malformed("IP version", other),
    };
    match len < min {
        true => Err(PacketError::Runt { len, min }),
        false => Ok(version),
    }
}

/// Returns the length of a packet as its header says.
#[inline]
fn stated_len(packet: &[u8], version: Version) -> usize {
    match version {
        Version::V4 => field(packet, 2).into(),
        Version::V6 => V6_HEADER + usize::from(field(packet, 4)),
    }
}

/// Checks that a packet is as long as its header says, and returns its version.
#[inline]
pub(super) fn check(packet: &[u8]) -> Result<Version, PacketError> {
    let version = version(packet)?;
    let len = stated_len(packet, version);
    if len != packet.len() {
        let name = match version {
            Version::V4 => "IPv4 total length",
            Version::V6 => "IPv6 length with the header",
        };
        return malformed(name, len as u64);
    }
    Ok(version)
}

/// Returns the length of the packet at the beginning of the text of a tunnel, which may be followed
/// by padding, after it was checked against the next header.
#[inline]
pub(super) fn inner_len(text: &[u8], next_header: u8) -> Result<usize, PacketError> {
    let expected = match next_header {
        IPV4 => Version::V4,
        IPV6 => Version::V6,
        other => return malformed("next header", other),
    };
    let version = version(text)?;
    if version != expected {
        return malformed("IP version", text[0] >> 4);
    }
    let (len, min) = match version {
        Version::V4 => (stated_len(text, version), V4_HEADER),
        Version::V6 => (stated_len(text, version), V6_HEADER),
    };
    if !(min..=text.len()).contains(&len) {
        return malformed("length of the inner packet", len as u64);
    }
    Ok(len)
}

/// Returns the headers of IPv4 before the payload.
#[inline]
fn v4_headers(packet: &[u8]) -> Result<Headers, PacketError> {
    let len = usize::from(packet[0] & 15) * 4;
    if !(V4_HEADER..=packet.len()).contains(&len) {
        return malformed("IPv4 header length", len as u64);
    }
    // More fragments follow, or this is not the first.
    if field(packet, 6) & 0x3fff != 0 {
        return Err(PacketError::Fragment);
    }
    Ok(Headers { len, next_at: 9 })
}

/// Returns the headers of IPv6 up to the first for which `stays` returns `false`. It gets the
/// number of the header, and the number of what follows that header.
#[inline]
fn v6_headers(
    packet: &[u8],
    stays: impl Fn(u8, Option<u8>) -> bool,
) -> Result<Headers, PacketError> {
    let mut headers = Headers { len: V6_HEADER, next_at: 6 };
    loop {
        let next = packet[headers.next_at];
        if next == FRAGMENT {
            return Err(PacketError::Fragment);
        }
        if !stays(next, packet.get(headers.len).copied()) {
            return Ok(headers);
        }
        let units = packet.get(headers.len + 1).copied().unwrap_or(0);
        let end = headers.len + 8 * (usize::from(units) + 1);
        if packet.len() < end {
            return Err(PacketError::Runt { len: packet.len(), min: end });
        }
        headers = Headers { len: end, next_at: headers.len };
    }
}

/// Returns the headers of a packet that stay before ESP in transport mode (RFC 4303, 3.1.1): those
/// for nodes on the way. Destination options stay if a routing header follows them.
///
/// # Errors
/// The packet is a fragment, or its lengths are wrong.
#[inline]
pub(super) fn headers_before_payload(packet: &[u8]) -> Result<Headers, PacketError> {
    match check(packet)? {
        Version::V4 => v4_headers(packet),
        Version::V6 => v6_headers(packet, |header, following| match header {
            HOP_BY_HOP | ROUTING => true,
            DESTINATION_OPTIONS => following == Some(ROUTING),
            _ => false,
        }),
    }
}

/// Returns the headers of a packet before the payload of protocol `expected`.
///
/// # Errors
/// The packet is a fragment, has another payload, or its lengths or its checksum are wrong.
#[inline]
pub(super) fn headers_before(packet: &[u8], expected: u8) -> Result<Headers, PacketError> {
    let headers = match check(packet)? {
        Version::V4 => {
            let headers = v4_headers(packet)?;
            let sum = checksum(&packet[..headers.len]);
            if sum != 0 {
                return malformed("IPv4 header checksum", field(packet, 10));
            }
            headers
        }
        Version::V6 => v6_headers(packet, |header, _| {
            matches!(header, HOP_BY_HOP | ROUTING | DESTINATION_OPTIONS)
        })?,
    };
    match packet[headers.next_at] {
        next if next == expected => Ok(headers),
        next => malformed("IP protocol", next),
    }
}

/// Returns the sum of big-endian words, folded to 16 bits (RFC 1071).
#[inline]
pub(super) fn sum(bytes: &[u8], start: u64) -> u16 {
    let mut words = bytes.chunks_exact(4);
    let mut total = start;
    for word in &mut words {
        total += u64::from(u32::from_be_bytes(word.try_into().expect("4 bytes")));
    }
    let mut last = [0; 4];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    total += u64::from(u32::from_be_bytes(last));
    while total > 0xffff {
        total = (total >> 16) + (total & 0xffff);
    }
    total as u16
}

/// Returns the checksum of a header whose checksum is zero; 0 for one with the right checksum.
#[inline]
pub(super) fn checksum(header: &[u8]) -> u16 {
    !sum(header, 0)
}

/// Writes the length of a packet and its payload's protocol into its headers, and the checksum of
/// IPv4.
#[inline]
pub(super) fn set_payload(packet: &mut [u8], headers: Headers, next: u8, len: usize) {
    packet[headers.next_at] = next;
    if packet[0] >> 4 == 4 {
        packet[2..4].copy_from_slice(&(len as u16).to_be_bytes());
        packet[10..12].fill(0);
        let sum = checksum(&packet[..headers.len]);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        packet[4..6].copy_from_slice(&((len - V6_HEADER) as u16).to_be_bytes());
    }
}

/// Computes the checksum of a UDP datagram in IPv6, which must have one (RFC 8200, 8.1).
pub(super) fn set_v6_udp_checksum(packet: &mut [u8], headers: Headers) {
    let datagram = headers.len..packet.len();
    packet[datagram.start + 6..datagram.start + 8].fill(0);
    let pseudo = u64::from(super::udp::PROTOCOL) + datagram.len() as u64;
    let addresses = sum(&packet[8..V6_HEADER], pseudo);
    let sum = match !sum(&packet[datagram.clone()], addresses.into()) {
        0 => 0xffff,
        sum => sum,
    };
    packet[datagram.start + 6..datagram.start + 8].copy_from_slice(&sum.to_be_bytes());
}

/// Returns the traffic class of a packet: the DSCP, and the two bits of ECN.
#[inline]
pub(super) fn traffic_class(packet: &[u8]) -> u8 {
    match packet[0] >> 4 {
        4 => packet[1],
        _ => packet[0] << 4 | packet[1] >> 4,
    }
}

/// Replaces the two bits of ECN of a packet, and keeps the checksum of IPv4 right.
fn set_ecn(packet: &mut [u8], ecn: u8) {
    if packet[0] >> 4 == 4 {
        let before = field(packet, 0);
        packet[1] = packet[1] & !3 | ecn;
        let after = field(packet, 0);
        // RFC 1624, equation 3.
        let parts = [!field(packet, 10), !before, after].map(u64::from);
        let sum = !sum(&[], parts.iter().sum());
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        packet[1] = packet[1] & !0x30 | ecn << 4;
    }
}

/// Merges the congestion that the outer header reports into the inner packet (RFC 6040, 4.2).
///
/// # Errors
/// The outer header reports congestion to an inner packet whose ends do not know of it: it has to
/// be dropped.
#[inline]
pub(super) fn merge_ecn(inner: &mut [u8], outer: u8) -> Result<(), PacketError> {
    const CONGESTED: u8 = 3;
    let own = traffic_class(inner) & 3;
    match (own, outer & 3) {
        (0, CONGESTED) => malformed("ECN of the outer header", CONGESTED),
        (1 | 2, CONGESTED) => {
            set_ecn(inner, CONGESTED);
            Ok(())
        }
        (2, 1) => {
            set_ecn(inner, 1);
            Ok(())
        }
        _ => Ok(()),
    }
}
