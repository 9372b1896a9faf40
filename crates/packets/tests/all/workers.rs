//! Threads of [`PacketWorkers`] that each work on bursts of their own.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::yield_now;

use broadloom_engine::{AesSize, Placement};
use broadloom_packets::esp::{EspAlgorithm, EspConfig, EspFlow, EspKeys, EspMeta};
use broadloom_packets::{Flow, Flows, Packet, PacketProcessor, PacketWorkers};

use crate::support::{noise, packet, registry};

/// Returns the configuration of a flow, whose key nobody else has.
fn config(spi: u32, key: &[u8; 20]) -> EspConfig<'_> {
    let keys = EspKeys { key: &key[..16], salt: &key[16..], ..EspKeys::default() };
    let algorithm = EspAlgorithm::AesGcm(AesSize::Aes128);
    EspConfig { window: 65_536, ..EspConfig::new(algorithm, keys, spi) }
}

fn key(spi: u32) -> [u8; 20] {
    noise(20, spi.into()).try_into().expect("20 bytes")
}

#[test]
fn every_thread_works_at_the_same_time_and_has_a_number() {
    for placement in [Placement::Anywhere, Placement::Packed] {
        let workers = PacketWorkers::new(3, &placement).expect("three threads");
        let all = Barrier::new(3);
        for _ in 0..3 {
            // Nobody gets past the barrier before all are there.
            let numbers = workers.on_each(|thread, _| {
                all.wait();
                thread
            });
            assert_eq!(numbers, [0, 1, 2]);
        }
    }
}

#[test]
fn a_thread_that_panics_does_not_end_the_others() {
    let workers = PacketWorkers::new(3, &Placement::Anywhere).expect("three threads");
    let ended = AtomicUsize::new(0);
    let work = |thread: usize, _: &mut PacketProcessor| {
        assert_ne!(thread, 1, "this one is to panic");
        ended.fetch_add(1, Ordering::Relaxed);
    };
    assert!(catch_unwind(AssertUnwindSafe(|| workers.on_each(work))).is_err());
    assert_eq!(ended.load(Ordering::Relaxed), 2);
    assert_eq!(workers.on_each(|thread, _| thread), [0, 1, 2]);
}

/// How many flows are added and removed again.
const FLOWS: u32 = 40;

/// How many of them there are at a time.
const LIVE: u32 = 4;

/// Two threads protect packets of all the flows that they find in a table, while a third one adds
/// flows and removes those that were used. No number is used twice, and every packet that was
/// protected is one that the other end takes.
#[test]
fn flows_come_and_go_while_threads_work() {
    let registry = registry();
    let table: Flows<u32, EspFlow> = Flows::new();
    let workers = PacketWorkers::new(3, &Placement::Anywhere).expect("three threads");
    let is_over = AtomicBool::new(false);
    let change = || {
        for spi in 1..=FLOWS + LIVE {
            if spi <= FLOWS {
                let flow = EspFlow::outbound(&registry, &config(spi, &key(spi))).expect("it opens");
                assert!(table.insert(spi, Arc::new(flow)).is_none());
            }
            let Some(old) = spi.checked_sub(LIVE).filter(|old| *old > 0) else { continue };
            let used = || table.get(&old).is_some_and(|flow| flow.counters().read().packets > 0);
            while !used() {
                yield_now();
            }
            assert!(table.remove(&old).is_some());
        }
        is_over.store(true, Ordering::Release);
        Vec::new()
    };
    let sent = workers.on_each(|thread, processor| {
        if thread == 2 {
            return change();
        }
        let mut sent: Vec<(u32, Vec<u8>)> = Vec::new();
        while !is_over.load(Ordering::Acquire) {
            let found = (1..=FLOWS).filter_map(|spi| Some((spi, table.get(&spi)?)));
            let found: Vec<(u32, Arc<EspFlow>)> = found.collect();
            let mut burst: Vec<Packet<'_, EspFlow>> = found
                .iter()
                .map(|(spi, flow)| {
                    let mut buffer = vec![0; 256];
                    buffer[64..84].copy_from_slice(&key(spi ^ 1 << 20));
                    let packet = Packet::new(Arc::clone(flow), buffer, 64..84);
                    packet.with_meta(EspMeta::payload(17))
                })
                .collect();
            assert_eq!(processor.protect_burst(&mut burst).refused, 0);
            let outputs = burst.iter().zip(&found);
            sent.extend(outputs.map(|(packet, (spi, _))| (*spi, packet.bytes().to_vec())));
            yield_now();
        }
        sent
    });
    let mut of_flow: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
    for (spi, packet) in sent.into_iter().flatten() {
        of_flow.entry(spi).or_default().push(packet);
    }
    assert_eq!(of_flow.len(), FLOWS as usize, "every flow was used");
    for (spi, mut sent) in of_flow {
        // In the order of their numbers, so that none is below the window.
        sent.sort_by_key(|packet| packet[4..8].to_vec());
        let theirs = EspFlow::inbound(&registry, &config(spi, &key(spi))).expect("it opens");
        for sent in &sent {
            let mut received = [packet(&theirs, sent)];
            PacketProcessor::new().unprotect_burst(&mut received);
            assert_eq!(received[0].status(), Some(Ok(())), "flow {spi}");
            assert_eq!(received[0].bytes(), key(spi ^ 1 << 20));
        }
    }
}
