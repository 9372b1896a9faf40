//! Packets that go through a queue pair of the engine.

use std::sync::Arc;

use broadloom_engine::{Order, QueueConfig, QueuePair};
use broadloom_packets::srtp::{SrtpConfig, SrtpProfile, SrtpStream};
use broadloom_packets::{Packet, PacketProcessor};

use super::{ends, master, rtcp, rtp};
use crate::support::{noise, unprotect};

/// Has a queue pair work on packets, which are all taken, and returns them in the same order.
fn through_a_queue_pair(
    packets: Vec<Packet<'static, SrtpStream>>,
    protects: bool,
) -> Vec<Packet<'static, SrtpStream>> {
    let mut processor = PacketProcessor::new();
    let mut refused = Vec::new();
    let mut jobs = match protects {
        true => processor.prepare_to_protect(packets, &mut refused),
        false => processor.prepare_to_unprotect(packets, &mut refused),
    };
    assert!(refused.is_empty(), "{refused:?}");
    let count = jobs.len();
    let config = QueueConfig { order: Order::AsSubmitted, ..QueueConfig::default() };
    let mut pair = QueuePair::new(config);
    let mut complete = Vec::new();
    while complete.len() < count {
        pair.enqueue(&mut jobs);
        pair.flush();
        let mut done = Vec::new();
        pair.dequeue(&mut done, usize::MAX);
        complete.extend(processor.complete(done));
    }
    assert!(complete.iter().all(Packet::succeeded), "{complete:?}");
    complete
}

/// Packets of every form come out of a queue pair as from a burst.
#[test]
fn a_queue_pair_does_what_a_burst_does() {
    let extension = [1, 2, 3, 4, 0xbe, 0xde, 0, 2, 0x12, 5, 6, 7, 0x31, 8, 9, 0];
    let texts: Vec<Vec<u8>> = (0..90)
        .map(|sequence| match sequence % 3 {
            0 => rtcp(4 * usize::from(sequence)),
            1 => rtp(sequence, 0x91, &extension, &noise(sequence.into(), 1)),
            _ => rtp(sequence, 0x80, &[], &noise(sequence.into(), 1)),
        })
        .collect();
    for profile in SrtpProfile::ALL {
        for variant in 0..4 {
            let config = SrtpConfig {
                encrypts_rtcp: variant % 2 == 0,
                cryptex: variant == 2,
                encrypted_extensions: if variant == 3 { vec![1, 3] } else { vec![] },
                ..SrtpConfig::new(profile, [master(profile, 0).with_mki(&[5; 3])])
            };
            let [ours, theirs] = ends(&config).map(Arc::new);
            let outgoing = texts.iter().map(|text| {
                let buffer = [&[0; 8][..], text, &[0; 40]].concat();
                Packet::new(Arc::clone(&ours), buffer, 8..8 + text.len())
            });
            let packets = through_a_queue_pair(outgoing.collect(), true);
            let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes().to_vec()).collect();
            let [_, other] = ends(&config);
            let received: Vec<_> = unprotect(&other, &sent).into_iter().map(Result::ok).collect();
            assert!(received.iter().map(Option::as_ref).eq(texts.iter().map(Some)), "{profile}");
            let incoming = packets.into_iter().map(|packet| {
                let (buffer, range) = packet.into_parts();
                Packet::new(Arc::clone(&theirs), buffer, range)
            });
            let packets = through_a_queue_pair(incoming.collect(), false);
            let received = packets.iter().map(Packet::bytes);
            assert!(received.eq(texts.iter().map(Vec::as_slice)), "{profile}, {variant}");
        }
    }
}

/// A stream has no memory of its own but its replay windows.
#[test]
fn a_stream_is_small() {
    assert!(size_of::<SrtpStream>() <= 256, "{} bytes", size_of::<SrtpStream>());
}
