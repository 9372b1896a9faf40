//! Records of TLS 1.3 (RFC 8446, section 5) and TLS 1.2 (RFC 5246, section 6.2).
//!
//! A flow is one connection after its handshake: the handshake, which is not a part of this crate,
//! leaves a traffic secret or a key for each direction.
//!
//! # Order
//!
//! TLS runs over a stream: its records have no numbers on the wire, and come in order. So the
//! packets of a connection are given in their order, from one thread at a time. Several records of
//! a connection may be in one burst, as may records of any number of connections.
//!
//! A flow gives each record its number when the burst is planned, and delivers a record only if all
//! records before it were delivered. A record that is refused ends the direction in which it came,
//! as the protocol demands: later records of that connection, in the same burst or after it, are
//! refused with [`PacketError::Ended`](crate::PacketError::Ended), and those that were decrypted
//! already are wiped. Other connections go on.
//!
//! With [`PacketWorkers`](crate::PacketWorkers) one thread must get all records of a connection: it
//! has bursts of its own ([`on_each`](crate::PacketWorkers::on_each)), which nobody divides.
//!
//! # Key updates
//!
//! A `KeyUpdate` message of TLS 1.3 changes the key for all records that follow it, and it is
//! itself encrypted. A flow therefore decrypts no record in the same burst behind one that is as
//! long as a `KeyUpdate` without padding, 5 bytes of content. Those behind it come back untouched
//! with [`PacketError::Deferred`](crate::PacketError::Deferred), and are given again in the next
//! burst, after [`update_read`](Tls13Flow::update_read) if the record was a `KeyUpdate`:
//! [`Tls13Flow::awaits_update`] says so. No known implementation pads a `KeyUpdate`; a burst with
//! records behind a padded one ends the connection, so whoever expects that gives one record of a
//! connection in each burst.

mod order;
mod v12;
mod v13;

pub use crate::records::{CbcHmac, ContentType, MAX_CONTENT, RecordAead, RecordCipher, RecordKeys};
pub use v12::{Tls12Config, Tls12Flow};
pub use v13::{RecordMeta, Tls13Config, Tls13Flow};

/// Bytes of a record's header: its type, a version, and its length.
pub const HEADER: usize = 5;

/// Returns the length of the record at the beginning of received bytes, with its header, as the
/// header says; `None` if the header is not complete.
///
/// ```
/// use broadloom_packets::tls::record_len;
///
/// assert_eq!(record_len(&[23, 3, 3, 0x01, 0x02, 0xaa]), Some(5 + 0x102));
/// assert_eq!(record_len(&[23, 3, 3, 1]), None);
/// ```
pub fn record_len(received: &[u8]) -> Option<usize> {
    let len = [*received.get(3)?, *received.get(4)?];
    Some(HEADER + usize::from(u16::from_be_bytes(len)))
}
