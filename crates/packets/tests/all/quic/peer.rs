//! QUIC packets, against the keys of rustls, which ring computes.

use std::fmt;
use std::sync::Arc;

use broadloom_packets::PacketError;
use broadloom_packets::quic::{
    PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::quic::{
    ClientConnection, HeaderProtectionKey, KeyChange, PacketKey, PacketKeySet, Secrets,
    ServerConnection, Version,
};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, DigitallySignedStruct, Error, KeyLog, ServerConfig, SignatureScheme};

use super::support::{receive, send, short};
use crate::secrets::LoggedSecrets;
use crate::support::{noise, registry};

/// Believes any certificate: only the keys of the connection matter here.
#[derive(Debug)]
struct Anybody;

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

/// Has one key, and something in place of a certificate.
struct OneKey(Arc<CertifiedKey>);

impl fmt::Debug for OneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneKey")
    }
}

impl ResolvesServerCert for OneKey {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// The client's keys of 1-RTT packets.
struct Peer {
    send_mask: Box<dyn HeaderProtectionKey>,
    receive_mask: Box<dyn HeaderProtectionKey>,
    keys: PacketKeySet,
    next: Secrets,
}

/// Lets a client and a server of rustls shake hands, and returns the client's keys and the secrets
/// of client and server.
fn handshake(suite: QuicSuite, version: Version) -> (Peer, Vec<u8>, Vec<u8>) {
    let mut provider = ring::default_provider();
    provider.cipher_suites.retain(|one| u16::from(one.suite()) == suite.tls_number());
    let provider: Arc<CryptoProvider> = Arc::new(provider);
    // An Ed25519 key of PKCS #8, version 1 (RFC 8410).
    let mut key = vec![0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    key.extend([0x42; 32]);
    let key = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(key)).expect("a key");
    let certificate = vec![CertificateDer::from(vec![0x30, 0])];
    let resolver = OneKey(Arc::new(CertifiedKey::new(certificate, key)));
    let log = Arc::new(LoggedSecrets::default());
    let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody))
        .with_no_client_auth();
    client.key_log = Arc::clone(&log) as Arc<dyn KeyLog>;
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(resolver));
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client =
        ClientConnection::new(Arc::new(client), version, name, vec![1]).expect("a client");
    let mut server = ServerConnection::new(Arc::new(server), version, vec![1]).expect("a server");
    // Each flight is read before the next one, which has other keys.
    for _ in 0..10 {
        let mut flight = Vec::new();
        let change = client.write_hs(&mut flight);
        server.read_hs(&flight).expect("the client's flight");
        if let Some(KeyChange::OneRtt { keys, next }) = change {
            let first = PacketKeySet { local: keys.local.packet, remote: keys.remote.packet };
            let (send_mask, receive_mask) = (keys.local.header, keys.remote.header);
            let secret = |end| log.get(&format!("{end}_TRAFFIC_SECRET_0"));
            let peer = Peer { send_mask, receive_mask, keys: first, next };
            return (peer, secret("CLIENT"), secret("SERVER"));
        }
        let mut flight = Vec::new();
        server.write_hs(&mut flight);
        client.read_hs(&flight).expect("the server's flight");
    }
    panic!("the handshake does not end");
}

/// Protects a packet with a connection ID of 8 bytes, as rustls does.
fn seal(key: &dyn PacketKey, mask: &dyn HeaderProtectionKey, number: u64, plain: &[u8]) -> Vec<u8> {
    let number_len = usize::from(plain[0] & 3) + 1;
    let mut packet = plain.to_vec();
    packet[9..9 + number_len].copy_from_slice(&number.to_be_bytes()[8 - number_len..]);
    let (header, text) = packet.split_at_mut(9 + number_len);
    let tag = key.encrypt_in_place(number, header, text).expect("it encrypts");
    packet.extend(tag.as_ref());
    let (front, sample) = packet.split_at_mut(13);
    let (first, rest) = front.split_at_mut(1);
    let field = &mut rest[8..8 + number_len];
    mask.encrypt_in_place(&sample[..16], &mut first[0], field).expect("it masks");
    packet
}

/// Unprotects a packet, as rustls does, and returns its first byte and its payload.
fn open(
    key: &dyn PacketKey,
    mask: &dyn HeaderProtectionKey,
    number: u64,
    sent: &[u8],
) -> (u8, Vec<u8>) {
    let mut packet = sent.to_vec();
    let (front, sample) = packet.split_at_mut(13);
    let (first, rest) = front.split_at_mut(1);
    mask.decrypt_in_place(&sample[..16], &mut first[0], &mut rest[8..12]).expect("it unmasks");
    let number_len = usize::from(packet[0] & 3) + 1;
    assert_eq!(packet[9..9 + number_len], number.to_be_bytes()[8 - number_len..]);
    let first = packet[0];
    let (header, text) = packet.split_at_mut(9 + number_len);
    let text = key.decrypt_in_place(number, header, text).expect("it is authentic");
    (first, text.to_vec())
}

#[test]
fn packets_are_those_of_rustls_across_key_updates() {
    let registry = registry();
    for (suite, (version, peers)) in
        [QuicSuite::Aes128Gcm, QuicSuite::Aes256Gcm, QuicSuite::ChaCha20Poly1305]
            .into_iter()
            .flat_map(|suite| {
                [(QuicVersion::V1, Version::V1), (QuicVersion::V2, Version::V2)]
                    .map(|both| (suite, both))
            })
    {
        let (mut peer, client, server) = handshake(suite, peers);
        let config = QuicConfig::new(suite, version, PacketType::OneRtt);
        let secrets = QuicSecrets::both(&server, &client);
        let mut ours = QuicFlow::new(&registry, &config, secrets).expect("the secrets fit");
        let mut number = 0;
        for generation in 0..4_u8 {
            let phase = (generation & 1) << 2;
            let payloads: Vec<_> = (3..1300).step_by(13).map(|len| noise(len, 5)).collect();
            let plain: Vec<_> =
                payloads.iter().map(|text| short(text.len() % 3 + 2, text)).collect();
            // From rustls, which updates first.
            let seal_one = |(at, plain): (usize, &Vec<u8>)| {
                let mut plain = plain.clone();
                plain[0] |= phase;
                seal(&*peer.keys.local, &*peer.send_mask, number + at as u64, &plain)
            };
            let sent: Vec<_> = plain.iter().enumerate().map(seal_one).collect();
            for (at, (got, text)) in receive(&ours, &sent).iter().zip(&payloads).enumerate() {
                let (got, meta) = got.as_ref().expect("it is authentic");
                assert_eq!((got, meta.number), (text, number + at as u64));
            }
            assert_eq!(ours.peer_has_updated(), generation > 0);
            if generation > 0 {
                ours = ours.updated(&registry).expect("it has updates");
            }
            // To rustls.
            let numbered: Vec<_> = plain.iter().map(|plain| (0, plain.clone())).collect();
            for (at, (sent, text)) in send(&ours, &numbered).iter().zip(&payloads).enumerate() {
                let sent = sent.as_ref().expect("it is protected");
                let of = number + at as u64;
                let (first, got) = open(&*peer.keys.remote, &*peer.receive_mask, of, sent);
                assert_eq!((first & 4, &got), (phase, text));
            }
            number += payloads.len() as u64;
            // A sender that sets reserved bits is refused, though its packet is authentic.
            let mut reserved = short(2, &[1; 20]);
            reserved[0] |= 0x10 | phase;
            let sent = seal(&*peer.keys.local, &*peer.send_mask, number, &reserved);
            let error = PacketError::Malformed { field: "reserved bits", value: 0x10 };
            assert_eq!(receive(&ours, &[sent])[0], Err(error));
            peer.keys = peer.next.next_packet_keys();
        }
    }
}
