//! Headers that are encrypted as a whole: Cryptex (RFC 9335).
//!
//! The sources and the content of the header extension are encrypted together with the payload. The
//! extension's own header, which stands between both, is not. So it is moved before the sources
//! while the packet is encrypted or decrypted.

use super::elements::Form;
use super::header::{FIXED, Header, u16_at};
use super::meta::Progress;
use crate::error::PacketError;
use crate::frame::Frame;

/// Bytes of the header of a header extension.
pub(super) const HEADER: usize = 4;

/// Where encryption begins, once the extension's header stands before the sources.
pub(super) const TEXT: usize = FIXED + HEADER;

/// The flag X of RTP: the packet has a header extension.
const EXTENSION: u8 = 0x10;

/// What the field "defined by profile" says of encrypted elements of either form.
const ONE_BYTE: u16 = 0xc0de;
const TWO_BYTES: u16 = 0xc2de;

/// Returns the field "defined by profile" of a packet's header extension.
fn profile(packet: &[u8], header: &Header) -> Option<u16> {
    header.extension.as_ref().map(|content| u16_at(packet, content.start - HEADER))
}

fn set_profile(packet: &mut [u8], header: &Header, profile: u16) {
    let at = header.sources_end;
    packet[at..at + 2].copy_from_slice(&profile.to_be_bytes());
}

/// Returns `true` if a packet that is to be sent has something to encrypt in its header: elements
/// of an extension, or sources without an extension of another kind.
pub(super) fn protects(packet: &[u8], header: &Header) -> bool {
    match profile(packet, header) {
        Some(profile) => Form::of(profile).is_some(),
        None => header.sources_end > FIXED,
    }
}

/// Returns `true` if a packet says that its header is encrypted.
pub(super) fn is_marked(packet: &[u8], header: &Header) -> bool {
    matches!(profile(packet, header), Some(ONE_BYTE | TWO_BYTES))
}

/// Adds an empty header extension, which grows into the room before the packet.
pub(super) fn extend(frame: &mut Frame<'_>, header: &Header) -> Result<(), PacketError> {
    frame.prepend(HEADER)?;
    let packet = frame.bytes_mut();
    packet.copy_within(HEADER..HEADER + header.sources_end, 0);
    packet[0] |= EXTENSION;
    packet[header.sources_end..][..HEADER].copy_from_slice(&[0xbe, 0xde, 0, 0]);
    Ok(())
}

/// Takes the header extension away that [`extend`] added. The frame keeps its range.
pub(super) fn shorten(frame: &mut Frame<'_>, header: &Header, progress: &Progress) {
    if progress.is_extended {
        let packet = frame.bytes_mut();
        packet[0] &= !EXTENSION;
        packet.copy_within(0..header.sources_end, HEADER);
    }
}

/// Says that the header is encrypted. The four bits of elements with two bytes that belong to the
/// application are not sent.
pub(super) fn mark(packet: &mut [u8], header: &Header) {
    match profile(packet, header).and_then(Form::of) {
        Some(Form::OneByte) => set_profile(packet, header, ONE_BYTE),
        Some(Form::TwoBytes) => set_profile(packet, header, TWO_BYTES),
        None => {}
    }
}

/// Says that the header is not encrypted.
pub(super) fn unmark(packet: &mut [u8], header: &Header) {
    match profile(packet, header) {
        Some(ONE_BYTE) => set_profile(packet, header, 0xbede),
        Some(TWO_BYTES) => set_profile(packet, header, 0x1000),
        _ => {}
    }
}

/// Moves the extension's header before the sources, which end at `sources_end`.
pub(super) fn rotate(packet: &mut [u8], sources_end: usize, progress: &mut Progress) {
    packet[FIXED..sources_end + HEADER].rotate_right(HEADER);
    progress.is_rotated = true;
}

/// Moves the extension's header back behind the sources, if it was moved.
#[inline]
pub(super) fn rotate_back(packet: &mut [u8], progress: &mut Progress) {
    if progress.is_rotated {
        let sources_end = FIXED + 4 * usize::from(packet[0] & 0x0f);
        packet[FIXED..sources_end + HEADER].rotate_left(HEADER);
        progress.is_rotated = false;
    }
}
