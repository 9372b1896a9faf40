//! Headers of records.

use crate::error::PacketError;
use crate::records::ContentType;

/// Bytes of a header of DTLS 1.2 without a connection ID: type, version, epoch, number, length.
pub(super) const HEADER_12: usize = 13;

/// The version in a header of DTLS 1.2: 1.2, in ones' complement.
pub(super) const VERSION_12: [u8; 2] = [254, 253];

/// A header of DTLS 1.3 (RFC 9147, 4), as its first byte describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unified(pub(super) u8);

impl Unified {
    const CONNECTION_ID: u8 = 0x10;
    const LONG_NUMBER: u8 = 0x08;
    const LENGTH: u8 = 0x04;
    const EPOCH: u8 = 0x03;

    /// Returns the first byte of a header.
    pub(super) fn new(has_id: bool, is_long: bool, has_length: bool, epoch: u64) -> Self {
        let bit = |is_set: bool, bit| if is_set { bit } else { 0 };
        Unified(
            0x20 | bit(has_id, Unified::CONNECTION_ID)
                | bit(is_long, Unified::LONG_NUMBER)
                | bit(has_length, Unified::LENGTH)
                | (epoch as u8 & Unified::EPOCH),
        )
    }

    /// Reads the first byte of a record.
    ///
    /// # Errors
    /// It is not that of DTLS 1.3.
    pub(super) fn read(first: u8) -> Result<Self, PacketError> {
        match first >> 5 == 1 {
            true => Ok(Unified(first)),
            false => Err(PacketError::Malformed { field: "unified header", value: first.into() }),
        }
    }

    pub(super) fn has_id(self) -> bool {
        self.0 & Unified::CONNECTION_ID != 0
    }

    pub(super) fn has_length(self) -> bool {
        self.0 & Unified::LENGTH != 0
    }

    /// Returns the lowest two bits of the epoch.
    pub(super) fn epoch_bits(self) -> usize {
        usize::from(self.0 & Unified::EPOCH)
    }

    /// Returns the bytes of the number, 1 or 2.
    pub(super) fn number_len(self) -> usize {
        if self.0 & Unified::LONG_NUMBER != 0 { 2 } else { 1 }
    }

    /// Returns the bytes of the header.
    pub(super) fn len(self, id_len: usize) -> usize {
        let id = if self.has_id() { id_len } else { 0 };
        1 + id + self.number_len() + if self.has_length() { 2 } else { 0 }
    }
}

/// Returns the bytes of the record at the beginning of a datagram, with its header, as the header
/// says; a record of DTLS 1.3 without a length goes to the datagram's end. `id_len` is the length
/// of the connection IDs that this side of the connection gave out, 0 if it has none. Returns
/// `None` if the header is not complete.
///
/// ```
/// use broadloom_packets::dtls::record_len;
///
/// let record = [23, 254, 253, 0, 1, 0, 0, 0, 0, 0, 7, 0x01, 0x02, 0xaa];
/// assert_eq!(record_len(&record, 0), Some(13 + 0x102));
/// assert_eq!(record_len(&[0x2e, 0x12, 0x34, 0, 20, 0xaa], 0), Some(5 + 20));
/// assert_eq!(record_len(&[0x2a, 0x12, 0x34, 7, 8, 9], 0), Some(6));
/// assert_eq!(record_len(&[0x2e, 0x12], 0), None);
/// ```
pub fn record_len(datagram: &[u8], id_len: usize) -> Option<usize> {
    let first = *datagram.first()?;
    let header = match Unified::read(first) {
        Ok(unified) if !unified.has_length() => return Some(datagram.len()),
        Ok(unified) => unified.len(id_len),
        Err(_) if ContentType(first) == ContentType::TLS12_CID => HEADER_12 + id_len,
        Err(_) => HEADER_12,
    };
    let len = datagram.get(header - 2..header)?;
    Some(header + usize::from(u16::from_be_bytes([len[0], len[1]])))
}

/// Returns the connection ID of `id_len` bytes that a record of DTLS 1.2 or 1.3 carries; `None` if
/// it carries none.
///
/// ```
/// use broadloom_packets::dtls::connection_id;
///
/// assert_eq!(connection_id(&[0x3e, 0xaa, 0xbb, 0x12, 0x34, 0, 20], 2), Some(&[0xaa, 0xbb][..]));
/// assert_eq!(connection_id(&[0x2e, 0x12, 0x34, 0, 20], 2), None);
/// ```
pub fn connection_id(record: &[u8], id_len: usize) -> Option<&[u8]> {
    let first = *record.first()?;
    let at = match Unified::read(first) {
        Ok(unified) if unified.has_id() => 1,
        Err(_) if ContentType(first) == ContentType::TLS12_CID => HEADER_12 - 2,
        _ => return None,
    };
    record.get(at..at + id_len)
}

/// Checks that a record has this connection ID.
pub(super) fn check_id(found: &[u8], own: &[u8]) -> Result<(), PacketError> {
    if found == own {
        return Ok(());
    }
    let mut first = [0; 8];
    let len = found.len().min(8);
    first[8 - len..].copy_from_slice(&found[..len]);
    Err(PacketError::WrongFlow { found: u64::from_be_bytes(first) })
}
