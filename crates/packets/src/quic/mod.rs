//! QUIC packets, versions 1 and 2 (RFC 9001, RFC 9369).
//!
//! The handshake is TLS 1.3 and is not a part of this crate. A QUIC stack gets traffic secrets from
//! it, and opens a [`QuicFlow`] for each type of packets of a connection: Initial (whose secrets
//! follow from a connection ID), Handshake, 1-RTT, and 0-RTT if it is used. Bursts may mix the
//! flows of any number of connections.
//!
//! **To protect a packet**, write it as it is to be before protection:
//!
//! - The header is complete. The lowest two bits of its first byte are the bytes of the packet
//!   number less one ([`number_len`] says how many are needed), and the reserved bits are zero.
//! - The bytes of the packet number may have any value: the flow writes the number there. So does
//!   it with the key phase.
//! - The field Length of a long header may have any value, too, and the flow writes the length at
//!   the width that the field has: `[0x40, 0]` is a field of two bytes, for up to 16,383.
//! - The payload follows. Number and payload together have at least 4 bytes, which a stack gets by
//!   PADDING frames. There are 16 bytes of room behind them, for the tag.
//!
//! **To unprotect a datagram**, [`split`] it into packets, find the connection of each by its
//! Destination Connection ID, and put each packet with its flow into the burst. What comes out is
//! the payload; [`QuicMeta`] has the packet number and the key phase. A packet that is refused has
//! its header as it was, still masked.
//!
//! A packet with a repeated number is refused after it was authenticated and not before: else the
//! time would tell what was under the mask (RFC 9001, 9.5). For the same reason, the keys of the
//! next key phase are derived before any packet asks for them.
//!
//! ```
//! # let mut registry = broadloom_engine::Registry::new();
//! # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
//! use broadloom_packets::quic::{
//!     PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion,
//! };
//! use broadloom_packets::{Packet, PacketProcessor};
//!
//! let config = QuicConfig::new(QuicSuite::Aes128Gcm, QuicVersion::V1, PacketType::OneRtt);
//! let (client, server) = ([1; 32], [2; 32]); // the traffic secrets, from TLS
//! let ours = QuicFlow::new(&registry, &config, QuicSecrets::both(&client, &server))?;
//! let theirs = QuicFlow::new(&registry, &config, QuicSecrets::both(&server, &client))?;
//!
//! // A short header: one byte of packet number, and a connection ID of 8 bytes.
//! let mut buffer = vec![0x40, 8, 8, 8, 8, 8, 8, 8, 8, 0];
//! buffer.extend(b"some frames");
//! let end = buffer.len();
//! buffer.resize(end + 16, 0); // room for the tag
//!
//! let mut processor = PacketProcessor::new();
//! let mut packets = [Packet::new(&ours, buffer, 0..end)];
//! processor.protect_burst(&mut packets);
//! let sent = packets[0].bytes().to_vec();
//!
//! let range = 0..sent.len();
//! let mut packets = [Packet::new(&theirs, sent, range)];
//! processor.unprotect_burst(&mut packets);
//! assert_eq!((packets[0].bytes(), packets[0].meta().number), (&b"some frames"[..], 0));
//! # Ok::<(), broadloom_packets::FlowError>(())
//! ```
//!
//! # Key updates
//!
//! Each end may update its keys (RFC 9001, 6). A flow answers a packet of the next key phase with
//! the next keys, and notes whether it is authentic. Between bursts, the stack follows:
//!
//! ```
//! # use broadloom_engine::Registry;
//! # use broadloom_packets::{FlowError, quic::QuicFlow};
//! # fn follow(registry: &Registry, mut flow: QuicFlow) -> Result<(), FlowError> {
//! if flow.peer_has_updated() {
//!     flow = flow.updated(registry)?;
//! }
//! // Three times the probe timeout later: late packets are no longer awaited.
//! flow = flow.without_previous_keys();
//! # let _ = flow;
//! # Ok(())
//! # }
//! ```
//!
//! A flow whose key has protected as many packets as its suite allows refuses to protect another
//! one, until the keys are updated. After too many packets that were not authentic it refuses all,
//! and the stack has to close the connection.

mod flow;
mod header;
mod keys;
mod number;
mod retry;
mod secrets;
mod suite;

pub use flow::{Numbers, QuicConfig, QuicFlow, QuicMeta, QuicSecrets, Side, TAG};
pub use header::{MAX_CONNECTION_ID, PacketHeader, PacketKind, PacketType, split};
pub use number::{MAX_NUMBER, number_len};
pub use retry::RetryIntegrity;
pub use secrets::InitialSecrets;
pub use suite::{QuicSuite, QuicVersion};
