//! ESP in UDP (RFC 3948).

use super::config::UdpPorts;
use crate::error::PacketError;

/// Bytes of a UDP header.
pub(super) const HEADER: usize = 8;

/// The number of UDP as an IP protocol.
pub(super) const PROTOCOL: u8 = 17;

/// Writes a header without a checksum, for a datagram whose length includes the header.
#[inline]
pub(super) fn write(header: &mut [u8], ports: UdpPorts, len: usize) {
    header[..2].copy_from_slice(&ports.source.to_be_bytes());
    header[2..4].copy_from_slice(&ports.destination.to_be_bytes());
    header[4..6].copy_from_slice(&(len as u16).to_be_bytes());
    header[6..8].fill(0);
}

/// Checks the ports and the length of a datagram, and that it carries ESP.
///
/// The checksum is not looked at (RFC 3948, 2.1): the ESP packet is authenticated.
#[inline]
pub(super) fn check(datagram: &[u8], ports: UdpPorts) -> Result<(), PacketError> {
    if datagram.len() < HEADER {
        return Err(PacketError::Runt { len: datagram.len(), min: HEADER });
    }
    let field = |at: usize| u16::from_be_bytes([datagram[at], datagram[at + 1]]);
    let wrong = |field, value: u16| Err(PacketError::Malformed { field, value: value.into() });
    let (source, destination, len) = (field(0), field(2), field(4));
    if ports.destination != 0 && destination != ports.destination {
        return wrong("UDP destination port", destination);
    }
    if ports.source != 0 && source != ports.source {
        return wrong("UDP source port", source);
    }
    if usize::from(len) != datagram.len() {
        return wrong("UDP length", len);
    }
    match &datagram[HEADER..] {
        [0xff] => Err(PacketError::Malformed { field: "NAT keepalive", value: 0xff }),
        [0, 0, 0, 0, ..] => Err(PacketError::Malformed { field: "non-ESP marker", value: 0 }),
        _ => Ok(()),
    }
}
