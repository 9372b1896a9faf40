//! WireGuard's transport data, against RustCrypto's ChaCha20-Poly1305.

mod boringtun;
mod handshake;

use broadloom_packets::wireguard::{WireGuardFlow, trimmed_len};
use broadloom_packets::{Flow, Frame, PacketError, PacketProcessor, Work};
use chacha20poly1305::aead::{Aead, KeyInit};

use crate::support::{no_damaged_packet_passes, noise, packet, protect, registry, unprotect};

const SEND: [u8; 32] = [0x51; 32];
const RECEIVE: [u8; 32] = [0xa7; 32];

/// Two ends of a tunnel.
fn ends() -> (WireGuardFlow, WireGuardFlow) {
    let registry = registry();
    let new = |send, peer, receive, own| {
        WireGuardFlow::new(&registry, send, peer, receive, own).expect("the keys fit")
    };
    (new(&SEND, 0x1234_5678, &RECEIVE, 9), new(&RECEIVE, 9, &SEND, 0x1234_5678))
}

#[test]
fn messages_are_those_of_the_definition() {
    let (ours, _) = ends();
    let texts: Vec<Vec<u8>> = [0, 1, 15, 16, 17, 1420].map(|len| noise(len, 7)).to_vec();
    let sent = protect(&ours, &texts);
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&SEND.into());
    for (counter, (text, sent)) in texts.iter().zip(&sent).enumerate() {
        let mut expected = vec![4, 0, 0, 0, 0x78, 0x56, 0x34, 0x12];
        expected.extend((counter as u64).to_le_bytes());
        let nonce: [u8; 12] = std::array::from_fn(|at| if at == 4 { counter as u8 } else { 0 });
        let mut padded = text.clone();
        padded.resize(text.len().next_multiple_of(16), 0);
        expected.extend(cipher.encrypt(&nonce.into(), padded.as_slice()).expect("it encrypts"));
        assert_eq!(sent, &expected, "message {counter}");
    }
}

#[test]
fn packets_arrive_once_and_in_any_order() {
    let (ours, theirs) = ends();
    let texts: Vec<Vec<u8>> = (0..300).map(|len| noise(len, 3)).collect();
    let mut sent = protect(&ours, &texts);
    sent.reverse();
    let first = unprotect(&theirs, &sent);
    for (result, text) in first.iter().zip(texts.iter().rev()) {
        let result = result.as_ref().expect("it is authentic");
        assert_eq!(&result[..text.len()], text);
        assert!(result[text.len()..].iter().all(|byte| *byte == 0), "the padding is zeros");
    }
    for (again, number) in unprotect(&theirs, &sent).iter().zip((0..300).rev()) {
        assert_eq!(again, &Err(PacketError::Replay { number }));
    }
}

#[test]
fn one_of_two_equal_packets_in_a_burst_passes() {
    let (ours, theirs) = ends();
    let sent = protect(&ours, &[noise(64, 1)]);
    let results = unprotect(&theirs, &[sent[0].clone(), sent[0].clone()]);
    assert!(results[0].is_ok());
    assert_eq!(results[1], Err(PacketError::Replay { number: 0 }));
}

#[test]
fn damage_disturbs_nobody_else() {
    let (ours, theirs) = ends();
    let texts = vec![noise(20, 5); 1 + 64 * 8];
    let mut sent = protect(&ours, &texts);
    let first = sent.remove(0);
    no_damaged_packet_passes(&theirs, &first, sent);
    assert!(unprotect(&theirs, &[first])[0].is_ok(), "damaged copies did not use up its number");
    let statistics = theirs.counters().read();
    assert_eq!((statistics.packets, statistics.refused()), (64 * 8 + 1, 64 * 8));
}

#[test]
fn a_packet_without_room_is_refused_and_uses_no_number() {
    let (ours, _) = ends();
    let mut small = [broadloom_packets::Packet::new(&ours, vec![7; 40], 16..24)];
    PacketProcessor::new().protect_burst(&mut small);
    let error = PacketError::NoTailRoom { need: 24, have: 16 };
    assert_eq!(small[0].status(), Some(Err(error)));
    assert_eq!(small[0].bytes(), [7; 8]);
    let mut next = [packet(&ours, b"text")];
    PacketProcessor::new().protect_burst(&mut next);
    assert_eq!(next[0].bytes()[8], 0, "the first number is still there");
}

/// A number whose job never runs, as when a provider fails or panics, is given to no other packet.
#[test]
fn a_number_is_taken_even_if_the_packet_is_never_encrypted() {
    let (ours, _) = ends();
    let (mut buffer, mut range) = (vec![0; 128], 16..80);
    let mut work = Work::default();
    let session = ours.protect(&mut Frame::new(&mut buffer, &mut range), &mut (), &mut work);
    assert!(session.is_ok());
    assert_eq!(work.number, 0);
    assert_eq!(protect(&ours, &[noise(64, 1)])[0][8], 1);
}

#[test]
fn random_messages_are_refused() {
    let (_, theirs) = ends();
    let random = noise(100_000 + 96, 11);
    let header = [4, 0, 0, 0, 0x78, 0x56, 0x34, 0x12];
    for messages in (0..100_000).collect::<Vec<usize>>().chunks(1000) {
        let message = |at: &usize| [&header, &random[*at..][..at % 96]].concat();
        let messages: Vec<Vec<u8>> = messages.iter().map(message).collect();
        let results = unprotect(&theirs, &messages);
        assert!(results.iter().all(Result::is_err), "a random message passed");
    }
}

#[test]
fn the_length_of_an_ip_packet_is_that_of_its_header() {
    let mut four = [0; 64];
    four[0] = 0x45;
    four[3] = 50;
    let mut six = [0; 64];
    six[0] = 0x60;
    six[5] = 10;
    let lens = [&four[..], &six[..], &[], &four[..49], &[0x75; 20]].map(trimmed_len);
    assert_eq!(lens, [Some(50), Some(50), Some(0), None, None]);
}

/// Packets that go through a queue pair of the engine come out as from a burst.
#[test]
fn prepared_packets_go_through_a_queue_pair() {
    use std::sync::Arc;

    use broadloom_engine::{QueueConfig, QueuePair};
    use broadloom_packets::Packet;

    let (ours, theirs) = ends();
    let (ours, theirs) = (Arc::new(ours), Arc::new(theirs));
    let make = |flow: &Arc<WireGuardFlow>, text: &[u8]| {
        let mut buffer = vec![0; 16];
        buffer.extend(text);
        buffer.resize(16 + text.len() + 32, 0);
        Packet::new(Arc::clone(flow), buffer, 16..16 + text.len())
    };
    let texts: Vec<Vec<u8>> = (0..200).map(|len| noise(16 * len, 3)).collect();
    let mut packets = Vec::new();
    let mut processor = PacketProcessor::new();
    let mut pair = QueuePair::new(QueueConfig::default());
    let mut refused = Vec::new();
    let outgoing = texts.iter().map(|text| make(&ours, text)).collect();
    let mut jobs = processor.prepare_to_protect(outgoing, &mut refused);
    while packets.len() < texts.len() {
        pair.enqueue(&mut jobs);
        pair.flush();
        let mut done = Vec::new();
        pair.dequeue(&mut done, usize::MAX);
        packets.extend(processor.complete(done));
    }
    assert!(packets.iter().all(Packet::succeeded) && refused.is_empty());
    let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes().to_vec()).collect();
    let received = unprotect(&*theirs, &sent);
    assert!(received.iter().zip(&texts).all(|(got, text)| got.as_ref() == Ok(text)));
    let incoming = packets.into_iter().map(|packet| {
        let (buffer, range) = packet.into_parts();
        Packet::new(Arc::clone(&theirs), buffer, range)
    });
    let jobs = processor.prepare_to_unprotect(incoming.collect(), &mut refused);
    assert!(jobs.is_empty(), "all are replays");
    assert!(
        refused
            .iter()
            .all(|packet| matches!(packet.status(), Some(Err(PacketError::Replay { .. }))))
    );
}

#[test]
fn workers_protect_each_packet_with_a_number_of_its_own() {
    use std::collections::HashSet;

    use broadloom_engine::Placement;
    use broadloom_packets::PacketWorkers;

    let (ours, theirs) = ends();
    let workers = PacketWorkers::new(2, &Placement::Anywhere).expect("two threads");
    let mut packets: Vec<_> = (0..1000).map(|_| packet(&ours, &[5; 64])).collect();
    assert_eq!(workers.protect_burst(&mut packets).succeeded, 1000);
    let numbers = packets.iter().map(|packet| packet.bytes()[8..16].to_vec());
    assert_eq!(numbers.collect::<HashSet<_>>().len(), 1000);
    let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes().to_vec()).collect();
    assert!(unprotect(&theirs, &sent).iter().all(|result| result.as_deref() == Ok(&[5; 64])));
}
