//! Records of DTLS 1.2 (RFC 6347) and DTLS 1.3 (RFC 9147).
//!
//! A flow is one connection after its handshake, which is not a part of this crate: it leaves keys
//! or secrets for each direction. Records carry an epoch and a number, may come in any order, and
//! pass once, as a replay window of the flow decides after they were authenticated. A record that
//! is refused changes nothing of its connection.
//!
//! A datagram may hold several records: [`record_len`] says where the first one ends, so that each
//! becomes a packet of a burst. [`connection_id`] finds the connection of a record that carries an
//! ID.
//!
//! - [`Dtls12Flow`] has one epoch. AES-GCM and AES-CCM take their nonces from the epoch and the
//!   number, which the record repeats (RFC 5288, 6655); ChaCha20-Poly1305 needs no copy (RFC 7905).
//!   AES-CBC has HMAC before the encryption (RFC 5246) or after it (RFC 7366). With connection IDs
//!   (RFC 9146), content types are encrypted, and records can be padded.
//! - [`Dtls13Flow`] has one epoch for writing and up to four for reading, which a record's epoch
//!   bits choose among. Record numbers are encrypted, in the same burst as the records.

mod header;
mod meta;
mod v12;
mod v13;

pub use crate::records::{CbcHmac, ContentType, MAX_CONTENT, RecordAead, RecordCipher, RecordKeys};
pub use header::{connection_id, record_len};
pub use meta::DtlsMeta;
pub use v12::{Dtls12Config, Dtls12Flow};
pub use v13::{Dtls13Config, Dtls13Flow};

/// The last number of a record: numbers have 48 bits.
const LAST: u64 = (1 << 48) - 1;

/// The longest connection ID, in bytes.
pub const MAX_CONNECTION_ID: usize = 255;
