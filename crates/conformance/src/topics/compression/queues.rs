//! Compression in queue pairs, alone and mixed with packets.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, Direction, Order, Processor, QueueConfig, QueuePair,
};
use fastrand::Rng;

use crate::chunk::{Chunk, Kind, compressions, ways};
use crate::reference_provider;
use crate::topics::mix::Mix;

/// Chunks in all ways at once, in random order, with room as it falls.
pub fn many_ways(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(44);
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let mut chunks = Vec::new();
        for how in ways(provider, algorithm) {
            for checksum in [Checksum::Crc32, Checksum::Adler32] {
                let how = Compression { checksum, ..how };
                let scale = 1 << rng.usize(1..17);
                let len = rng.usize(..scale);
                let chunk = Chunk::new(algorithm, how, Kind::ALL[rng.usize(..3)].bytes(len));
                let both = [Direction::Compress, Direction::Decompress];
                chunks
                    .extend(both.map(|direction| (chunk.open(provider, direction), chunk.clone())));
            }
        }
        rng.shuffle(&mut chunks);
        let mut jobs = Vec::new();
        for (session, chunk) in &chunks {
            let mut job = chunk.owned_job(session);
            job.set_room(rng.bool().then(|| rng.usize(..chunk.text.len() + 20)));
            jobs.push(job.user(chunk));
        }
        processor.process_many(&mut jobs);
        jobs.iter().for_each(|job| job.user_value().check(job, "one of many ways"));
    }
}

/// One queue pair, in both orders, for the provider's chunks and for packets of another provider.
pub fn beside_packets(provider: &Arc<dyn Provider>) {
    if compressions(provider).is_empty() {
        return;
    }
    let mix = Mix::of_both(provider, &reference_provider(), 45, 2);
    for order in [Order::Any, Order::AsSubmitted] {
        let config = QueueConfig { order, capacity: 60, ..QueueConfig::default() };
        let mut queue = QueuePair::new(config);
        let (mut jobs, mut done) = (mix.jobs(), Vec::new());
        while done.len() < mix.len() {
            queue.enqueue(&mut jobs);
            queue.flush();
            queue.dequeue(&mut done, 45);
        }
        if order == Order::AsSubmitted {
            assert!(done.iter().map(|job| *job.user_value()).eq(0..mix.len()), "as submitted");
        }
        mix.check_all(&done, &format!("chunks beside packets, {order:?}"));
    }
}
