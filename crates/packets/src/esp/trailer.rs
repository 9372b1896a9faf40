//! The trailer: padding, its length, and the next header (RFC 4303, 2.4 to 2.7).

use crate::error::PacketError;

/// Bytes of the pad length and the next header.
pub(super) const FIXED: usize = 2;

/// Returns the bytes of padding behind a payload. An alignment is a power of two.
#[inline]
pub(super) fn padding(payload: usize, alignment: usize) -> usize {
    // Not `next_multiple_of`, which would divide.
    (payload + FIXED).wrapping_neg() & (alignment - 1)
}

/// Writes padding 1, 2, 3 and so on, its length, and the next header.
#[inline]
pub(super) fn write(trailer: &mut [u8], next_header: u8) {
    let padding = trailer.len() - FIXED;
    for (at, byte) in trailer[..padding].iter_mut().enumerate() {
        *byte = at as u8 + 1;
    }
    trailer[padding] = padding as u8;
    trailer[padding + 1] = next_header;
}

/// Checks the trailer of an authentic text. Returns the length of the payload and the next header.
#[inline]
pub(super) fn read(text: &[u8]) -> Result<(usize, u8), PacketError> {
    let [before @ .., padding, next_header] = text else {
        return Err(PacketError::Runt { len: text.len(), min: FIXED });
    };
    let len = before.len().checked_sub(usize::from(*padding)).ok_or(PacketError::BadPadding)?;
    let is_counting = before[len..].iter().zip(1_u8..).all(|(byte, count)| *byte == count);
    match is_counting {
        true => Ok((len, *next_header)),
        false => Err(PacketError::BadPadding),
    }
}
