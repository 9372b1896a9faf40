//! What SRTP has to know of the headers of RTP (RFC 3550) and RTCP.

use std::ops::Range;

use crate::error::PacketError;

/// Bytes of an RTP header without contributing sources and extension.
pub(super) const FIXED: usize = 12;

/// Bytes of an RTCP header, with the sender's SSRC: SRTCP never encrypts them.
pub(super) const RTCP_FIXED: usize = 8;

/// The fields of an RTP header that SRTP uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub ssrc: u32,
    pub sequence: u16,
    /// Where the contributing sources end, from the beginning of the packet.
    pub sources_end: usize,
    /// The content of the header extension, from the beginning of the packet. The four bytes before
    /// it are the extension's own header.
    pub extension: Option<Range<usize>>,
    /// Where the payload begins, from the beginning of the packet.
    pub len: usize,
}

/// Returns two bytes of a packet as a number.
#[inline]
pub(super) fn u16_at(packet: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([packet[at], packet[at + 1]])
}

/// Returns four bytes of a packet as a number.
#[inline]
pub(super) fn u32_at(packet: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(packet[at..at + 4].try_into().expect("4 bytes"))
}

/// Checks that a packet is long enough.
#[inline]
pub(super) fn has_at_least(packet: &[u8], min: usize) -> Result<(), PacketError> {
    match packet.len() < min {
        true => Err(PacketError::Runt { len: packet.len(), min }),
        false => Ok(()),
    }
}

/// Checks the version, which RTP and RTCP have in the same place.
#[inline]
pub(super) fn check_version(packet: &[u8]) -> Result<(), PacketError> {
    match packet[0] >> 6 {
        2 => Ok(()),
        version => Err(PacketError::Malformed { field: "V", value: version.into() }),
    }
}

impl Header {
    /// Reads the header of an RTP packet that has `trailer` bytes behind its payload.
    #[inline]
    pub fn read(packet: &[u8], trailer: usize) -> Result<Header, PacketError> {
        has_at_least(packet, FIXED + trailer)?;
        check_version(packet)?;
        let sources_end = FIXED + 4 * usize::from(packet[0] & 0x0f);
        let has_extension = packet[0] & 0x10 != 0;
        let mut header = Header {
            ssrc: u32_at(packet, 8),
            sequence: u16_at(packet, 2),
            sources_end,
            extension: None,
            len: sources_end,
        };
        if has_extension {
            let start = sources_end + 4;
            has_at_least(packet, start + trailer)?;
            header.len = start + 4 * usize::from(u16_at(packet, start - 2));
            header.extension = Some(start..header.len);
        }
        has_at_least(packet, header.len + trailer)?;
        Ok(header)
    }
}

/// Returns `true` if a packet is RTCP where both come to one port: its second byte is 192 to 223
/// (RFC 5761, section 4).
pub fn is_rtcp(packet: &[u8]) -> bool {
    packet.get(1).is_some_and(|kind| (192..=223).contains(kind))
}

/// Returns the SSRC of an RTP or an RTCP packet, protected or not, by which its stream is found;
/// `None` if the packet is too short to have one.
pub fn ssrc(packet: &[u8]) -> Option<u32> {
    let at = if is_rtcp(packet) { 4 } else { 8 };
    packet.get(at..at + 4).map(|bytes| u32_at(bytes, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_begins_behind_sources_and_extension() {
        let mut packet = [0_u8; 40];
        packet[0] = 0x92;
        packet[3] = 7;
        packet[11] = 9;
        packet[23] = 2;
        let header = Header::read(&packet, 8).expect("it is whole");
        let expected =
            Header { ssrc: 9, sequence: 7, sources_end: 20, extension: Some(24..32), len: 32 };
        assert_eq!(header, expected);
        let short = Header::read(&packet, 9).unwrap_err();
        assert_eq!(short, PacketError::Runt { len: 40, min: 41 });
        packet[0] = 0x52;
        let version = Header::read(&packet, 0).unwrap_err();
        assert_eq!(version, PacketError::Malformed { field: "V", value: 1 });
    }

    #[test]
    fn the_source_is_that_of_either_protocol() {
        assert_eq!(ssrc(&[0x80, 96, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]), Some(0x0102_0304));
        assert_eq!(ssrc(&[0x80, 200, 0, 6, 1, 2, 3, 4]), Some(0x0102_0304));
        assert_eq!(ssrc(&[0x80, 96, 0, 1, 0, 0, 0, 0]), None);
        assert!(!is_rtcp(&[0x80, 191]) && !is_rtcp(&[0x80, 224]) && !is_rtcp(&[0x80]));
    }
}
