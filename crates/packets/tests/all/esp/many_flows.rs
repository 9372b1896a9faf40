//! Bursts of more flows than were seen lately.

use broadloom_packets::esp::{EspFlow, Mode};
use broadloom_packets::{Packet, PacketError, PacketProcessor};

use super::modes::KINDS;
use super::{ends_with, ipv4};
use crate::support::{noise, packet};

/// More than whole windows and steps.
const FLOWS: usize = 150;

/// Where a packet is damaged: in the middle of a step.
const DAMAGED: usize = 73;

/// From the second burst on, most flows of the burst before were new, and packets are worked on in
/// steps. Flows come in another order each time.
#[test]
fn packets_of_new_flows_are_as_those_of_others() {
    for algorithm in KINDS {
        let ends: Vec<(EspFlow, EspFlow)> = (0..FLOWS)
            .map(|flow| {
                ends_with(algorithm, |config| {
                    (config.mode, config.spi) = (Mode::Transport, 300 + flow as u32);
                })
            })
            .collect();
        let (mut sender, mut receiver) = (PacketProcessor::new(), PacketProcessor::new());
        for burst in 0..4 {
            let flow = |place: usize| &ends[(place + 7 * burst) % FLOWS];
            let text = |place: usize| ipv4(&noise(5 * place, burst as u64), 0, true);
            let mut sent: Vec<_> =
                (0..FLOWS).map(|place| packet(&flow(place).0, &text(place))).collect();
            let outcome = sender.protect_burst(&mut sent);
            assert_eq!((outcome.succeeded, outcome.refused), (FLOWS, 0), "{algorithm}: {sent:?}");
            let mut received: Vec<Packet<'_, EspFlow>> = sent
                .iter()
                .enumerate()
                .map(|(place, sent)| packet(&flow(place).1, sent.bytes()))
                .collect();
            let damaged = &mut received[DAMAGED];
            let last = damaged.range().end - 1;
            damaged.buffer_mut()[last] ^= 1;
            let outcome = receiver.unprotect_burst(&mut received);
            assert_eq!((outcome.succeeded, outcome.refused), (FLOWS - 1, 1), "{algorithm}");
            for (place, packet) in received.iter().enumerate() {
                match place {
                    DAMAGED => assert_eq!(packet.status(), Some(Err(PacketError::Integrity))),
                    _ => assert_eq!(
                        (packet.status(), packet.bytes()),
                        (Some(Ok(())), &text(place)[..]),
                        "{algorithm}, burst {burst}, packet {place}"
                    ),
                }
            }
        }
    }
}
