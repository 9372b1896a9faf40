//! Packets from a network, of every protocol of `broadloom-packets`.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_packets::dtls::{Dtls13Config, Dtls13Flow, RecordAead};
use broadloom_packets::esp::{EspConfig, EspFlow, EspKeys, Mode, Tunnel};
use broadloom_packets::quic::{
    PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion,
};
use broadloom_packets::srtp::{MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpStream};
use broadloom_packets::wireguard::WireGuardFlow;
use broadloom_packets::{Flow, FlowError, Packet, PacketProcessor};

/// Gives a packet that came to a flow of the protocol that the first byte names, between two
/// authentic ones. It must be refused, and the two must pass.
pub fn check(bytes: &[u8]) {
    let Some((protocol, packet)) = bytes.split_first() else { return };
    let ends = &*ENDS;
    match protocol % 6 {
        0 => ends.gcm.check(packet, ip_packet),
        1 => ends.cbc.check(packet, ip_packet),
        2 => ends.srtp.check(packet, rtp_packet),
        3 => ends.quic.check(packet, quic_packet),
        4 => ends.wireguard.check(packet, ip_packet),
        _ => ends.dtls.check(packet, || vec![7; 40]),
    }
}

/// A sending and a receiving flow.
struct Ends<F: Flow> {
    send: F,
    receive: F,
    processor: Mutex<PacketProcessor>,
}

impl<F: Flow> Ends<F> {
    fn new(send: F, receive: F) -> Self {
        Ends { send, receive, processor: Mutex::default() }
    }

    fn check(&self, packet: &[u8], text: impl Fn() -> Vec<u8>) {
        let mut processor = self.processor.lock().unwrap_or_else(PoisonError::into_inner);
        let head = 64;
        let mut sent = [(); 2].map(|()| {
            let text = text();
            let range = head..head + text.len();
            let buffer = [&[0; 64], text.as_slice(), &[0; 64]].concat();
            Packet::new(&self.send, buffer, range)
        });
        processor.protect_burst(&mut sent);
        assert!(sent.iter().all(Packet::succeeded), "{sent:?}");
        let [before, behind] = sent.map(|packet| packet.bytes().to_vec());
        // What the fuzzer has seen of the network is no authentic packet: these have numbers of
        // their own.
        let all = [before, packet.to_vec(), behind];
        let mut received = all.map(|bytes| {
            let range = 0..bytes.len();
            Packet::new(&self.receive, bytes, range)
        });
        processor.unprotect_burst(&mut received);
        assert!(received[0].succeeded() && received[2].succeeded(), "{received:?}");
        assert!(!received[1].succeeded(), "a forged packet passed: {packet:02x?}");
    }
}

/// Flows of every protocol, which live as long as the fuzzer.
struct AllEnds {
    gcm: Ends<EspFlow>,
    cbc: Ends<EspFlow>,
    srtp: Ends<SrtpStream>,
    quic: Ends<QuicFlow>,
    wireguard: Ends<WireGuardFlow>,
    dtls: Ends<Dtls13Flow>,
}

static ENDS: LazyLock<AllEnds> = LazyLock::new(|| open().expect("the keys fit"));

fn open() -> Result<AllEnds, FlowError> {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    let registry = &registry;
    let (one, other) = ([1; 32], [2; 32]);
    let esp = |name: &str, salt: usize, integrity: usize| {
        let keys = EspKeys { key: &one[..16], salt: &one[..salt], integrity: &other[..integrity] };
        let tunnel = Tunnel::new([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let mode = Mode::Tunnel(tunnel);
        let config = EspConfig { mode, ..EspConfig::new(name.parse()?, keys, 256) };
        let (send, receive) =
            (EspFlow::outbound(registry, &config)?, EspFlow::inbound(registry, &config)?);
        Ok::<_, FlowError>(Ends::new(send, receive))
    };
    let srtp = || {
        let profile = SrtpProfile::Aes128CmHmacSha1_80;
        let config = SrtpConfig::new(profile, [MasterKey::new(&one[..16], &other[..14])]);
        let context = Arc::new(SrtpContext::new(registry, &config)?);
        Ok::<_, FlowError>(SrtpStream::new(context, 5))
    };
    let quic = |send: &[u8], receive: &[u8]| {
        let config = QuicConfig::new(QuicSuite::Aes128Gcm, QuicVersion::V1, PacketType::OneRtt);
        let config = QuicConfig { integrity_limit: u64::MAX, ..config };
        QuicFlow::new(registry, &config, QuicSecrets::both(send, receive))
    };
    let wireguard = |send, receive| WireGuardFlow::new(registry, send, 7, receive, 7);
    Ok(AllEnds {
        gcm: esp("esp-aes-128-gcm", 4, 0)?,
        cbc: esp("esp-aes-128-cbc-hmac-sha1", 0, 20)?,
        srtp: Ends::new(srtp()?, srtp()?),
        quic: Ends::new(quic(&one, &other)?, quic(&other, &one)?),
        wireguard: Ends::new(wireguard(&one, &other)?, wireguard(&other, &one)?),
        dtls: dtls(registry)?,
    })
}

fn dtls(registry: &Registry) -> Result<Ends<Dtls13Flow>, FlowError> {
    let (one, other) = ([1; 32], [2; 32]);
    let open = |write: &[u8], read: &[u8]| {
        let config = Dtls13Config {
            aead: RecordAead::Aes128Gcm,
            write_secret: write,
            write_epoch: 3,
            write_number: 0,
            read_secret: read,
            read_epoch: 3,
            window: 64,
            write_id: &[],
            read_id: &[],
            long_numbers: true,
            lengths: true,
        };
        Dtls13Flow::new(registry, &config)
    };
    Ok(Ends::new(open(&one, &other)?, open(&other, &one)?))
}

/// Returns a packet of UDP over IPv4, of 64 bytes.
fn ip_packet() -> Vec<u8> {
    let mut packet = vec![0; 64];
    packet[..10].copy_from_slice(&[0x45, 0, 0, 64, 0, 0, 0, 0, 64, 17]);
    packet[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
    packet
}

/// Returns the next RTP packet of the stream.
fn rtp_packet() -> Vec<u8> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let mut packet = vec![0; 52];
    packet[..12].copy_from_slice(&[0x80, 96, number[0], number[1], 0, 0, 0, 0, 0, 0, 0, 5]);
    packet
}

/// Returns a packet of QUIC with a short header and a packet number of 2 bytes.
fn quic_packet() -> Vec<u8> {
    let mut packet = vec![0; 60];
    packet[0] = 0x41;
    packet
}
