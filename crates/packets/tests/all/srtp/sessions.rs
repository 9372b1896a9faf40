//! Sessions, whose streams are added by their first packets.

use broadloom_packets::srtp::{SrtpProfile, SrtpSession};
use broadloom_packets::{Flow, PacketError, PacketProcessor};

use super::{config, context, rtcp, rtp};
use crate::support::{packet, protect, unprotect};

fn sessions(max_streams: usize) -> [SrtpSession; 2] {
    let config = config(SrtpProfile::Aes128CmHmacSha1_80);
    [(); 2].map(|()| SrtpSession::new(context(&config), max_streams))
}

/// A packet of an SSRC.
fn of(ssrc: u32, sequence: u16) -> Vec<u8> {
    let mut packet = rtp(sequence, 0x80, &[], b"payload");
    packet[8..12].copy_from_slice(&ssrc.to_be_bytes());
    packet
}

#[test]
fn the_first_packet_of_a_source_adds_its_stream() {
    let [ours, theirs] = sessions(100);
    let texts: Vec<Vec<u8>> = (0..300).map(|at| of(at % 3, (at / 3) as u16)).collect();
    let sent = protect(&ours, &texts);
    assert_eq!((ours.len(), theirs.len()), (3, 0));
    let received: Vec<_> = unprotect(&theirs, &sent).into_iter().map(Result::ok).collect();
    assert_eq!(received, texts.into_iter().map(Some).collect::<Vec<_>>());
    assert_eq!((theirs.len(), theirs.roc(1), theirs.roc(3)), (3, Some(0), None));
    for again in unprotect(&theirs, &sent) {
        assert!(matches!(again, Err(PacketError::Replay { .. })), "{again:?}");
    }
}

/// Two copies of the packet that adds a stream, in one burst: one passes.
#[test]
fn a_first_packet_passes_once() {
    let [ours, theirs] = sessions(100);
    let sent = protect(&ours, &[of(7, 9)]);
    let results = unprotect(&theirs, &[sent[0].clone(), sent[0].clone()]);
    assert_eq!(results, [Ok(of(7, 9)), Err(PacketError::Replay { number: 9 })]);
}

#[test]
fn a_forged_packet_adds_no_stream() {
    let [ours, theirs] = sessions(100);
    let mut sent = protect(&ours, &[of(1, 1), of(2, 1), rtcp(20)]);
    sent.iter_mut().for_each(|sent| *sent.last_mut().expect("it has a tag") ^= 1);
    assert_eq!(unprotect(&theirs, &sent), vec![Err(PacketError::Integrity); 3]);
    assert!(theirs.is_empty());
    assert_eq!(theirs.counters().read().refused(), 3);
}

#[test]
fn there_are_no_more_streams_than_allowed() {
    let [ours, _] = sessions(100);
    let [theirs, _] = sessions(2);
    let sent = protect(&ours, &[of(1, 1), of(2, 1), of(3, 1), of(1, 2)]);
    let results = unprotect(&theirs, &sent);
    let error = PacketError::WrongFlow { found: 3 };
    assert_eq!(results, [Ok(of(1, 1)), Ok(of(2, 1)), Err(error), Ok(of(1, 2))]);
    let mut packets = [packet(&theirs, &of(4, 1))];
    PacketProcessor::new().protect_burst(&mut packets);
    assert_eq!(packets[0].status(), Some(Err(PacketError::WrongFlow { found: 4 })));
    assert!(theirs.remove(2) && !theirs.remove(2));
    assert_eq!(unprotect(&theirs, &sent[2..3]), [Ok(of(3, 1))]);
}

/// Threads that receive the first packets of a source deliver each of them once.
#[test]
fn a_source_is_added_once_on_several_threads() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let [ours, theirs] = sessions(1000);
    let texts: Vec<Vec<u8>> = (0..400).map(|ssrc| of(ssrc, 5)).collect();
    let sent = protect(&ours, &texts);
    let passed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let results = unprotect(&theirs, &sent);
                let passes = results.iter().filter(|result| result.is_ok()).count();
                passed.fetch_add(passes, Ordering::Relaxed);
            });
        }
    });
    assert_eq!((passed.into_inner(), theirs.len()), (400, 400));
}
