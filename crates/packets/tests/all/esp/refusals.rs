//! Packets that are refused, and what stays as it was.

use broadloom_packets::esp::{
    EspAlgorithm, EspConfig, EspFlow, EspKeys, EspMeta, Mode, Tunnel, UdpPorts,
};
use broadloom_packets::{Flow, Packet, PacketError, PacketProcessor};

use super::modes::KINDS;
use super::{Keys, SPI, ends_with, ipv4, ipv6, protect_with, reference, refused, refused_packet};
use crate::support::{no_damaged_packet_passes, noise, registry, unprotect};

fn tunnel() -> Mode {
    let address = |text: &str| text.parse().expect("an address");
    Mode::Tunnel(Tunnel::new(address("203.0.113.1"), address("203.0.113.200")))
}

/// Every bit of a packet in a tunnel of IPv4, the outer header included, which has a checksum.
#[test]
fn damage_disturbs_nobody_else() {
    for algorithm in KINDS {
        for extended in [false, true] {
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.mode, config.extended, config.window) = (tunnel(), extended, 65_536);
            });
            let inner = ipv4(&noise(20, 5), 0, true);
            let mut sent = protect_with(&ours, EspMeta::default(), std::slice::from_ref(&inner));
            let first = sent.remove(0);
            let neighbours =
                protect_with(&ours, EspMeta::default(), &vec![inner.clone(); 8 * first.len()]);
            no_damaged_packet_passes(&theirs, &first, neighbours);
            assert_eq!(unprotect(&theirs, &[first])[0], Ok(inner), "its number is still there");
        }
    }
}

/// A packet that only its tag tells from an authentic one comes back as it was, or wiped, and is
/// still authentic under algorithms that do not encrypt.
#[test]
fn a_packet_that_is_not_authentic_is_put_back() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| config.extended = true);
        let mut sent = protect_with(&ours, EspMeta::payload(17), &[noise(64, 1)]).remove(0);
        *sent.last_mut().expect("a tag") ^= 1;
        let mut packets = [crate::support::packet(&theirs, &sent)];
        let before = packets[0].buffer().to_vec();
        PacketProcessor::new().unprotect_burst(&mut packets);
        assert_eq!(packets[0].status(), Some(Err(PacketError::Integrity)));
        let text = packets[0].range().start + 8 + algorithm.iv_len();
        let tag = packets[0].range().end - algorithm.tag_len();
        assert_eq!(packets[0].buffer()[..text], before[..text], "{algorithm}");
        assert_eq!(packets[0].buffer()[tag..], before[tag..], "{algorithm}");
    }
}

#[test]
fn random_packets_are_refused() {
    let (_, theirs) = ends_with(KINDS[0], |config| config.mode = tunnel());
    let (_, payloads) = ends_with(KINDS[2], |config| config.extended = true);
    let random = noise(1 << 20, 77);
    let mut lens = random.iter().map(|byte| usize::from(*byte));
    let mut at = 0;
    for _ in 0..500 {
        let mut bytes = || {
            let len = lens.next().expect("a length");
            at = (at + 251) % (random.len() - 256);
            random[at..at + len].to_vec()
        };
        let sent: Vec<Vec<u8>> = (0..100)
            .map(|which| {
                // Half of the packets have headers that lead to the tag.
                let esp = [&SPI.to_be_bytes()[..], &bytes()].concat();
                if which % 2 == 0 { bytes() } else { ipv4_esp(&esp) }
            })
            .collect();
        assert!(unprotect(&theirs, &sent).iter().all(Result::is_err));
        let sent: Vec<Vec<u8>> =
            sent.iter().map(|sent| sent[sent.len().min(20)..].to_vec()).collect();
        assert!(unprotect(&payloads, &sent).iter().all(Result::is_err));
    }
    assert_eq!(theirs.counters().read().refused(), 50_000);
    assert_eq!(payloads.counters().read().refused(), 50_000);
}

/// An IPv4 packet that carries ESP, with the right checksum.
fn ipv4_esp(esp: &[u8]) -> Vec<u8> {
    let mut packet = ipv4(esp, 0, true);
    packet[9] = 50;
    packet[10..12].fill(0);
    let sum = !super::ones_complement(&packet[..20], 0);
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
    packet
}

#[test]
fn a_packet_without_room_is_refused_and_uses_no_number() {
    for algorithm in KINDS {
        for mode in [Mode::Payload, Mode::Transport, tunnel()] {
            let (ours, _) = ends_with(algorithm, |config| config.mode = mode);
            let text = ipv4(&noise(37, 1), 0, true);
            let (head, tail) = ours.room();
            let with = |head: usize, tail: usize| {
                let buffer = [vec![0xee; head], text.clone(), vec![0xee; tail]].concat();
                Packet::new(&ours, buffer, head..head + text.len())
            };
            let error = refused_packet(with(head - 1, tail));
            assert_eq!(error, PacketError::NoHeadRoom { need: head, have: head - 1 });
            let error = refused_packet(with(head, 13));
            assert!(matches!(error, PacketError::NoTailRoom { have: 13, .. }), "{error}");
            let mut packets = [with(head, tail)];
            assert_eq!(PacketProcessor::new().protect_burst(&mut packets).succeeded, 1);
            let at = packets[0].bytes().windows(8).position(|bytes| {
                bytes[..4] == SPI.to_be_bytes() && bytes[4..] == 1_u32.to_be_bytes()
            });
            assert!(at.is_some(), "the first number is still there");
        }
    }
}

#[test]
fn fragments_are_refused_and_inner_fragments_are_not() {
    let (transport, _) = ends_with(KINDS[0], |config| config.mode = Mode::Transport);
    let (in_tunnel, theirs) = ends_with(KINDS[0], |config| config.mode = tunnel());
    for flags in [[0x20, 0], [0, 1], [0x1f, 0xff]] {
        let mut fragment = ipv4(&noise(40, 1), 0, false);
        fragment[6..8].copy_from_slice(&flags);
        assert_eq!(refused(&transport, EspMeta::default(), &fragment), PacketError::Fragment);
        let mut sent = protect_with(&in_tunnel, EspMeta::default(), &[fragment.clone()]);
        assert_eq!(unprotect(&theirs, &sent)[0], Ok(fragment));
        sent[0][6..8].copy_from_slice(&flags);
        assert_eq!(unprotect(&theirs, &sent)[0], Err(PacketError::Fragment));
    }
    let fragment = ipv6(44, &[17, 0, 0, 1, 0, 0, 0, 7], &noise(40, 1), 0);
    assert_eq!(refused(&transport, EspMeta::default(), &fragment), PacketError::Fragment);
}

#[test]
fn packets_that_are_no_ip_packets_are_refused() {
    let malformed = |field, value| PacketError::Malformed { field, value };
    for mode in [Mode::Transport, tunnel()] {
        let (ours, _) = ends_with(KINDS[0], |config| config.mode = mode);
        let refused = |text: &[u8]| refused(&ours, EspMeta::default(), text);
        assert_eq!(refused(&[]), PacketError::Runt { len: 0, min: 20 });
        assert_eq!(refused(&[0x45; 19]), PacketError::Runt { len: 19, min: 20 });
        assert_eq!(refused(&[0x60; 39]), PacketError::Runt { len: 39, min: 40 });
        assert_eq!(refused(&[0x50; 64]), malformed("IP version", 5));
        let whole = ipv4(&[1; 30], 0, true);
        assert_eq!(refused(&whole[..49]), malformed("IPv4 total length", 50));
        let whole = ipv6(17, &[], &[1; 30], 0);
        assert_eq!(refused(&whole[..69]), malformed("IPv6 length with the header", 70));
        let longest = ipv4(&vec![0; 65_535 - 20], 0, true);
        assert!(matches!(refused(&longest), PacketError::TooLong { len: 65_535, .. }));
    }
    let (ours, _) = ends_with(KINDS[0], |config| config.mode = Mode::Transport);
    let cut = ipv6(0, &[17, 9, 0, 0, 0, 0, 0, 0], &[], 0);
    let error = refused(&ours, EspMeta::default(), &cut);
    assert_eq!(error, PacketError::Runt { len: 48, min: 120 });
}

/// What a receiver refuses before it looks at the tag.
#[test]
fn packets_of_others_are_told_by_their_headers() {
    let ports = UdpPorts { source: 0, destination: 4500 };
    let (_, theirs) = ends_with_ports(ports);
    let datagram = |source: u16, destination: u16, payload: &[u8]| {
        let len = payload.len() as u16 + 8;
        let header = [source, destination, len, 0].map(u16::to_be_bytes).concat();
        ipv4(&[&header, payload].concat(), 0, true)
    };
    let refused = |packet: Vec<u8>| unprotect(&theirs, &[packet]).remove(0).expect_err("refused");
    let malformed = |field, value| PacketError::Malformed { field, value };
    assert_eq!(refused(datagram(9, 4500, &[0xff])), malformed("NAT keepalive", 0xff));
    assert_eq!(refused(datagram(9, 4500, &[0; 40])), malformed("non-ESP marker", 0));
    assert_eq!(refused(datagram(9, 4501, &[1; 60])), malformed("UDP destination port", 4501));
    assert_eq!(refused(datagram(9, 4500, &[1; 60])), PacketError::WrongFlow { found: 0x0101_0101 });
    assert_eq!(refused(ipv4_esp(&[1; 60])), malformed("IP protocol", 50));
    assert_eq!(refused(datagram(9, 4500, &[1; 35])), PacketError::Runt { len: 63, min: 64 });
    let (ours, theirs) = ends_with_ports(UdpPorts { source: 0, destination: 0 });
    let sent = protect_with(&ours, EspMeta::default(), &[ipv4(&[1; 10], 0, true)]).remove(0);
    let moved = datagram(9, 4501, &sent[28..]);
    assert_eq!(unprotect(&theirs, &[moved])[0], Ok(ipv4(&[1; 10], 0, true)), "any ports");
}

fn ends_with_ports(ports: UdpPorts) -> (EspFlow, EspFlow) {
    let keys = Keys::new(KINDS[0]);
    let config = EspConfig {
        mode: tunnel(),
        udp: Some(ports),
        ..EspConfig::new(KINDS[0], keys.as_slices(), SPI)
    };
    let registry = registry();
    let out = EspConfig { udp: Some(UdpPorts::default()), ..config };
    let outbound = EspFlow::outbound(&registry, &out).expect("valid");
    (outbound, EspFlow::inbound(&registry, &config).expect("valid"))
}

/// An authentic packet with another trailer than it should have.
#[test]
fn bad_padding_is_refused() {
    for algorithm in KINDS {
        let (_, theirs) = ends_with(algorithm, |config| config.extended = true);
        let keys = Keys::new(algorithm);
        let iv = noise(algorithm.iv_len(), 3);
        let trailers: [&[u8]; 4] = [
            &[1, 2, 3, 4, 5, 6, 7, 9, 8, 17],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 17],
            &[1, 2, 3, 4, 5, 6, 7, 8, 31, 17],
            &[0, 0, 0, 0, 0, 0, 0, 0, 255, 17],
        ];
        for (number, trailer) in (1..).zip(trailers) {
            let text = [&noise(22, 1), trailer].concat();
            let sent = reference::protect(algorithm, &keys, SPI, number, true, &iv, &text);
            assert_eq!(unprotect(&theirs, &[sent])[0], Err(PacketError::BadPadding));
        }
        let text = [&noise(20, 1)[..], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 17]].concat();
        let sent = reference::protect(algorithm, &keys, SPI, 9, true, &iv, &text);
        assert_eq!(unprotect(&theirs, &[sent])[0], Ok(noise(20, 1)));
    }
}

/// Authentic packets of which the inner packet is none.
#[test]
fn inner_packets_that_are_none_are_refused() {
    let algorithm = KINDS[0];
    let (_, theirs) = ends_with(algorithm, |config| config.mode = tunnel());
    let keys = Keys::new(algorithm);
    let malformed = |field, value| Err(PacketError::Malformed { field, value });
    let inner = ipv4(&[1; 10], 0, true);
    let mut long = inner.clone();
    long[3] = 31;
    let mut short = inner.clone();
    short[3] = 19;
    let cases = [
        (&inner[..], 6, malformed("next header", 6)),
        (&inner[..], 41, malformed("IP version", 4)),
        (&long[..], 4, malformed("length of the inner packet", 31)),
        (&short[..], 4, malformed("length of the inner packet", 19)),
        (&inner[..10], 4, Err(PacketError::Runt { len: 10, min: 20 })),
    ];
    for (number, (text, next_header, expected)) in (1..).zip(cases) {
        let text = [text, &[0, next_header]].concat();
        let esp = reference::protect(algorithm, &keys, SPI, number, false, &[5; 8], &text);
        assert_eq!(unprotect(&theirs, &[ipv4_esp(&esp)])[0], expected);
    }
}

#[test]
fn a_flow_works_in_one_direction() {
    let (ours, theirs) = ends_with(KINDS[0], |_| {});
    let wrong = PacketError::WrongFlow { found: SPI.into() };
    assert_eq!(refused(&theirs, EspMeta::payload(17), b"text"), wrong);
    let sent = protect_with(&ours, EspMeta::payload(17), &[noise(40, 1)]);
    assert_eq!(unprotect(&ours, &sent)[0], Err(wrong));
}

#[test]
fn configurations_that_cannot_be_are_refused() {
    let keys = Keys::new(EspAlgorithm::ChaCha20Poly1305);
    let config = EspConfig::new(EspAlgorithm::ChaCha20Poly1305, keys.as_slices(), SPI);
    let v6 = "2001:db8::1".parse().expect("an address");
    let v4 = "203.0.113.1".parse().expect("an address");
    let crossed = Mode::Tunnel(Tunnel::new(v4, v6));
    let dscp = Mode::Tunnel(Tunnel { dscp: Some(64), ..Tunnel::new(v4, v4) });
    let label = Mode::Tunnel(Tunnel { flow_label: Some(1 << 20), ..Tunnel::new(v6, v6) });
    let short = EspKeys { salt: &keys.salt[..3], ..keys.as_slices() };
    for (config, text) in [
        (EspConfig { spi: 0, ..config }, "the SPI cannot be 0; valid: 1 to 4294967295"),
        (EspConfig { first: 0, ..config }, "the first number cannot be 0; valid: 1 to 4294967295"),
        (
            EspConfig { packet_limit: 0, ..config },
            "the limit of packets cannot be 0; valid: 1 to 18446744073709551615",
        ),
        (
            EspConfig { packet_limit: 9, takes_ivs: true, ..config },
            "the limit of packets cannot be 9; valid: 18446744073709551615; a flow that takes IVs \
             may count from any number",
        ),
        (EspConfig { window: 31, ..config }, "a replay window has 32 to 65536 packets, not 31"),
        (
            EspConfig { mode: crossed, ..config },
            "a tunnel cannot be 203.0.113.1 to 2001:db8::1; valid: two addresses of one family",
        ),
        (EspConfig { mode: dscp, ..config }, "the DSCP cannot be 64; valid: 0 to 63"),
        (
            EspConfig { mode: label, ..config },
            "the flow label cannot be 1048576; valid: 0 to 1048575",
        ),
        (
            EspConfig { window: 0, extended: true, ..config },
            "the replay window under extended numbers cannot be 0; valid: 32 to 65536; the high \
             half of a number is inferred from it",
        ),
        (
            EspConfig { pad_to: 9, ..config },
            "the padded length cannot be 9; valid: 0; only a tunnel's packets say how long they \
             are without padding",
        ),
        (
            EspConfig { keys: short, ..config },
            "a salt of 3 bytes does not fit esp-chacha20-poly1305, which takes 4 bytes",
        ),
    ] {
        let error = EspFlow::inbound(&registry(), &config).err().expect("it is refused");
        assert_eq!(error.to_string(), text);
    }
    for (source, destination, which) in [(0, 4500, "source"), (4500, 0, "destination")] {
        let udp = Some(UdpPorts { source, destination });
        let error = EspFlow::outbound(&registry(), &EspConfig { udp, ..config }).err();
        let text = format!("the {which} port of an outbound flow cannot be 0; valid: 1 to 65535");
        assert_eq!(error.expect("it is refused").to_string(), text);
    }
}
