//! IPsec ESP (RFC 4303): the data path of a gateway or a host.
//!
//! An [`EspFlow`] is one direction of a security association, whose keys come from a key exchange
//! such as IKEv2, which is not a part of this crate. Its [`EspConfig`] has the [`EspAlgorithm`],
//! the keys, the SPI and the [`Mode`]: payloads alone, transport mode, or a tunnel. The packets of
//! a burst may belong to any number of flows with different algorithms and modes; [`spi`] finds the
//! number by which a [`Flows`](crate::Flows) table knows the flow of a packet that came in.
//!
//! ```
//! # let mut registry = broadloom_engine::Registry::new();
//! # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
//! use broadloom_packets::esp::{EspConfig, EspFlow, EspKeys, EspMeta};
//! use broadloom_packets::{Packet, PacketError, PacketProcessor};
//!
//! let keys = EspKeys { key: &[7; 16], salt: &[8; 4], integrity: &[] };
//! let config = EspConfig {
//!     extended: true,
//!     ..EspConfig::new("esp-aes-128-gcm".parse()?, keys, 0x1234)
//! };
//! let ours = EspFlow::outbound(&registry, &config)?;
//! let theirs = EspFlow::inbound(&registry, &config)?;
//!
//! let (head, tail) = ours.room();
//! let mut buffer = vec![0; head + 4 + tail];
//! buffer[head..head + 4].copy_from_slice(b"text");
//! let packet = Packet::new(&ours, buffer, head..head + 4).with_meta(EspMeta::payload(17));
//! let mut sent = [packet];
//! let mut processor = PacketProcessor::new();
//! assert_eq!(processor.protect_burst(&mut sent).succeeded, 1);
//! assert_eq!(sent[0].bytes().len(), 8 + 8 + 4 + 4 + 16, "header, IV, text, trailer, tag");
//!
//! let received = sent[0].bytes().to_vec();
//! let len = received.len();
//! // The second packet is a copy, as an attacker would send it again.
//! let mut packets = [received.clone(), received].map(|one| Packet::new(&theirs, one, 0..len));
//! processor.unprotect_burst(&mut packets);
//! assert_eq!((packets[0].bytes(), packets[0].meta().next_header), (&b"text"[..], 17));
//! assert_eq!(packets[1].status(), Some(Err(PacketError::Replay { number: 1 })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is the caller's:
//!
//! - to choose the flow (the policy), to forward packets and to decrement their hop limits;
//! - to reassemble fragments before they are unprotected, and to keep packets below the path's MTU;
//! - to replace a flow before [`SequenceCycled`](crate::PacketError::SequenceCycled) and after the
//!   lifetime that its key exchange set;
//! - the IVs, if [`EspConfig::takes_ivs`] says so;
//! - in transport mode behind address translation, to repair the checksums of TCP and UDP
//!   (RFC 3948, 3.1.2);
//! - in [`Mode::Payload`] over UDP sockets, to recognise keepalives, which [`payload_spi`] does.
//!
//! With extended sequence numbers the high half is inferred from the replay window (RFC 4303,
//! appendix A2). A flow that loses 2^32 packets in a row does not find it again and needs new keys.

mod algorithm;
mod config;
mod flow;
mod ip;
mod outer;
mod sequence;
mod suite;
mod trailer;
mod udp;

pub use algorithm::{EspAlgorithm, EspHash};
pub use config::{EspConfig, EspKeys, Mode, Tunnel, UdpPorts};
pub use flow::{EspFlow, EspMeta, payload_spi, spi};

/// The port of ESP in UDP (RFC 3948).
pub const UDP_PORT: u16 = 4500;
