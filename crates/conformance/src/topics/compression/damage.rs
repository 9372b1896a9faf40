//! Damaged streams.
//!
//! DEFLATE and LZ4 have no checksum, so damage may go unnoticed. The output must then be what every
//! decoder makes of these bytes, and the job's checksum must be the checksum of that output. Where
//! the standard calls a stream wrong, a decoder may be lenient, as some are with reserved symbols.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Ending, Job, JobError, Processor,
    Session,
};
use fastrand::Rng;

use crate::case::assert_same;
use crate::chunk::{Chunk, Kind, compressions};
use crate::reference::compression::{checksum, dissect, pack, unpack};

/// The longest output of a damaged stream, in bytes.
const LIMIT: usize = 4096;

fn how() -> Compression {
    Compression { checksum: Checksum::Crc32, ..Compression::default() }
}

/// Small streams of every kind: stored, with static codes, with codes of their own, and of several
/// blocks.
fn streams(algorithm: CompressionAlgorithm) -> Vec<Chunk> {
    let lens = [5, 39, 100, 160, 300, 301, 302, 303, 304, 305];
    let texts = lens.into_iter().flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
    let mut chunks: Vec<_> = texts.map(|text| Chunk::new(algorithm, how(), text)).collect();
    if algorithm == CompressionAlgorithm::Deflate {
        let open = Compression { ending: Ending::Open, level: 6, ..how() };
        let [first, second] = [Kind::Text.bytes(250), Kind::Text.bytes(120)];
        let stream = [pack(algorithm, open, &first), pack(algorithm, how(), &second)].concat();
        let text = [&first[..], &second[..]].concat();
        let several = Chunk { text: text.into(), packed: stream.into(), ..chunks[0].clone() };
        chunks.push(several);
    }
    chunks
}

/// Every stream that ends too early fails. (An LZ4 block has no end mark: a block that is cut
/// behind literals is a valid block of a shorter text.)
pub fn truncated(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let chunks = streams(algorithm);
        let session = chunks[0].open(provider, Direction::Decompress);
        let mut jobs = Vec::new();
        for chunk in &chunks {
            let cuts = (0..chunk.packed.len()).map(|cut| &chunk.packed[..cut]);
            jobs.extend(cuts.map(|data| Job::new(&session, data).limit(LIMIT as u64).user(chunk)));
        }
        processor.process_many(&mut jobs);
        for job in &jobs {
            let what = || format!("{session:?}, {} bytes of a stream", job.data().len());
            if algorithm == CompressionAlgorithm::Lz4 && job.succeeded() {
                let output = job.output().unwrap_or_default();
                assert!(job.user_value().text.starts_with(output), "{}", what());
                continue;
            }
            let wrong = [JobError::Truncated, JobError::Malformed];
            let status = job.status();
            assert!(
                wrong.map(|error| Some(Err(error))).contains(&status),
                "{}: {status:?}",
                what()
            );
            assert_eq!((job.output(), job.checksum()), (None, None), "{}", what());
        }
    }
}

/// Every bit of small streams turned over, streams spliced of two, and bytes that never were a
/// stream.
pub fn damaged(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(41);
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let chunks = streams(algorithm);
        let session = chunks[0].open(provider, Direction::Decompress);
        let mut damaged = Vec::new();
        for chunk in &chunks {
            for bit in 0..8 * chunk.packed.len() {
                let mut stream = chunk.packed.to_vec();
                stream[bit / 8] ^= 1 << (bit % 8);
                damaged.push(stream);
            }
        }
        for _ in 0..1000 {
            let [from, to] = [0, 1].map(|_| &chunks[rng.usize(..chunks.len())].packed);
            let (head, tail) = (rng.usize(..from.len()), rng.usize(..to.len()));
            damaged.push([&from[..head], &to[tail..]].concat());
            let mut noise = vec![0; rng.usize(..100)];
            rng.fill(&mut noise);
            damaged.push(noise);
        }
        let jobs = damaged.iter().map(|stream| Job::new(&session, &stream[..]).limit(LIMIT as u64));
        let mut jobs: Vec<_> = jobs.collect();
        processor.process_many(&mut jobs);
        for (job, stream) in jobs.iter().zip(&damaged) {
            check(&session, job, algorithm, stream);
        }
    }
}

fn check(session: &Session, job: &Job<'_>, algorithm: CompressionAlgorithm, stream: &[u8]) {
    let what = || format!("{session:?}, damaged: {stream:02x?}");
    let right = unpack(algorithm, stream, LIMIT);
    match job.status() {
        Some(Ok(())) => {
            let output = job.output().unwrap_or_default();
            assert!(output.len() <= LIMIT, "{} bytes: {}", output.len(), what());
            assert_eq!(job.checksum(), checksum(Checksum::Crc32, output), "{}", what());
            if let Ok(right) = right {
                assert_same(output, &right.output, what);
                assert_eq!(job.consumed(), right.consumed, "{}", what());
            }
        }
        Some(Err(JobError::Malformed | JobError::Truncated | JobError::OutputLimit { .. })) => {
            assert_eq!((job.output(), job.checksum()), (None, None), "{}", what());
            let sound =
                dissect(stream).is_ok_and(|made| made.blocks.iter().any(|block| block.is_final));
            let refused = algorithm == CompressionAlgorithm::Deflate && sound && right.is_ok();
            assert!(!refused, "{:?}, and it is sound: {}", job.status(), what());
        }
        status => panic!("{status:?}: {}", what()),
    }
}
