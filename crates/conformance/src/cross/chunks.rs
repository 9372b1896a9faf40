//! Chunks: two providers may compress them differently, and must read each other's output.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Job, Processor, Session,
};
use fastrand::Rng;

use crate::case::assert_same;
use crate::chunk::{Chunk, Kind, open, ways};

/// The longest output of a damaged stream, in bytes.
const LIMIT: u64 = 100_000;

/// Compares two providers in both directions.
pub(super) fn compare(
    a: &Arc<dyn Provider>,
    b: &Arc<dyn Provider>,
    algorithm: CompressionAlgorithm,
) {
    let mut rng = Rng::with_seed(46);
    for (from, to) in [(a, b), (b, a)] {
        for how in ways(from, algorithm) {
            let how = Compression { checksum: Checksum::Crc32, ..how };
            let streams = read(&mut rng, from, to, algorithm, how);
            let both = [from, to].map(|provider| {
                open(provider, algorithm, Direction::Decompress, how).expect("it did before")
            });
            damage(&mut rng, &both, streams);
        }
    }
}

/// One compresses, and the other decompresses; what was made is returned.
fn read(
    rng: &mut Rng,
    from: &Arc<dyn Provider>,
    to: &Arc<dyn Provider>,
    algorithm: CompressionAlgorithm,
    how: Compression,
) -> Vec<Vec<u8>> {
    let mut processor = Processor::new();
    let lens = [0, rng.usize(1..50), rng.usize(50..2000), rng.usize(2000..100_000)];
    let texts = lens.into_iter().flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
    let chunks: Vec<_> = texts.map(|text| Chunk::new(algorithm, how, text)).collect();
    let compress = chunks[0].open(from, Direction::Compress);
    let mut jobs: Vec<_> = chunks.iter().map(|chunk| chunk.owned_job(&compress)).collect();
    processor.process_many(&mut jobs);
    let outputs = jobs.iter().zip(&chunks).map(|(job, chunk)| {
        chunk.check(job, "for another provider");
        chunk.whole(job.output().unwrap_or_default())
    });
    let streams: Vec<_> = outputs.collect();
    let decompress = chunks[0].open(to, Direction::Decompress);
    let mut jobs: Vec<_> =
        streams.iter().map(|stream| Job::new(&decompress, stream.as_slice())).collect();
    processor.process_many(&mut jobs);
    for ((job, chunk), stream) in jobs.iter().zip(&chunks).zip(&streams) {
        chunk.check_unpacked(job, stream.len(), format_args!("made by {}", from.name()));
    }
    drop(jobs);
    streams
}

/// Both decompress streams with bits turned over, or cut short.
fn damage(rng: &mut Rng, sessions: &[Session; 2], streams: Vec<Vec<u8>>) {
    let mut processor = Processor::new();
    let mut damaged = Vec::new();
    for stream in streams.into_iter().filter(|stream| (1..5000).contains(&stream.len())) {
        for turn in 0..4 {
            let mut stream = stream.clone();
            let at = rng.usize(..stream.len());
            match turn {
                0 => stream.truncate(at),
                _ => stream[at] ^= 1 << rng.u8(..8),
            }
            damaged.push(stream);
        }
    }
    let jobs = damaged.iter().flat_map(|stream| {
        sessions.each_ref().map(|session| Job::new(session, stream.as_slice()).limit(LIMIT))
    });
    let mut jobs: Vec<_> = jobs.collect();
    processor.process_many(&mut jobs);
    for (pair, stream) in jobs.chunks_exact(2).zip(&damaged) {
        let [a, b] = pair else { unreachable!("chunks of two") };
        if let (Some(one), Some(other)) = (a.output(), b.output()) {
            let what =
                || format!("{:?} and {:?}, damaged: {stream:02x?}", a.session(), b.session());
            assert_same(one, other, what);
            let facts = |job: &Job<'_>| (job.consumed(), job.checksum());
            assert_eq!(facts(a), facts(b), "{}", what());
        }
    }
}
