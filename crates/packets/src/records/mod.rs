//! What the records of TLS and DTLS have in common: suites, keys, content types.

mod cbc;
mod expand;
mod inner;
mod keys;
mod padded_mac;
mod suite;

use crate::error::PacketError;

pub(crate) use cbc::{CbcRead, CbcWrite, MacHeader};
pub(crate) use expand::expand_label;
pub(crate) use inner::{Inner, append_inner};
pub use keys::RecordKeys;
pub(crate) use keys::{Numbers, Side, Use};
pub use suite::{CbcHmac, RecordAead, RecordCipher, RecordSuite, RecordVersion};

/// The most bytes of content in one record (RFC 8446, 5.1).
pub const MAX_CONTENT: usize = 1 << 14;

/// The content type of a record (RFC 8446, appendix B.1), as its byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentType(pub u8);

impl ContentType {
    /// A change of ciphers; TLS 1.3 sends it unprotected, for middleboxes alone.
    pub const CHANGE_CIPHER_SPEC: ContentType = ContentType(20);
    /// An alert.
    pub const ALERT: ContentType = ContentType(21);
    /// Handshake messages, also those after the handshake, such as tickets and key updates.
    pub const HANDSHAKE: ContentType = ContentType(22);
    /// Data of the application.
    pub const APPLICATION_DATA: ContentType = ContentType(23);
    /// An acknowledgement of DTLS 1.3 (RFC 9147, 7).
    pub const ACK: ContentType = ContentType(26);
    /// The outer type of a DTLS 1.2 record with a connection ID (RFC 9146).
    pub const TLS12_CID: ContentType = ContentType(25);

    /// Checks that a record of this type may have `len` bytes of content.
    ///
    /// # Errors
    /// The content is too long, or it is an empty alert or handshake message, which RFC 8446, 5.1
    /// forbids.
    #[inline]
    pub(crate) fn check_content(self, len: usize) -> Result<(), PacketError> {
        if len > MAX_CONTENT {
            return Err(PacketError::TooLong { len, max: MAX_CONTENT });
        }
        let needs_content = matches!(self, ContentType::ALERT | ContentType::HANDSHAKE);
        match needs_content && len == 0 {
            true => Err(PacketError::Malformed { field: "content length", value: 0 }),
            false => Ok(()),
        }
    }
}

/// Application data, which most records carry.
impl Default for ContentType {
    fn default() -> Self {
        ContentType::APPLICATION_DATA
    }
}
