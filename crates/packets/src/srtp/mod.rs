//! SRTP and SRTCP (RFC 3711), with AES-GCM (RFC 7714), longer keys (RFC 6188), and encrypted
//! headers (RFC 6904, RFC 9335).
//!
//! A key exchange (DTLS-SRTP, SDP) delivers master keys. An [`SrtpContext`] has the session keys
//! that come from them, for one direction. All its streams share these keys; each [`SrtpStream`]
//! has the roll-over counter and the replay windows of one SSRC. An [`SrtpSession`] has all streams
//! of a context, and adds one when its first packet was authenticated. RTP and RTCP go through the
//! same flow, in the same burst.
//!
//! ```
//! # use broadloom_engine::Registry;
//! # let mut registry = Registry::new();
//! # registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
//! use std::sync::Arc;
//!
//! use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpStream};
//! use broadloom_packets::{Packet, PacketProcessor};
//!
//! let profile = SrtpProfile::Aes128CmHmacSha1_80;
//! let config = SrtpConfig::new(profile, [MasterKey::new(&[1; 16], &[2; 14])]);
//! let [sender, receiver] = [(); 2].map(|()| {
//!     let context = SrtpContext::new(&registry, &config).expect("the keys fit");
//!     SrtpStream::new(Arc::new(context), 0x5eed)
//! });
//!
//! // Version 2, payload type 96, sequence number 1, and the SSRC.
//! let rtp = *b"\x80\x60\x00\x01\x00\x00\x00\x00\x00\x00\x5e\xedpayload";
//! let mut buffer = rtp.to_vec();
//! buffer.resize(rtp.len() + 10, 0);
//! let mut packets = [Packet::new(&sender, buffer, 0..rtp.len())];
//! let mut processor = PacketProcessor::new();
//! assert_eq!(processor.protect_burst(&mut packets).succeeded, 1);
//!
//! let sent = packets[0].bytes().to_vec();
//! let len = sent.len();
//! let mut packets = [Packet::new(&receiver, sent, 0..len)];
//! assert_eq!(processor.unprotect_burst(&mut packets).succeeded, 1);
//! assert_eq!(packets[0].bytes(), rtp);
//! ```
//!
//! Until a packet of a stream was authenticated, its roll-over counter is the one that it began
//! with: if the sequence number rolls over within a receiver's first burst, the packets behind that
//! are refused.

mod config;
mod context;
mod cryptex;
mod elements;
mod header;
mod index;
mod keys;
mod meta;
mod profile;
mod rtcp;
mod rtp;
mod session;
mod stream;

pub use config::SrtpConfig;
pub use context::SrtpContext;
pub use header::{is_rtcp, ssrc};
pub use keys::MasterKey;
pub use meta::{SrtpKind, SrtpMeta};
pub use profile::SrtpProfile;
pub use session::SrtpSession;
pub use stream::SrtpStream;
