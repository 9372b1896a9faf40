//! ESP through a queue pair of the engine, and packets whose jobs failed.

use std::sync::Arc;

use broadloom_engine::{QueueConfig, QueuePair};
use broadloom_packets::esp::{EspFlow, EspMeta, Mode, Tunnel};
use broadloom_packets::{Flow, Frame, Packet, PacketProcessor, Work};

use super::modes::KINDS;
use super::{ends_with, ipv4, ipv6};
use crate::support::noise;

/// Protects or unprotects packets through a queue pair, and returns them.
fn process(
    outgoing: Vec<Packet<'static, EspFlow>>,
    protects: bool,
) -> Vec<Packet<'static, EspFlow>> {
    let (mut processor, mut refused) = (PacketProcessor::new(), Vec::new());
    let len = outgoing.len();
    let mut jobs = match protects {
        true => processor.prepare_to_protect(outgoing, &mut refused),
        false => processor.prepare_to_unprotect(outgoing, &mut refused),
    };
    assert!(refused.is_empty(), "{refused:?}");
    let mut packets = Vec::new();
    let mut pair = QueuePair::new(QueueConfig::default());
    while packets.len() < len {
        pair.enqueue(&mut jobs);
        pair.flush();
        let mut done = Vec::new();
        pair.dequeue(&mut done, usize::MAX);
        packets.extend(processor.complete(done));
    }
    packets
}

/// Extended numbers pass 2^32 on the way.
#[test]
fn packets_go_through_a_queue_pair_in_both_directions() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| {
            (config.mode, config.extended) = (Mode::Transport, true);
            (config.first, config.window) = ((1 << 32) - 50, 1024);
        });
        let (ours, theirs) = (Arc::new(ours), Arc::new(theirs));
        let texts: Vec<Vec<u8>> = (0..100).map(|len| ipv4(&noise(7 * len, 3), 0, true)).collect();
        let packets = texts.iter().map(|text| {
            let buffer = [&[0; 64][..], text, &[0; 64]].concat();
            Packet::new(Arc::clone(&ours), buffer, 64..64 + text.len())
        });
        let packets = process(packets.collect(), true);
        assert!(packets.iter().all(Packet::succeeded), "{algorithm}: {packets:?}");
        let received = packets.into_iter().map(|packet| {
            let (buffer, range) = packet.into_parts();
            Packet::new(Arc::clone(&theirs), buffer, range)
        });
        let packets = process(received.collect(), false);
        for (packet, text) in packets.iter().zip(&texts) {
            assert_eq!((packet.status(), packet.bytes()), (Some(Ok(())), &text[..]), "{algorithm}");
        }
    }
}

/// A packet whose job failed is as it was, and its number is never used again.
#[test]
fn a_failed_job_leaves_the_packet_and_takes_the_number() {
    let tunnel = Tunnel::new([203, 0, 113, 1].into(), [203, 0, 113, 200].into());
    let mut wrong_checksum = ipv4(&noise(50, 1), 0, true);
    wrong_checksum[10] ^= 1;
    let six = ipv6(0, &[17, 0, 1, 4, 0, 0, 0, 0], &noise(50, 1), 0);
    for algorithm in KINDS {
        for mode in [Mode::Payload, Mode::Transport, Mode::Tunnel(tunnel)] {
            for text in [&wrong_checksum, &six] {
                let (ours, _) =
                    ends_with(algorithm, |config| (config.mode, config.extended) = (mode, true));
                let mut buffer = [&[0xee; 128][..], text, &[0xee; 128]].concat();
                let mut meta = EspMeta::payload(17);
                for number in 1..4 {
                    let mut range = 128..128 + text.len();
                    let mut frame = Frame::new(&mut buffer, &mut range);
                    let mut work = Work::default();
                    ours.protect(&mut frame, &mut meta, &mut work).expect("there is room");
                    assert_eq!(work.number, number);
                    ours.failed(&mut frame, &mut meta, &work);
                    assert_eq!(&buffer[128..][..text.len()], text, "{algorithm}, {mode:?}");
                }
            }
        }
    }
}
