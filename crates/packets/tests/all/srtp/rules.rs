//! The rules that break implementations.

use broadloom_packets::srtp::{
    MasterKey, SrtpConfig, SrtpContext, SrtpKind, SrtpProfile, SrtpStream, is_rtcp,
};
use broadloom_packets::{Flow, Packet, PacketError, PacketProcessor};

use super::{SSRC, config, context, ends, key_and_salt, master, rtcp, rtp};
use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};

/// RTP packets with these sequence numbers.
fn texts(sequences: impl IntoIterator<Item = u16>) -> Vec<Vec<u8>> {
    sequences.into_iter().map(|sequence| rtp(sequence, 0x80, &[], &noise(33, 2))).collect()
}

const BOTH: [SrtpProfile; 2] = [SrtpProfile::Aes128CmHmacSha1_32, SrtpProfile::Aes256Gcm];

#[test]
fn one_of_two_equal_packets_in_a_burst_passes() {
    for profile in BOTH {
        let [ours, theirs] = ends(&config(profile));
        let sent = protect(&ours, &[texts([7]), vec![rtcp(20)]].concat());
        let twice: Vec<_> = sent.iter().chain(&sent).cloned().collect();
        let results = unprotect(&theirs, &twice);
        assert!(results[..2].iter().all(Result::is_ok));
        let errors = [7, 0].map(|number| Err(PacketError::Replay { number }));
        assert_eq!(results[2..], errors);
    }
}

#[test]
fn a_number_is_protected_once() {
    for profile in BOTH {
        let [ours, _] = ends(&config(profile));
        protect(&ours, &texts([9, 10, 8]));
        let mut packets = texts([9, 11, 8, 11]).map_packets(&ours);
        PacketProcessor::new().protect_burst(&mut packets);
        let status: Vec<_> = packets.iter().map(|packet| packet.status().expect("done")).collect();
        let replay = |number| Err(PacketError::Replay { number });
        assert_eq!(status, [replay(9), Ok(()), replay(8), replay(11)]);
        assert_eq!(packets[0].bytes(), texts([9])[0], "a refused packet is as it was");
    }
}

/// Packets of a flow for a burst.
trait MapPackets {
    fn map_packets<F: Flow>(self, flow: &F) -> Vec<Packet<'_, F>>;
}

impl MapPackets for Vec<Vec<u8>> {
    fn map_packets<F: Flow>(self, flow: &F) -> Vec<Packet<'_, F>> {
        self.iter().map(|text| packet(flow, text)).collect()
    }
}

/// The sequence number rolls over three times. Packets come late, out of order, and not at all.
#[test]
fn the_roll_over_counter_is_guessed_for_each_packet() {
    for profile in BOTH {
        let [ours, theirs] = ends(&config(profile));
        let sequences = || (0..200_000_u32).step_by(40).map(|at| at as u16);
        let mut sent = protect(&ours, &texts(sequences()));
        assert_eq!(ours.roc(), 3);
        let expected: Vec<_> = texts(sequences());
        let mut order: Vec<usize> = (0..sent.len()).filter(|at| at % 7 != 3).collect();
        order[1..].chunks_mut(3).for_each(<[usize]>::reverse);
        for part in order.chunks(50) {
            let part_sent: Vec<_> = part.iter().map(|at| std::mem::take(&mut sent[*at])).collect();
            for (result, at) in unprotect(&theirs, &part_sent).into_iter().zip(part) {
                assert_eq!(result.as_ref(), Ok(&expected[*at]), "packet {at}");
            }
        }
        assert_eq!(theirs.roc(), 3);
    }
}

/// A forged packet from far ahead moves neither the window nor the roll-over counter.
#[test]
fn the_window_moves_only_after_authentication() {
    for profile in BOTH {
        let [ours, theirs] = ends(&config(profile));
        let sent = protect(&ours, &texts([1, 2, 30_000]));
        assert!(unprotect(&theirs, &sent[..1])[0].is_ok());
        let mut forged = sent[2].clone();
        forged[20] ^= 1;
        assert_eq!(unprotect(&theirs, &[forged]), [Err(PacketError::Integrity)]);
        assert!(unprotect(&theirs, &sent[1..2])[0].is_ok());
        assert!(unprotect(&theirs, &sent[2..])[0].is_ok());
    }
}

#[test]
fn damage_disturbs_nobody_else() {
    for profile in SrtpProfile::ALL {
        let [ours, theirs] = ends(&config(profile));
        let texts = texts(0..=600);
        let mut sent = protect(&ours, &texts);
        let first = sent.pop().expect("there are some");
        sent.reverse();
        no_damaged_packet_passes(&theirs, &first, sent[600 - first.len() * 8..].to_vec());
        assert_eq!(unprotect(&theirs, &[first]), [Ok(texts[600].clone())]);
    }
}

/// Of an encrypted and of a merely authenticated RTCP packet, with an MKI.
#[test]
fn damage_to_rtcp_disturbs_nobody_else() {
    for profile in SrtpProfile::ALL {
        for encrypts_rtcp in [true, false] {
            let keys = [master(profile, 0).with_mki(&[1, 2])];
            let config = SrtpConfig { encrypts_rtcp, ..SrtpConfig::new(profile, keys) };
            let [ours, theirs] = ends(&config);
            let mut sent = protect(&ours, &vec![rtcp(20); 600]);
            let first = sent.pop().expect("there are some");
            sent.reverse();
            // What is no RTCP by its type belongs to RTP, whose SSRC is elsewhere.
            let neighbours = sent[599 - first.len() * 8..].to_vec();
            no_damaged_packet_passes(&theirs, &first, neighbours);
            assert_eq!(unprotect(&theirs, &[first]), [Ok(rtcp(20))], "{profile}");
        }
    }
}

/// What is refused comes back unchanged, also where the roll-over counter stood in its trailer. The
/// text of a packet that is encrypted may have been wiped.
#[test]
fn a_refused_packet_is_as_it_was() {
    for profile in SrtpProfile::ALL {
        for mki in [&[][..], &[1], &[1, 2, 3, 4, 5, 6]] {
            for encrypts_rtcp in [true, false] {
                let keys = [master(profile, 0).with_mki(mki)];
                let config = SrtpConfig { encrypts_rtcp, ..SrtpConfig::new(profile, keys) };
                let [ours, theirs] = ends(&config);
                for mut sent in protect(&ours, &[texts([3]), vec![rtcp(20)]].concat()) {
                    let (header, text) = if is_rtcp(&sent) { (8, 28) } else { (12, 45) };
                    sent[text - 1] ^= 1;
                    let mut packets = [packet(&theirs, &sent)];
                    PacketProcessor::new().unprotect_burst(&mut packets);
                    assert_eq!(packets[0].status(), Some(Err(PacketError::Integrity)));
                    let mut expected = sent.clone();
                    let is_plain = is_rtcp(&sent) && !encrypts_rtcp;
                    if !is_plain && !profile.name().contains("null") {
                        expected[header..text].copy_from_slice(&packets[0].bytes()[header..text]);
                    }
                    assert_eq!(packets[0].bytes(), expected, "{profile} {mki:?}");
                }
            }
        }
    }
}

#[test]
fn random_packets_are_accepted_by_none() {
    for profile in BOTH {
        let [_, theirs] = ends(&config(profile));
        let mut processor = PacketProcessor::new();
        let mut bytes = noise(1 << 16, 77);
        for round in 0..500_usize {
            bytes.rotate_left(3);
            let mut packets = Vec::new();
            for at in 0..100 {
                let mut sent = bytes[at * 97..][..(round + at) % 120].to_vec();
                // Most have the version and the SSRC, so that more than the header is looked at.
                if at % 8 > 0 {
                    let ssrc = if is_rtcp(&sent) { 4 } else { 8 };
                    sent.iter_mut().take(1).for_each(|first| *first = *first & 0x3f | 0x80);
                    let place = sent.iter_mut().skip(ssrc).zip(SSRC.to_be_bytes());
                    place.for_each(|(place, byte)| *place = byte);
                }
                let len = sent.len();
                packets.push(Packet::new(&theirs, sent, 0..len));
            }
            assert_eq!(processor.unprotect_burst(&mut packets).succeeded, 0, "round {round}");
        }
        assert_eq!(theirs.counters().read().refused(), 50_000);
    }
}

#[test]
fn packets_without_room_or_sense_are_refused_and_use_no_number() {
    let [ours, theirs] = ends(&config(SrtpProfile::Aes128CmHmacSha1_80));
    let text = rtp(4, 0x80, &[], b"payload");
    let mut other = text.clone();
    other[11] ^= 1;
    let mut runt = text.clone();
    runt[0] = 0x8f;
    let mut version = text.clone();
    version[0] = 0x40;
    let cases = [
        (text.clone(), 9, PacketError::NoTailRoom { need: 10, have: 9 }),
        (rtcp(0), 13, PacketError::NoTailRoom { need: 14, have: 13 }),
        (other, 10, PacketError::WrongFlow { found: u64::from(SSRC ^ 1) }),
        (runt, 10, PacketError::Runt { len: 19, min: 72 }),
        (version, 10, PacketError::Malformed { field: "V", value: 1 }),
        (vec![0x80; 11], 10, PacketError::Runt { len: 11, min: 12 }),
    ];
    for (text, room, error) in cases {
        let mut buffer = text.clone();
        buffer.resize(text.len() + room, 0);
        let mut packets = [Packet::new(&ours, buffer, 0..text.len())];
        PacketProcessor::new().protect_burst(&mut packets);
        assert_eq!((packets[0].status(), packets[0].bytes()), (Some(Err(error)), &text[..]));
    }
    let sent = protect(&ours, &[text.clone(), rtcp(0)]);
    assert_eq!(unprotect(&theirs, &sent), [Ok(text), Ok(rtcp(0))]);
    let short = unprotect(&theirs, &[sent[0][..21].to_vec(), sent[1][..21].to_vec()]);
    let runts = [21, 21].map(|len| Err(PacketError::Runt { len, min: 22 }));
    assert_eq!(short, runts);
    let long = rtp(9, 0x80, &[], &vec![0; 1 << 20]);
    let error = PacketError::TooLong { len: (1 << 20) + 12, max: 1 << 20 };
    assert_eq!(unprotect(&theirs, &[long]), [Err(error)]);
}

/// The master key is found by its identifier, for each packet of a burst, and sequence numbers go
/// on over a change of keys.
#[test]
fn the_identifier_decides_the_key() {
    for profile in BOTH {
        let keys = [1, 2].map(|at| master(profile, at.into()).with_mki(&[0, 9, at]));
        let [ours, theirs] = ends(&SrtpConfig::new(profile, keys));
        let mut sent = protect(&ours, &texts([65_534, 65_535]));
        ours.context().send_with(&[0, 9, 2]).expect("it is known");
        sent.extend(protect(&ours, &[texts([0, 1]), vec![rtcp(20)]].concat()));
        // The roll-over counter of the first packets has to be known.
        assert!(unprotect(&theirs, &sent[..1])[0].is_ok());
        let results = unprotect(&theirs, &sent[1..]);
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        assert_eq!(theirs.roc(), 1);
        let one = SrtpConfig::new(profile, [master(profile, 1).with_mki(&[0, 9, 1])]);
        let single = SrtpStream::new(context(&one), SSRC);
        let error = PacketError::WrongFlow { found: 0x0902 };
        assert_eq!(unprotect(&single, &sent[2..3]), [Err(error)]);
        let error = ours.context().send_with(&[3]).unwrap_err().to_string();
        assert_eq!(error, "the MKI to send with cannot be [3]; valid: [0, 9, 1], [0, 9, 2]");
    }
}

#[test]
fn numbers_end_with_the_key() {
    let config = config(SrtpProfile::Aes128Gcm);
    let stream = SrtpStream::resume(context(&config), SSRC, u32::MAX, (1 << 31) - 1);
    let ours = stream.expect("these are the last");
    protect(&ours, &[texts([65_535]), vec![rtcp(8)]].concat());
    let mut packets = [texts([0]), vec![rtcp(8)]].concat().map_packets(&ours);
    PacketProcessor::new().protect_burst(&mut packets);
    for packet in &packets {
        assert_eq!(packet.status(), Some(Err(PacketError::SequenceCycled)));
    }
}

#[test]
fn the_kind_can_be_said() {
    let [ours, theirs] = ends(&config(SrtpProfile::Aes128CmHmacSha1_80));
    // A payload type of 72 with the marker looks like RTCP.
    let mut text = rtp(1, 0x80, &[], b"payload");
    text[1] = 200;
    let mut packets = [packet(&ours, &text).with_meta(SrtpKind::Rtp.into())];
    PacketProcessor::new().protect_burst(&mut packets);
    let mut received = [packet(&theirs, packets[0].bytes()).with_meta(SrtpKind::Rtp.into())];
    PacketProcessor::new().unprotect_burst(&mut received);
    assert_eq!((received[0].status(), received[0].bytes()), (Some(Ok(())), &text[..]));
}

#[test]
fn wrong_parameters_are_named() {
    let profile = SrtpProfile::Aes128CmHmacSha1_80;
    let (key, salt) = key_and_salt(profile, 0);
    let refused = |config: SrtpConfig| {
        SrtpContext::new(&registry(), &config).expect_err("it is refused").to_string()
    };
    let with = |keys: &[MasterKey]| SrtpConfig::new(profile, keys);
    let name = "srtp-aes-128-cm-hmac-sha1-80";
    let all = [
        (
            with(&[MasterKey::new(&key[1..], &salt)]),
            format!("a master key of 15 bytes does not fit {name}, which takes 16"),
        ),
        (
            with(&[MasterKey::new(&key, &salt[2..])]),
            format!("a master salt of 12 bytes does not fit {name}, which takes 14"),
        ),
        (with(&[]), "the number of master keys cannot be 0; valid: 1 to 256".to_owned()),
        (
            with(&[master(profile, 0), master(profile, 1)]),
            "the length of an MKI cannot be 0; valid: 1 to 128".to_owned(),
        ),
        (
            with(&[master(profile, 0).with_mki(&[1]), master(profile, 1).with_mki(&[1])]),
            "an MKI cannot be [1] for two master keys; valid: a different one for each key".into(),
        ),
        (
            with(&[master(profile, 0).with_mki(&[1]), master(profile, 1).with_mki(&[1, 2])]),
            "the length of an MKI cannot be 2; valid: 1, as that of the first key".to_owned(),
        ),
        (
            SrtpConfig { key_derivation_rate: 1024, ..config(profile) },
            "the key derivation rate cannot be 1024; valid: 0".to_owned(),
        ),
        (
            SrtpConfig { window: 31, ..config(profile) },
            "a replay window has 32 to 65536 packets, not 31".to_owned(),
        ),
    ];
    for (config, expected) in all {
        assert_eq!(refused(config), expected);
    }
    let error = "aes".parse::<SrtpProfile>().unwrap_err().to_string();
    assert!(
        error.starts_with("the SRTP profile cannot be aes; valid: srtp-aes-128-cm-"),
        "{error}"
    );
    for profile in SrtpProfile::ALL {
        assert_eq!(profile.to_string().parse::<SrtpProfile>().expect("a name"), profile);
    }
}
