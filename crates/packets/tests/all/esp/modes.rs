//! Tunnel and transport mode over IPv4 and IPv6, and ESP in UDP.

use std::net::IpAddr;

use broadloom_engine::AesSize;
use broadloom_packets::PacketError;
use broadloom_packets::esp::{
    EspAlgorithm, EspFlow, EspHash, EspMeta, Mode, Tunnel, UdpPorts, spi,
};

use super::{SPI, ends_with, ipv4, ipv6, ones_complement, protect_with};
use crate::support::{noise, packet, unprotect};

/// Algorithms of all kinds of jobs.
pub const KINDS: [EspAlgorithm; 6] = [
    EspAlgorithm::AesGcm(AesSize::Aes128),
    EspAlgorithm::ChaCha20Poly1305,
    EspAlgorithm::AesCbc(AesSize::Aes128, EspHash::Sha1),
    EspAlgorithm::AesCtr(AesSize::Aes256, EspHash::Sha512),
    EspAlgorithm::AesGmac(AesSize::Aes192),
    EspAlgorithm::Null(EspHash::Sha256),
];

fn tunnel(ends: [&str; 2]) -> Tunnel {
    let [source, destination] = ends.map(|end| end.parse::<IpAddr>().expect("an address"));
    Tunnel::new(source, destination)
}

const V4: [&str; 2] = ["203.0.113.1", "203.0.113.200"];
const V6: [&str; 2] = ["2001:db8::1", "2001:db8:ffff::2"];

/// Ends of a flow with an algorithm's extended numbers, which pass 2^32.
fn ends(algorithm: EspAlgorithm, mode: Mode, udp: Option<UdpPorts>) -> (EspFlow, EspFlow) {
    ends_with(algorithm, |config| {
        (config.mode, config.udp) = (mode, udp);
        (config.extended, config.first) = (true, (1 << 32) - 2);
    })
}

/// Inner packets of both versions, of many lengths.
fn inner_packets() -> Vec<Vec<u8>> {
    let lens = [0, 1, 8, 15, 64, 1000];
    let four = lens.map(|len| ipv4(&noise(len, 1), 0xb9, len % 2 == 0));
    let six = lens.map(|len| ipv6(17, &[], &noise(len, 2), 0x2e));
    [four, six].concat()
}

#[test]
fn inner_packets_come_out_of_a_tunnel_as_they_went_in() {
    for algorithm in KINDS {
        for addresses in [V4, V6] {
            for udp in [None, Some(UdpPorts { source: 1025, destination: 4500 })] {
                let mode = Mode::Tunnel(tunnel(addresses));
                let (ours, theirs) = ends(algorithm, mode, udp);
                let inner = inner_packets();
                let sent = protect_with(&ours, EspMeta::default(), &inner);
                assert!(sent.iter().all(|sent| spi(sent) == Some(SPI)));
                for (result, inner) in unprotect(&theirs, &sent).iter().zip(&inner) {
                    assert_eq!(result.as_ref(), Ok(inner), "{algorithm}, {addresses:?}, {udp:?}");
                }
            }
        }
    }
}

/// The next header of an inner packet is reported in both directions.
#[test]
fn the_version_of_an_inner_packet_is_reported() {
    use broadloom_packets::PacketProcessor;

    let (ours, theirs) = ends(KINDS[0], Mode::Tunnel(tunnel(V4)), None);
    for (inner, next_header) in [(ipv4(&[1; 9], 0, true), 4), (ipv6(17, &[], &[1; 9], 0), 41)] {
        let mut sent = [packet(&ours, &inner)];
        PacketProcessor::new().protect_burst(&mut sent);
        assert_eq!(sent[0].meta().next_header, next_header);
        let mut received = [packet(&theirs, sent[0].bytes())];
        PacketProcessor::new().unprotect_burst(&mut received);
        assert_eq!(received[0].meta().next_header, next_header);
    }
}

#[test]
fn the_outer_header_of_ipv4_is_built_as_rfc_4301_says() {
    let (ours, _) = ends(KINDS[0], Mode::Tunnel(tunnel(V4)), None);
    for (number, (traffic_class, dont_fragment)) in
        [(0xb9, true), (0x02, false), (0, true)].into_iter().enumerate()
    {
        let inner = ipv4(&[3; 30], traffic_class, dont_fragment);
        let sent = &protect_with(&ours, EspMeta::default(), &[inner])[0];
        let len = sent.len() as u16;
        // 20 + 8 + 8 + 50 bytes of packet, no padding, 2 of trailer, 16 of tag.
        assert_eq!(len, 20 + 8 + 8 + 52 + 16);
        let id = (0xfffe_u16).wrapping_add(number as u16).to_be_bytes();
        let flags = if dont_fragment { 0x40 } else { 0 };
        assert_eq!(sent[..2], [0x45, traffic_class]);
        assert_eq!(sent[2..4], len.to_be_bytes());
        assert_eq!(sent[4..10], [id[0], id[1], flags, 0, 64, 50]);
        assert_eq!(sent[12..20], [203, 0, 113, 1, 203, 0, 113, 200]);
        assert_eq!(ones_complement(&sent[..20], 0), 0xffff, "the checksum");
        assert_eq!(sent[20..24], SPI.to_be_bytes());
    }
}

#[test]
fn what_is_not_copied_to_the_outer_header_is_configured() {
    let mut tunnel = tunnel(V4);
    (tunnel.dscp, tunnel.dont_fragment, tunnel.hop_limit) = (Some(10), Some(false), 9);
    let (ours, _) = ends(KINDS[0], Mode::Tunnel(tunnel), None);
    let sent = &protect_with(&ours, EspMeta::default(), &[ipv4(&[], 0xb9, true)])[0];
    assert_eq!((sent[1], sent[6], sent[8]), (10 << 2 | 1, 0, 9));
    let mut tunnel = self::tunnel(V6);
    (tunnel.dscp, tunnel.hop_limit) = (Some(63), 255);
    let (ours, _) = ends(KINDS[0], Mode::Tunnel(tunnel), None);
    let sent = &protect_with(&ours, EspMeta::default(), &[ipv4(&[], 0xb9, true)])[0];
    assert_eq!(sent[..4], [0x6f, 0xd0, 0, 0], "DSCP 63, ECN 1, no flow label");
    assert_eq!((sent[6], sent[7]), (50, 255));
    tunnel.flow_label = Some(0xf_1234);
    let (ours, _) = ends(KINDS[0], Mode::Tunnel(tunnel), None);
    for inner in [ipv4(&[], 0xb9, true), ipv6(17, &[], &[], 0xb9)] {
        let sent = &protect_with(&ours, EspMeta::default(), &[inner])[0];
        assert_eq!(sent[..4], [0x6f, 0xdf, 0x12, 0x34], "DSCP 63, ECN 1, flow label");
    }
}

#[test]
fn the_outer_header_of_ipv6_is_built_as_rfc_4301_says() {
    let (ours, _) = ends(KINDS[2], Mode::Tunnel(tunnel(V6)), None);
    let inner = ipv6(17, &[], &[3; 14], 0x5a);
    let sent = &protect_with(&ours, EspMeta::default(), std::slice::from_ref(&inner))[0];
    assert_eq!(sent[..4], inner[..4], "version, traffic class and flow label are copied");
    assert_eq!(sent[4..6], (8 + 16 + 64 + 12_u16).to_be_bytes());
    assert_eq!(sent[6..8], [50, 64]);
    let addresses = V6.map(|end| end.parse::<std::net::Ipv6Addr>().expect("it is one").octets());
    assert_eq!(sent[8..40], addresses.concat());
}

/// The checksum of UDP is zero in IPv4 (RFC 3948, 2.1) and right in IPv6 (RFC 8200, 8.1).
#[test]
fn udp_headers_have_ports_lengths_and_checksums() {
    let udp = Some(UdpPorts { source: 1025, destination: 4500 });
    for (addresses, header) in [(V4, 20), (V6, 40)] {
        for algorithm in KINDS {
            let (ours, _) = ends(algorithm, Mode::Tunnel(tunnel(addresses)), udp);
            for inner in inner_packets() {
                let sent = &protect_with(&ours, EspMeta::default(), &[inner])[0];
                let datagram = &sent[header..];
                assert_eq!(datagram[..4], [4, 1, 0x11, 0x94]);
                assert_eq!(datagram[4..6], (datagram.len() as u16).to_be_bytes());
                if header == 20 {
                    assert_eq!((sent[9], &datagram[6..8]), (17, &[0, 0][..]));
                } else {
                    let pseudo = 17 + datagram.len() as u32;
                    let sum = ones_complement(datagram, pseudo);
                    let sum = ones_complement(&sent[8..40], sum.into());
                    assert_eq!((sent[6], sum), (17, 0xffff));
                }
                assert_eq!(datagram[8..12], SPI.to_be_bytes());
            }
        }
    }
}

/// RFC 6040, figure 4.
#[test]
fn congestion_is_merged_into_inner_packets() {
    let outcomes = [
        [Some(0), Some(0), Some(0), None],
        [Some(1), Some(1), Some(1), Some(3)],
        [Some(2), Some(1), Some(2), Some(3)],
        [Some(3), Some(3), Some(3), Some(3)],
    ];
    for (own, row) in outcomes.iter().enumerate() {
        for (outer, expected) in row.iter().enumerate() {
            for version in [4, 6] {
                let (ours, theirs) = ends(KINDS[0], Mode::Tunnel(tunnel(V6)), None);
                let inner = |ecn: u8| match version {
                    4 => ipv4(&[1; 20], 0xb8 | ecn, true),
                    _ => ipv6(17, &[], &[1; 20], 0xb8 | ecn),
                };
                let mut sent = protect_with(&ours, EspMeta::default(), &[inner(own as u8)]);
                sent[0][1] = sent[0][1] & !0x30 | (outer as u8) << 4;
                let expected = match expected {
                    Some(ecn) => Ok(inner(*ecn)),
                    None => {
                        let field = "ECN of the outer header";
                        Err(PacketError::Malformed { field, value: 3 })
                    }
                };
                assert_eq!(unprotect(&theirs, &sent)[0], expected, "{own} {outer} {version}");
            }
        }
    }
}

/// An IPv4 header with options stays; its protocol, length and checksum change.
#[test]
fn transport_mode_of_ipv4_keeps_the_header() {
    for algorithm in KINDS {
        for udp in [None, Some(UdpPorts::default())] {
            let (ours, theirs) = ends(algorithm, Mode::Transport, udp);
            let mut with_options = ipv4(&[[1, 1, 1, 0], [9; 4]].concat(), 0, true);
            with_options[0] = 0x46;
            with_options[10..12].fill(0);
            let sum = !ones_complement(&with_options[..24], 0);
            with_options[10..12].copy_from_slice(&sum.to_be_bytes());
            let packets = [with_options, ipv4(&noise(101, 4), 3, false), ipv4(&[], 0, false)];
            let sent = protect_with(&ours, EspMeta::default(), &packets);
            for (sent, packet) in sent.iter().zip(&packets) {
                let len = usize::from(packet[0] & 15) * 4;
                assert_eq!(sent[9], if udp.is_some() { 17 } else { 50 });
                assert_eq!(sent[2..4], (sent.len() as u16).to_be_bytes());
                assert_eq!(ones_complement(&sent[..len], 0), 0xffff);
                for unchanged in [0..2, 4..9, 12..len] {
                    assert_eq!(sent[unchanged.clone()], packet[unchanged]);
                }
                assert_eq!(spi(sent), Some(SPI));
            }
            for (result, packet) in unprotect(&theirs, &sent).iter().zip(&packets) {
                assert_eq!(result.as_ref(), Ok(packet), "{algorithm}");
            }
        }
    }
}

/// Extension headers for nodes on the way stay before ESP, destination options that no routing
/// header follows are protected (RFC 4303, 3.1.1).
#[test]
fn transport_mode_of_ipv6_keeps_extension_headers_for_the_way() {
    let hop_by_hop = |next| [next, 0, 1, 4, 0, 0, 0, 0];
    let options = hop_by_hop;
    let routing = |next| [next, 0, 4, 0, 0, 0, 0, 0];
    let payload = noise(33, 6);
    // The packet, the headers before ESP, and where the number of ESP is.
    let cases = [
        (ipv6(17, &[], &payload, 0), 40, 6),
        (ipv6(0, &hop_by_hop(17), &payload, 0), 48, 40),
        (ipv6(0, &[hop_by_hop(43), routing(6)].concat(), &payload, 0), 56, 48),
        (ipv6(60, &options(17), &payload, 0), 40, 6),
        (ipv6(60, &[options(43), routing(60), options(17)].concat(), &payload, 0), 56, 48),
        (ipv6(59, &[], &[], 0), 40, 6),
    ];
    for algorithm in KINDS {
        for udp in [None, Some(UdpPorts::default())] {
            let (ours, theirs) = ends(algorithm, Mode::Transport, udp);
            for (packet, headers, next_at) in &cases {
                let sent = protect_with(&ours, EspMeta::default(), std::slice::from_ref(packet));
                let only = &sent[0];
                assert_eq!(only[*next_at], if udp.is_some() { 17 } else { 50 });
                assert_eq!(only[4..6], (only.len() as u16 - 40).to_be_bytes());
                for at in (0..4).chain(6..*headers).filter(|at| at != next_at) {
                    assert_eq!(only[at], packet[at], "byte {at}");
                }
                assert_eq!(spi(only), Some(SPI));
                let expected = match packet[6] {
                    59 => Err(PacketError::Dummy),
                    _ => Ok(packet.clone()),
                };
                assert_eq!(unprotect(&theirs, &sent)[0], expected, "{algorithm}");
            }
        }
    }
}

/// Destination options before ESP are passed over on the way in.
#[test]
fn destination_options_before_esp_are_read_over() {
    let (ours, theirs) = ends(KINDS[0], Mode::Transport, None);
    let mut sent = protect_with(&ours, EspMeta::default(), &[ipv6(17, &[], &[5; 20], 0)]);
    let mut with_options = ipv6(60, &[50, 0, 1, 4, 0, 0, 0, 0], &sent[0][40..], 0);
    std::mem::swap(&mut sent[0], &mut with_options);
    let expected = ipv6(60, &[17, 0, 1, 4, 0, 0, 0, 0], &[5; 20], 0);
    assert_eq!(unprotect(&theirs, &sent)[0], Ok(expected));
}

/// Packets in a tunnel have one length, and come out without the padding.
#[test]
fn lengths_are_hidden_in_a_tunnel() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| {
            (config.mode, config.pad_to) = (Mode::Tunnel(tunnel(V4)), 300);
        });
        let mut inner = inner_packets();
        inner.retain(|inner| inner.len() <= 300);
        let sent = protect_with(&ours, EspMeta::default(), &inner);
        assert!(sent.iter().all(|one| one.len() == sent[0].len()), "{algorithm}");
        for (result, inner) in unprotect(&theirs, &sent).iter().zip(&inner) {
            assert_eq!(result.as_ref(), Ok(inner));
        }
    }
}

#[test]
fn dummy_packets_are_made_on_request_and_dropped() {
    for mode in [Mode::Payload, Mode::Tunnel(tunnel(V4)), Mode::Tunnel(tunnel(V6))] {
        let (ours, theirs) = ends(KINDS[0], mode, None);
        let sent = protect_with(&ours, EspMeta::dummy(), &[noise(77, 8), vec![]]);
        let dropped = Err(PacketError::Dummy);
        assert_eq!(unprotect(&theirs, &sent), [dropped.clone(), dropped], "{mode:?}");
        let replay = unprotect(&theirs, &sent)[0].clone();
        assert!(matches!(replay, Err(PacketError::Replay { .. })), "its number is used up");
    }
}
