//! What the flows and packets of each protocol are, and which peers have it.

use std::ffi::CStr;
use std::sync::Arc;

use broadloom::algorithm::ChainOrder;
use broadloom::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, HashAlgorithm, MacAlgorithm, Registry,
    Transform,
};
use broadloom_packets::esp::{
    EspAlgorithm, EspConfig, EspFlow, EspHash, EspKeys, EspMeta, Mode, Tunnel,
};
use broadloom_packets::quic::{
    PacketType, QuicConfig, QuicFlow, QuicMeta, QuicSecrets, QuicSuite, QuicVersion,
};
use broadloom_packets::srtp::{
    MasterKey, SrtpConfig, SrtpContext, SrtpMeta, SrtpProfile, SrtpStream,
};
use broadloom_packets::tls::{RecordAead, RecordKeys, RecordMeta, Tls13Config, Tls13Flow};
use broadloom_packets::wireguard::WireGuardFlow;
use broadloom_packets::{Flow, FlowError};

use super::libsrtp2::LibSrtp;
use super::openssl::OpenSslRecords;
use super::options::PacketPeer;
use super::own_path::OwnPath;
use super::side::Text;
#[cfg(not(all(feature = "boringtun", feature = "rustls")))]
use super::side::failed;
use crate::error::PerfError;
use crate::measure::peers::srtp2::Suite;

/// Opens a sending flow and the flow that receives what it sends. What belongs to one flow is
/// allocated one after another, as programs do that open a flow and keep it.
pub type Open<F> = Box<dyn Fn(&Registry, usize) -> Result<(Arc<F>, Arc<F>), FlowError>>;

/// Makes the transform under a flow's keys.
pub type MakeTransform = Box<dyn Fn(usize, Direction) -> Transform>;

/// Opens a peer's own packet path for a number of flows.
pub type OpenPeer = fn(PacketPeer, usize) -> Option<Result<Box<dyn OwnPath>, PerfError>>;

/// What a protocol's flows and packets are.
pub struct Kit<F: Flow> {
    /// Opens the two flows of a number.
    pub open: Open<F>,
    /// Writes a packet of a flow.
    pub text: Text,
    /// Returns what accompanies a packet.
    pub meta: fn() -> F::Meta,
    /// `None` if no peer takes the engine's place.
    pub transform: Option<MakeTransform>,
    /// Returns `None` for a peer that does not have this protocol.
    pub peer: OpenPeer,
    /// `true` if a receiving flow takes packets in their order alone: it cannot go on after some
    /// that it never got.
    pub in_order: bool,
    /// Bytes at the beginning of a packet that do not come out when it is unprotected.
    pub header: usize,
}

/// Returns the kit of WireGuard.
pub fn wireguard() -> Kit<WireGuardFlow> {
    Kit {
        open: Box::new(|registry, flow| {
            let (one, other) = (key(flow, 1), key(flow, 2));
            let index = flow as u32;
            let send = Arc::new(WireGuardFlow::new(registry, &one, index, &other, index)?);
            let receive = WireGuardFlow::new(registry, &other, index, &one, index)?;
            Ok((send, Arc::new(receive)))
        }),
        text: ip_packet,
        meta: || (),
        transform: None,
        peer: |peer, flows| (peer == PacketPeer::BoringTun).then(|| boringtun(flows)),
        in_order: false,
        header: 0,
    }
}

/// Opens boringtun's tunnels.
#[cfg(feature = "boringtun")]
fn boringtun(flows: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    Ok(Box::new(super::boringtun::BoringTun::new(flows)?))
}

/// Refuses: this program was built without boringtun.
#[cfg(not(feature = "boringtun"))]
fn boringtun(_: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    Err(failed("it takes a build with the cargo feature boringtun"))
}

/// Returns the kit of an algorithm of ESP, in a tunnel over IPv4.
pub fn esp(algorithm: EspAlgorithm) -> Kit<EspFlow> {
    Kit {
        open: Box::new(move |registry, flow| {
            let (cipher, integrity) = (key(flow, 1), [key(flow, 2), key(flow, 3)].concat());
            let keys = EspKeys {
                key: &cipher[..algorithm.key_len()],
                salt: &integrity[..algorithm.salt_len()],
                integrity: &integrity[..algorithm.integrity_key_len()],
            };
            let tunnel = Tunnel::new([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
            let config = EspConfig {
                mode: Mode::Tunnel(tunnel),
                ..EspConfig::new(algorithm, keys, 256 + flow as u32)
            };
            let send = Arc::new(EspFlow::outbound(registry, &config)?);
            Ok((send, Arc::new(EspFlow::inbound(registry, &config)?)))
        }),
        text: ip_packet,
        meta: EspMeta::default,
        transform: esp_transform(algorithm),
        peer: |_, _| None,
        in_order: false,
        header: 0,
    }
}

/// Returns the transforms of an algorithm of ESP that intel-ipsec-mb has calls for.
fn esp_transform(algorithm: EspAlgorithm) -> Option<MakeTransform> {
    let key = |flow, role, len: usize| key(flow, role)[..len].to_vec();
    let make: MakeTransform = match algorithm {
        EspAlgorithm::AesGcm(size) => Box::new(move |flow, direction| {
            let aead = Algorithm::Aead(AeadAlgorithm::AesGcm(size));
            let direction =
                if direction == Direction::Encrypt { Direction::Seal } else { Direction::Open };
            let transform = Transform::new(aead, direction, &key(flow, 1, size.key_len()), &[]);
            transform.build().expect("the key fits")
        }),
        EspAlgorithm::AesCbc(size, EspHash::Sha1) => Box::new(move |flow, direction| {
            let mac = MacAlgorithm::Hmac(HashAlgorithm::Sha1);
            let chain =
                Algorithm::Chain(CipherAlgorithm::AesCbc(size), mac, ChainOrder::CipherThenMac);
            let (cipher, mac) = (key(flow, 1, size.key_len()), key(flow, 2, 20));
            let transform = Transform::new(chain, direction, &cipher, &mac).tag_len(12);
            transform.build().expect("the keys fit")
        }),
        _ => return None,
    };
    Some(make)
}

/// Returns the kit of a profile of SRTP.
pub fn srtp(profile: SrtpProfile) -> Kit<SrtpStream> {
    Kit {
        open: Box::new(move |registry, flow| {
            let config = SrtpConfig::new(profile, [master_key(profile, flow)]);
            let open = || {
                let context = Arc::new(SrtpContext::new(registry, &config)?);
                Ok::<_, FlowError>(Arc::new(SrtpStream::new(context, flow as u32)))
            };
            Ok((open()?, open()?))
        }),
        text: |bytes, flow, sequence| {
            bytes.fill(flow as u8);
            // Version 2, payload type 96.
            bytes[..2].copy_from_slice(&[0x80, 0x60]);
            bytes[2..4].copy_from_slice(&(sequence as u16).to_be_bytes());
            bytes[4..8].copy_from_slice(&sequence.to_be_bytes());
            bytes[8..12].copy_from_slice(&(flow as u32).to_be_bytes());
        },
        meta: SrtpMeta::default,
        transform: None,
        peer: match profile {
            SrtpProfile::Aes128CmHmacSha1_80 => |peer, flows| {
                (peer == PacketPeer::LibSrtp2).then(|| libsrtp(Suite::AesCm128HmacSha1, flows, 14))
            },
            SrtpProfile::Aes128Gcm => |peer, flows| {
                (peer == PacketPeer::LibSrtp2).then(|| libsrtp(Suite::AesGcm128, flows, 12))
            },
            _ => |_, _| None,
        },
        in_order: true,
        header: 0,
    }
}

/// Returns the master key of a flow, whose SSRC is its number.
fn master_key(profile: SrtpProfile, flow: usize) -> MasterKey {
    MasterKey::new(&key(flow, 1)[..profile.key_len()], &key(flow, 2)[..profile.salt_len()])
}

/// Opens libsrtp's streams with the keys of [`master_key`].
fn libsrtp(suite: Suite, flows: usize, salt: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    let key = |flow| ([&key(flow, 1)[..16], &key(flow, 2)[..salt]].concat(), flow as u32);
    Ok(Box::new(LibSrtp::new(suite, flows, key)?))
}

/// Bytes of a short header of QUIC: its first byte, a connection ID of 8 bytes, and a packet number
/// of 4.
pub const QUIC_HEADER: usize = 13;

/// Returns the kit of a suite of QUIC.
pub fn quic(suite: QuicSuite) -> Kit<QuicFlow> {
    Kit {
        open: Box::new(move |registry, flow| {
            let len = if suite == QuicSuite::Aes256Gcm { 48 } else { 32 };
            let [one, other] = secrets(flow, len);
            let config = QuicConfig::new(suite, QuicVersion::V1, PacketType::OneRtt);
            let open = |send, receive| {
                QuicFlow::new(registry, &config, QuicSecrets::both(send, receive)).map(Arc::new)
            };
            Ok((open(&one, &other)?, open(&other, &one)?))
        }),
        text: |bytes, flow, _| {
            bytes.fill(flow as u8);
            bytes[0] = 0x43;
        },
        meta: QuicMeta::default,
        transform: None,
        peer: match suite {
            QuicSuite::Aes128Gcm => {
                |peer, flows| (peer == PacketPeer::Rustls).then(|| rustls(flows))
            }
            _ => |_, _| None,
        },
        in_order: false,
        header: QUIC_HEADER,
    }
}

/// Derives rustls's keys.
#[cfg(feature = "rustls")]
fn rustls(flows: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    Ok(Box::new(super::rustls::RustlsPackets::new(flows)?))
}

/// Refuses: this program was built without rustls.
#[cfg(not(feature = "rustls"))]
fn rustls(_: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    Err(failed("it takes a build with the cargo feature rustls"))
}

/// Returns the kit of an AEAD of TLS 1.3.
pub fn tls13(aead: RecordAead) -> Kit<Tls13Flow> {
    Kit {
        open: Box::new(move |registry, flow| {
            let len = if aead == RecordAead::Aes256Gcm { 48 } else { 32 };
            let [one, other] = secrets(flow, len);
            let open = |write: &[u8], read: &[u8]| {
                Tls13Flow::new(
                    registry,
                    &Tls13Config {
                        aead,
                        write: RecordKeys::Secret(write),
                        write_number: 0,
                        read: RecordKeys::Secret(read),
                        read_number: 0,
                    },
                )
                .map(Arc::new)
            };
            Ok((open(&one, &other)?, open(&other, &one)?))
        }),
        text: |bytes, flow, _| bytes.fill(flow as u8),
        meta: RecordMeta::default,
        transform: None,
        peer: match aead {
            RecordAead::Aes128Gcm => |peer, flows| {
                let suite = c"TLS_AES_128_GCM_SHA256";
                (peer == PacketPeer::OpenSsl).then(|| openssl(suite, flows))
            },
            RecordAead::ChaCha20Poly1305 => |peer, flows| {
                let suite = c"TLS_CHACHA20_POLY1305_SHA256";
                (peer == PacketPeer::OpenSsl).then(|| openssl(suite, flows))
            },
            _ => |_, _| None,
        },
        in_order: true,
        header: 0,
    }
}

/// Opens OpenSSL's connections.
fn openssl(suite: &CStr, flows: usize) -> Result<Box<dyn OwnPath>, PerfError> {
    Ok(Box::new(OpenSslRecords::new(suite, flows)?))
}

/// Returns a key for one use of a flow.
fn key(flow: usize, role: u8) -> [u8; 32] {
    let mut key = [role; 32];
    key[..8].copy_from_slice(&(flow as u64).to_le_bytes());
    key
}

/// Returns the traffic secrets of both ends of a flow, of `len` bytes.
fn secrets(flow: usize, len: usize) -> [Vec<u8>; 2] {
    [1, 2].map(|role| [key(flow, role); 2].concat()[..len].to_vec())
}

/// Writes a packet of UDP over IPv4.
fn ip_packet(bytes: &mut [u8], flow: usize, _: u32) {
    let len = bytes.len() as u16;
    bytes.fill(0xa5);
    bytes[..20].fill(0);
    bytes[0] = 0x45;
    bytes[2..4].copy_from_slice(&len.to_be_bytes());
    (bytes[8], bytes[9]) = (64, 17);
    bytes[12..16].copy_from_slice(&[10, 0, 0, 1]);
    bytes[16..20].copy_from_slice(&(0x0a80_0000 + flow as u32).to_be_bytes());
    let sums = bytes[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum: u32 = sums.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    bytes[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}
