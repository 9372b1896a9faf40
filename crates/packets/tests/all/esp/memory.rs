//! The memory of a flow, and of a burst in the steady state.

use std::collections::HashSet;
use std::sync::Arc;

use broadloom_engine::AesSize;
use broadloom_packets::PacketProcessor;
use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspMeta};

use super::modes::KINDS;
use super::{Keys, SPI, ends_with};
use crate::support::{noise, packet, registry};

/// The bytes that one more flow of AES-128-GCM takes, its session and its keys included.
#[test]
fn a_flow_of_gcm_is_small() {
    let algorithm = EspAlgorithm::AesGcm(AesSize::Aes128);
    let (keys, registry) = (Keys::new(algorithm), registry());
    let config = EspConfig::new(algorithm, keys.as_slices(), SPI);
    // What the first flow of a direction opens is shared by all.
    let first = [EspFlow::outbound, EspFlow::inbound].map(|open: Open| open(&registry, &config));
    for (direction, open) in
        [("outbound", EspFlow::outbound as Open), ("inbound", EspFlow::inbound)]
    {
        let mut flow = None;
        let info = allocation_counter::measure(|| {
            flow = Some(Arc::new(open(&registry, &config).expect("the keys fit")));
        });
        let own = size_of::<EspFlow>();
        println!("an {direction} flow takes {} bytes, {own} of its own", info.bytes_current);
        assert!(info.bytes_current <= 1024, "{} bytes", info.bytes_current);
    }
    assert!(first.iter().all(Result::is_ok));
}

type Open = fn(
    &broadloom_engine::Registry,
    &EspConfig<'_>,
) -> Result<EspFlow, broadloom_packets::FlowError>;

/// The same packets are protected again and again: nothing is allocated any more, and no number is
/// used twice.
#[test]
fn bursts_allocate_nothing_and_repeat_no_number() {
    for algorithm in KINDS {
        let (ours, _) = ends_with(algorithm, |config| config.extended = true);
        let mut processor = PacketProcessor::new();
        let mut packets: Vec<_> = (0..100)
            .map(|len| packet(&ours, &noise(len, 1)).with_meta(EspMeta::payload(17)))
            .collect();
        let mut numbers = HashSet::new();
        for round in 0..4 {
            let info = allocation_counter::measure(|| {
                assert_eq!(processor.protect_burst(&mut packets).succeeded, 100);
            });
            assert!(round == 0 || info.count_total == 0, "{algorithm}: {info:?}");
            for packet in &packets {
                assert!(numbers.insert(packet.bytes()[4..8].to_vec()), "{algorithm}");
            }
        }
    }
}
