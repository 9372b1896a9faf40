//! Rules of flows: numbers, replay, key updates, limits, and packets that are refused.

use broadloom_packets::quic::{
    Numbers, PacketType, QuicConfig, QuicFlow, QuicSecrets, QuicSuite, QuicVersion, split,
};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::support::{ends, ends_of, receive, secrets, send, short};
use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};

/// Returns the configuration of 1-RTT packets with AES-128-GCM.
fn one_rtt() -> QuicConfig {
    QuicConfig::new(QuicSuite::Aes128Gcm, QuicVersion::V1, PacketType::OneRtt)
}

#[test]
fn packets_of_all_suites_and_lengths_arrive() {
    for suite in QuicSuite::ALL {
        let (ours, theirs) = ends(suite);
        let payloads: Vec<Vec<u8>> = (3..300).map(|len| noise(len, 3)).collect();
        let plain: Vec<_> = payloads.iter().map(|payload| short(2, payload)).collect();
        let sent = protect(&ours, &plain);
        let received = unprotect(&theirs, &sent);
        assert!(received.iter().zip(&payloads).all(|(got, text)| got.as_ref() == Ok(text)));
    }
}

#[test]
fn one_of_two_equal_packets_in_a_burst_passes() {
    let (ours, theirs) = ends(QuicSuite::Aes128Gcm);
    let sent = protect(&ours, &[short(2, &[1; 20])]).remove(0);
    let received = receive(&theirs, &[sent.clone(), sent.clone()]);
    assert!(received[0].is_ok());
    assert_eq!(received[1], Err(PacketError::Replay { number: 0 }));
    assert_eq!(receive(&theirs, &[sent])[0], Err(PacketError::Replay { number: 0 }));
}

#[test]
fn damage_disturbs_nobody_else() {
    for suite in QuicSuite::ALL {
        let (ours, theirs) = ends(suite);
        let mut sent = protect(&ours, &vec![short(2, &[1; 20]); 1 + 47 * 8]);
        let first = sent.remove(0);
        no_damaged_packet_passes(&theirs, &first, sent);
        assert!(receive(&theirs, &[first])[0].is_ok(), "its number is still free");
        assert!(!theirs.peer_has_updated(), "a flipped key phase moved nothing");
    }
}

#[test]
fn random_packets_do_not_pass() {
    let (_, theirs) = ends(QuicSuite::Aes128Gcm);
    for burst in 0..100 {
        let random = |seed: u64| {
            let mut packet = noise(48, burst * 1000 + seed);
            packet[0] = packet[0] & 0x3f | 0x40;
            packet
        };
        let random: Vec<_> = (0..1000).map(random).collect();
        let received = unprotect(&theirs, &random);
        assert!(received.iter().all(|result| *result == Err(PacketError::Integrity)));
    }
    assert_eq!((theirs.forgeries(), theirs.highest_received()), (100_000, None));
}

#[test]
fn a_key_update_is_followed_after_an_authentic_packet() {
    let registry = registry();
    for suite in QuicSuite::ALL {
        let (ours, theirs) = ends(suite);
        let plain = vec![short(2, &[1; 20]); 4];
        let old = protect(&ours, &plain);
        let updated = ours.updated(&registry).expect("it has updates");
        let new = protect(&updated, &plain);
        // A forged packet of the next phase moves nothing.
        let mut forged = new[0].clone();
        *forged.last_mut().expect("a tag") ^= 1;
        assert_eq!(receive(&theirs, &[forged])[0], Err(PacketError::Integrity));
        assert!(!theirs.peer_has_updated());
        // Both generations are in one burst, in any order.
        let burst = [new[1].clone(), old[1].clone(), new[0].clone(), old[0].clone()];
        for (result, number) in receive(&theirs, &burst).iter().zip([5, 1, 4, 0]) {
            let meta = &result.as_ref().expect("it is authentic").1;
            assert_eq!((meta.number, meta.key_phase), (number, number > 3));
        }
        assert!(theirs.peer_has_updated());
        let followed = theirs.updated(&registry).expect("it has updates");
        assert_eq!((followed.generation(), followed.peer_has_updated()), (1, false));
        assert!(receive(&followed, &[old[2].clone(), new[2].clone()]).iter().all(Result::is_ok));
        let replay = Err(PacketError::Replay { number: 4 });
        assert_eq!(receive(&followed, &[new[0].clone()])[0], replay);
        // The peer answers under the new keys, which this end knows.
        let answer = protect(&followed, &plain[..1]);
        let answer = receive(&updated, &answer).remove(0).expect("it is authentic");
        assert!(answer.1.key_phase);
        // Late packets are not taken without the old keys.
        let without = followed.without_previous_keys();
        let late = receive(&without, &[old[3].clone(), new[3].clone()]);
        assert_eq!(late[0], Err(PacketError::Integrity));
        assert!(late[1].is_ok());
    }
}

#[test]
fn an_old_key_for_a_new_number_is_refused() {
    let (ours, theirs) = ends(QuicSuite::Aes128Gcm);
    let updated = ours.updated(&registry()).expect("it has updates");
    let new = protect(&updated, &[short(2, &[1; 20])]).remove(0);
    let old = protect(&ours, &[short(2, &[1; 20])]).remove(0);
    let received = receive(&theirs, &[new, old]);
    assert!(received[0].is_ok());
    let error = PacketError::Malformed { field: "key phase", value: 0 };
    assert_eq!(received[1], Err(error));
}

#[test]
fn limits_of_use_are_kept() {
    let config = QuicConfig { confidentiality_limit: 3, integrity_limit: 2, ..one_rtt() };
    let (ours, theirs) = ends_of(&config);
    let plain = vec![(0, short(2, &[1; 20])); 4];
    let sent = send(&ours, &plain);
    assert!(sent[..3].iter().all(Result::is_ok));
    assert_eq!(sent[3], Err(PacketError::KeyUsedUp { packets: 3 }));
    let updated = ours.updated(&registry()).expect("it has updates");
    let next = send(&updated, &plain[..1]).remove(0).expect("the new key is fresh");
    assert_eq!(receive(&theirs, &[next])[0].as_ref().map(|got| got.1.number), Ok(3));
    let sent = sent[0].clone().expect("it was protected");
    let mut forged = sent.clone();
    forged[30] ^= 1;
    let received = receive(&theirs, &[forged.clone(), forged]);
    assert!(received.iter().all(|result| *result == Err(PacketError::Integrity)));
    let error = Err(PacketError::KeyUsedUp { packets: 2 });
    assert_eq!(receive(&theirs, &[sent])[0], error);
}

#[test]
fn a_given_number_is_used_once() {
    let config = QuicConfig { numbers: Numbers::Given, ..one_rtt() };
    let (ours, theirs) = ends_of(&config);
    let plain = [9, 7, 9, 1 << 62, 8].map(|number| (number, short(2, &[1; 20])));
    let sent = send(&ours, &plain);
    assert_eq!(sent[2], Err(PacketError::Replay { number: 9 }));
    assert_eq!(sent[3], Err(PacketError::SequenceCycled));
    let sent: Vec<_> = sent.into_iter().flatten().collect();
    let numbers = receive(&theirs, &sent).into_iter().map(|got| got.map(|got| got.1.number));
    assert_eq!(numbers.collect::<Vec<_>>(), [Ok(9), Ok(7), Ok(8)]);
}

#[test]
fn a_refused_packet_is_as_it_was_and_takes_no_number() {
    let (ours, theirs) = ends(QuicSuite::Aes128Gcm);
    let plain = short(2, &[1; 20]);
    let mut small = [Packet::new(&ours, plain.clone(), 0..plain.len())];
    PacketProcessor::new().protect_burst(&mut small);
    assert_eq!(small[0].status(), Some(Err(PacketError::NoTailRoom { need: 16, have: 0 })));
    assert_eq!(small[0].bytes(), plain);
    let mut reserved = plain.clone();
    reserved[0] |= 0x08;
    let error = PacketError::Malformed { field: "reserved bits", value: 8 };
    assert_eq!(send(&ours, &[(0, reserved)])[0], Err(error));
    let runt = PacketError::Runt { len: 12, min: 13 };
    assert_eq!(send(&ours, &[(0, short(2, &[1]))])[0], Err(runt));
    let sent = protect(&ours, &[plain]);
    assert_eq!(receive(&theirs, &sent)[0].as_ref().map(|got| got.1.number), Ok(0));
}

#[test]
fn early_and_later_packets_share_their_numbers() {
    let registry = registry();
    let (client, server) = secrets(QuicSuite::Aes128Gcm);
    let early = QuicConfig { packets: PacketType::ZeroRtt, ..one_rtt() };
    let later = one_rtt();
    let open = |config, secrets| QuicFlow::new(&registry, config, secrets).expect("they fit");
    let sends = open(&early, QuicSecrets { send: Some(&client), receive: None });
    let both = QuicSecrets::both(&client, &server);
    let ours = open(&later, both).with_numbers_of(&sends);
    let mut header = vec![0xd1, 0, 0, 0, 1, 1, 7, 0, 0x40, 0, 0, 0];
    header.extend([1; 20]);
    let first = protect(&sends, &[header]).remove(0);
    let receives = open(&early, QuicSecrets { send: None, receive: Some(&client) });
    assert!(receive(&receives, std::slice::from_ref(&first))[0].is_ok());
    assert_eq!(send(&receives, &[(0, first)])[0], Err(PacketError::NoKey));
    protect(&ours, &[short(2, &[1; 20])]);
    let theirs = open(&later, QuicSecrets::both(&server, &client));
    let second = protect(&ours, &[short(2, &[1; 20])]);
    assert_eq!(receive(&theirs, &second)[0].as_ref().map(|got| got.1.number), Ok(2));
}

#[test]
fn a_datagram_is_split_into_its_packets() {
    let config = QuicConfig { packets: PacketType::Handshake, own_id_len: 1, ..one_rtt() };
    let (ours, theirs) = ends_of(&config);
    let mut plain = vec![0xe1, 0, 0, 0, 1, 1, 7, 0, 0x40, 0, 0, 0];
    plain.extend([1; 20]);
    let sent = protect(&ours, &[plain.clone(), plain]);
    let datagram = [sent[0].as_slice(), &sent[1]].concat();
    let packets: Vec<_> = split(&datagram, 1).map(|packet| packet.expect("a packet")).collect();
    let parts: Vec<_> = packets.iter().map(|one| datagram[one.range.clone()].to_vec()).collect();
    assert_eq!(parts, sent);
    assert!(receive(&theirs, &parts).iter().all(Result::is_ok));
    let mut whole = [packet(&theirs, &datagram)];
    PacketProcessor::new().unprotect_burst(&mut whole);
    let error = PacketError::Malformed { field: "length", value: 38 };
    assert_eq!(whole[0].status(), Some(Err(error)), "two packets are not one");
    let cut = split(&datagram[..60], 1).collect::<Result<Vec<_>, _>>();
    assert!(matches!(cut, Err(PacketError::Runt { .. })));
}
