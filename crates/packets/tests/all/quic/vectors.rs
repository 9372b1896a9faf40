//! The examples of RFC 9001, appendix A, and of RFC 9369, appendix A.

use broadloom_packets::quic::{
    Numbers, PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion, RetryIntegrity,
    Side,
};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::support::{hex, receive, send};
use crate::support::registry;

/// The examples' original Destination Connection ID.
const CONNECTION_ID: [u8; 8] = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];

/// Returns an example by its name.
pub fn example(version: QuicVersion, name: &str) -> Vec<u8> {
    let text = match version {
        QuicVersion::V1 => include_str!("v1.txt"),
        QuicVersion::V2 => include_str!("v2.txt"),
    };
    let after = text.lines().skip_while(|line| *line != name).skip(1);
    let found: String = after.take_while(|line| line.starts_with(' ')).collect();
    assert!(!found.is_empty(), "there is no example {name}");
    hex(&found)
}

/// Protects the example of one end, and lets the other end read it.
fn initial(version: QuicVersion, side: Side, numbers: u64, padded: usize) {
    let (name, peer) = match side {
        Side::Client => ("client", Side::Server),
        Side::Server => ("server", Side::Client),
    };
    let of = |what| example(version, &format!("{name} {what}"));
    let open = |side| {
        let flow = QuicFlow::initial(&registry(), version, &CONNECTION_ID, side);
        flow.expect("the provider has AES")
    };
    let ours = open(side);
    let (header, mut frames) = (of("header"), of("frames"));
    frames.resize(frames.len().max(padded), 0);
    let plain = [header.as_slice(), &frames].concat();
    let with_number = (0..=numbers).map(|number| (number, plain.clone())).collect::<Vec<_>>();
    let sent = send(&ours, &with_number).pop().expect("a packet").expect("it is protected");
    assert_eq!(sent, of("packet"));
    let received = receive(&open(peer), &[sent]).remove(0).expect("it is authentic");
    assert_eq!((received.0, received.1.number), (frames, numbers));
}

#[test]
fn initial_packets_are_those_of_the_examples() {
    for version in QuicVersion::ALL {
        initial(version, Side::Client, 2, 1162);
        initial(version, Side::Server, 1, 0);
    }
}

#[test]
fn the_packet_with_a_short_header_is_that_of_the_examples() {
    const SECRET: &str = "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b";
    let examples = [
        (QuicVersion::V1, "4cfe4189655e5cd55c41f69080575d7999c25a5bfb"),
        (QuicVersion::V2, "5558b1c60ae7b6b932bc27d786f4bc2bb20f2162ba"),
    ];
    for (version, expected) in examples {
        let config = QuicConfig {
            peer_id_len: 0,
            own_id_len: 0,
            numbers: Numbers::Given,
            ..QuicConfig::new(QuicSuite::ChaCha20Poly1305, version, PacketType::OneRtt)
        };
        let secret = hex(SECRET);
        let open = || {
            let secrets = QuicSecrets::both(&secret, &secret);
            QuicFlow::new(&registry(), &config, secrets).expect("the secret fits")
        };
        let sent = send(&open(), &[(654_360_564, vec![0x42, 0, 0, 0, 1])]).remove(0);
        assert_eq!(sent, Ok(hex(expected)));
        // The number has 24 bits, so a receiver must have got one near it.
        let theirs = open();
        let near = send(&open(), &[(654_360_563, vec![0x43, 0, 0, 0, 0, 1])]).remove(0);
        let packets = [near.expect("it is protected"), hex(expected)];
        let first = receive(&theirs, &packets[..1]).remove(0).expect("it is authentic");
        assert_eq!(first.1.number, 654_360_563);
        let mut packets = [Packet::new(&theirs, hex(expected), 0..21)];
        PacketProcessor::new().unprotect_burst(&mut packets);
        assert!(packets[0].succeeded(), "{packets:?}");
        assert_eq!((packets[0].bytes(), packets[0].meta().number), (&[1][..], 654_360_564));
    }
}

#[test]
fn retry_packets_are_those_of_the_examples() {
    for version in QuicVersion::ALL {
        let retry = RetryIntegrity::new(&registry(), version).expect("the provider has AES");
        let packet = example(version, "retry packet");
        let (plain, tag) = packet.split_last_chunk::<16>().expect("it has a tag");
        assert_eq!(retry.tag(&CONNECTION_ID, plain), Ok(*tag));
        assert_eq!(retry.check(&CONNECTION_ID, &packet), Ok(()));
        for bit in 0..packet.len() * 8 {
            let mut damaged = packet.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let checked = retry.check(&CONNECTION_ID, &damaged);
            assert_eq!(checked, Err(PacketError::Integrity), "bit {bit}");
        }
        assert_eq!(retry.check(&[1, 2, 3], &packet), Err(PacketError::Integrity));
        let runt = PacketError::Runt { len: 15, min: 16 };
        assert_eq!(retry.check(&CONNECTION_ID, &packet[..15]), Err(runt));
    }
}
