//! Sequence numbers, replay windows and nonces.

use broadloom_packets::esp::EspMeta;
use broadloom_packets::{PacketError, PacketProcessor};

use super::modes::KINDS;
use super::{ends_with, protect_with};
use crate::support::{noise, packet, unprotect};

const META: fn() -> EspMeta = || EspMeta::payload(17);

#[test]
fn one_of_two_equal_packets_in_a_burst_passes() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| config.extended = true);
        let sent = protect_with(&ours, META(), &[noise(64, 1)]);
        let results = unprotect(&theirs, &[sent[0].clone(), sent[0].clone()]);
        assert_eq!(results, [Ok(noise(64, 1)), Err(PacketError::Replay { number: 1 })]);
    }
}

/// The high half is inferred for each packet of a burst that passes 2^32, in any order, and is
/// authenticated.
#[test]
fn a_burst_in_any_order_may_pass_the_end_of_the_low_half() {
    for algorithm in KINDS {
        for window in [32, 64, 65_536] {
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.extended, config.window) = (true, window);
                config.first = (5 << 32) - 15;
            });
            let texts: Vec<Vec<u8>> = (1..31).map(|len| noise(len, 2)).collect();
            let mut sent = protect_with(&ours, META(), &texts);
            sent.reverse();
            for (result, text) in unprotect(&theirs, &sent).iter().zip(texts.iter().rev()) {
                assert_eq!(result.as_ref(), Ok(text), "{algorithm}, window {window}");
            }
            let mut again = unprotect(&theirs, &sent).into_iter();
            assert!(again.all(|again| matches!(again, Err(PacketError::Replay { .. }))));
        }
    }
}

/// A packet of another high half is not authentic, although the low half is a number to come.
#[test]
fn the_high_half_is_authenticated() {
    for algorithm in KINDS {
        let (ours, _) = ends_with(algorithm, |config| {
            (config.extended, config.first) = (true, (7 << 32) + 100);
        });
        let (_, theirs) = ends_with(algorithm, |config| {
            (config.extended, config.first) = (true, (8 << 32) + 100);
        });
        let sent = protect_with(&ours, META(), &[noise(64, 1)]);
        let mut packets = [packet(&theirs, &sent[0])];
        PacketProcessor::new().unprotect_burst(&mut packets);
        assert_eq!(packets[0].status(), Some(Err(PacketError::Integrity)), "{algorithm}");
    }
}

/// Packets below the window are refused, and forged ones do not move it.
#[test]
fn the_window_moves_only_after_authentication() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| config.window = 32);
        let sent = protect_with(&ours, META(), &vec![noise(40, 1); 40]);
        let mut forged = sent[0].clone();
        forged[4..8].copy_from_slice(&1_000_000_u32.to_be_bytes());
        assert!(unprotect(&theirs, &[forged])[0].is_err());
        assert!(unprotect(&theirs, &[sent[39].clone()])[0].is_ok());
        assert!(unprotect(&theirs, &[sent[8].clone()])[0].is_ok(), "32 packets are in the window");
        let old = unprotect(&theirs, &[sent[7].clone()]);
        assert_eq!(old[0], Err(PacketError::Replay { number: 8 }));
    }
}

#[test]
fn numbers_that_are_used_up_are_refused() {
    for (extended, last) in [(false, u64::from(u32::MAX)), (true, u64::MAX - 1)] {
        for algorithm in KINDS {
            let (ours, theirs) = ends_with(algorithm, |config| {
                (config.extended, config.first) = (extended, last - 1);
            });
            let mut packets: Vec<_> =
                (0..5).map(|_| packet(&ours, b"text").with_meta(META())).collect();
            assert_eq!(PacketProcessor::new().protect_burst(&mut packets).succeeded, 2);
            let cycled = Some(Err(PacketError::SequenceCycled));
            assert!(packets[2..].iter().all(|packet| packet.status() == cycled));
            assert!(packets[2..].iter().all(|packet| packet.bytes() == b"text"));
            let sent: Vec<_> = packets[..2].iter().map(|one| one.bytes().to_vec()).collect();
            assert!(unprotect(&theirs, &sent).iter().all(Result::is_ok));
        }
    }
}

/// Number 0 is never sent (RFC 4303, 3.4.3), and neither is 2^64 - 1 here.
#[test]
fn numbers_outside_the_range_are_refused() {
    let (ours, theirs) = ends_with(KINDS[0], |_| {});
    let mut sent = protect_with(&ours, META(), &[noise(64, 1)]);
    sent[0][4..8].fill(0);
    assert_eq!(unprotect(&theirs, &sent)[0], Err(PacketError::Replay { number: 0 }));
    let (_, theirs) = ends_with(KINDS[0], |config| {
        (config.extended, config.first) = (true, u64::MAX - 1);
    });
    sent[0][4..8].fill(0xff);
    let replay = Err(PacketError::Replay { number: u32::MAX.into() });
    assert_eq!(unprotect(&theirs, &sent)[0], replay);
}

/// Numbers go on from where they are told, and never back: an IV would come twice.
#[test]
fn numbers_are_set_forwards_alone() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |_| {});
        assert_eq!(protect_with(&ours, META(), &vec![noise(9, 1); 4]).len(), 4);
        ours.set_next(100).expect("it is ahead");
        let sent = protect_with(&ours, META(), &[noise(9, 1)]);
        assert_eq!(sent[0][4..8], 100_u32.to_be_bytes());
        assert!(unprotect(&theirs, &sent)[0].is_ok());
        ours.set_next(101).expect("it is the next one");
        for (number, valid) in [(100, "101 to 4294967295"), (1 << 32, "101 to 4294967295")] {
            let error = ours.set_next(number).expect_err("it is refused").to_string();
            assert_eq!(error, format!("the next number cannot be {number}; valid: {valid}"));
        }
        let sent = protect_with(&ours, META(), &[noise(9, 1)]);
        assert_eq!(sent[0][4..8], 101_u32.to_be_bytes(), "a refused number changes nothing");
        let error = theirs.set_next(200).expect_err("it is inbound").to_string();
        assert!(error.ends_with("valid: none; an inbound flow gives no numbers"), "{error}");
    }
    let (ours, _) = ends_with(KINDS[0], |config| config.takes_ivs = true);
    ours.set_next(100).expect("it is ahead");
    ours.set_next(7).expect("who gives the IVs may repeat numbers");
    assert!(ours.set_next(0).is_err());
}

/// Without a window, packets come in any order and twice, and are still authenticated.
#[test]
fn a_flow_without_a_window_takes_packets_twice() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| config.window = 0);
        let mut sent = protect_with(&ours, META(), &vec![noise(40, 1); 200]);
        sent.reverse();
        assert!(unprotect(&theirs, &sent).iter().all(Result::is_ok));
        let twice = unprotect(&theirs, &[sent[0].clone(), sent[0].clone()]);
        assert!(twice.iter().all(Result::is_ok));
        let at = sent[0].len() - 1;
        sent[0][at] ^= 1;
        assert_eq!(unprotect(&theirs, &sent[..1])[0], Err(PacketError::Integrity));
        sent[1][4..8].fill(0);
        assert_eq!(unprotect(&theirs, &sent[1..2])[0], Err(PacketError::Replay { number: 0 }));
    }
}

/// The hard limit holds at both ends, exactly, within a burst and across bursts.
#[test]
fn a_flow_refuses_packets_beyond_its_limit() {
    for algorithm in KINDS {
        let (ours, theirs) = ends_with(algorithm, |config| config.packet_limit = 3);
        let (free, _) = ends_with(algorithm, |_| {});
        assert_eq!((ours.next_number(), theirs.highest_number()), (Some(1), None));
        let mut packets: Vec<_> =
            (0..5).map(|len| packet(&ours, &noise(len, 1)).with_meta(META())).collect();
        let mut processor = PacketProcessor::new();
        let used_up = Some(Err(PacketError::KeyUsedUp { packets: 3 }));
        assert_eq!(processor.protect_burst(&mut packets).succeeded, 3, "{algorithm}");
        assert_eq!([&packets[3], &packets[4]].map(|packet| packet.status()), [used_up; 2]);
        assert_eq!(ours.next_number(), None);

        let sent = protect_with(&free, META(), &[0, 1, 2, 3].map(|len| noise(len, 1)));
        let results = unprotect(&theirs, &[sent[3].clone(), sent[0].clone()]);
        assert!(results.iter().all(Result::is_ok), "{algorithm}: {results:?}");
        assert_eq!(theirs.highest_number(), Some(4));
        let results = unprotect(&theirs, &[sent[1].clone(), sent[2].clone()]);
        let used_up = Err(PacketError::KeyUsedUp { packets: 3 });
        assert_eq!(results, [Ok(noise(1, 1)), used_up], "{algorithm}");
    }
}
