//! Endings of streams, the kinds of their blocks, and data that may follow.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Compression, CompressionAlgorithm, Direction, Ending, Huffman, Job, Processor,
};

use super::packed;
use crate::case::assert_same;
use crate::chunk::{Chunk, END, Kind, compressions, ways};
use crate::reference::compression::{BlockKind, dissect, unpack};

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// No match reaches beyond its window; static codes are the only codes where they are asked for;
/// the last block is final, or none is, and the stream ends on a byte boundary.
pub fn windows_and_codes(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for how in deflate_ways(provider) {
        for len in [0, 300, 100_000] {
            let chunk = Chunk::new(DEFLATE, how, Kind::Text.bytes(len));
            let session = chunk.open(provider, Direction::Compress);
            let mut job = chunk.owned_job(&session);
            processor.process_many(std::slice::from_mut(&mut job));
            chunk.check(&job, "to be taken apart");
            let made = dissect(job.output().unwrap_or_default()).expect("the reference reads it");
            let what = || format!("{session:?}, {how:?}, {len} bytes");
            assert_same(&made.output, &chunk.text, what);
            let farthest = made.farthest;
            assert!(farthest <= 1 << how.window, "a match {farthest} bytes back: {}", what());
            let dynamic = made.blocks.iter().any(|block| block.kind == BlockKind::Dynamic);
            assert!(!dynamic || how.huffman == Huffman::Dynamic, "own codes: {}", what());
            let mut finals = made.blocks.iter().rev().map(|block| block.is_final);
            let ends = finals.next() == Some(true);
            assert_eq!(ends, how.ending == Ending::Final, "the last block: {}", what());
            assert!(!finals.any(|is_final| is_final), "a final block before the last: {}", what());
        }
    }
}

/// Open streams, one after the other, and an empty final block behind them, are one stream.
pub fn endings(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for how in deflate_ways(provider).into_iter().filter(|how| how.ending == Ending::Open) {
        let texts = [(0, 2000), (1, 700), (2, 40_000), (0, 0), (0, 65_536), (1, 1), (2, 0), (0, 3)];
        let chunks = texts.map(|(kind, len)| Chunk::new(DEFLATE, how, Kind::ALL[kind].bytes(len)));
        let session = chunks[0].open(provider, Direction::Compress);
        let mut jobs: Vec<_> = chunks.iter().map(|chunk| chunk.owned_job(&session)).collect();
        processor.process_many(&mut jobs);
        let mut stream: Vec<u8> =
            jobs.iter().flat_map(|job| job.output().unwrap_or_default()).copied().collect();
        stream.extend(END);
        let text: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.text.iter()).copied().collect();
        let unpacked = unpack(DEFLATE, &stream, text.len());
        let unpacked = unpacked.unwrap_or_else(|error| panic!("{session:?}, {how:?}: {error}"));
        assert_eq!(unpacked.consumed, stream.len(), "{how:?}");
        assert_same(&unpacked.output, &text, || format!("open streams joined, {how:?}"));
        let whole = Chunk { text: text.into(), packed: stream.into(), ..chunks[0].clone() };
        let session = whole.open(provider, Direction::Decompress);
        let mut job = whole.owned_job(&session);
        processor.process_many(std::slice::from_mut(&mut job));
        whole.check(&job, "open streams joined");
    }
}

/// Bytes behind a stream are not read, and the job says where the stream ended.
pub fn trailing_bytes(provider: &Arc<dyn Provider>) {
    if !compressions(provider).contains(&DEFLATE) {
        return;
    }
    let mut processor = Processor::new();
    let texts = [0, 1, 2, 3, 100, 101, 102, 103, 104, 105, 5000, 70_001, 70_002];
    let texts = texts.into_iter().flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
    let chunks: Vec<_> =
        texts.map(|text| Chunk::new(DEFLATE, Compression::default(), text)).collect();
    let session = chunks[0].open(provider, Direction::Decompress);
    let noise = Kind::Random.bytes(999);
    let mut jobs = Vec::new();
    for chunk in &chunks {
        let ends = chunk.packed.len();
        let followers: [&[u8]; 6] =
            [&[0], &[0xff], &noise[..7], &[0; 64], &noise, &chunk.packed[..ends.min(5000)]];
        for follower in followers {
            let data = [&chunk.packed, follower].concat();
            jobs.push(Job::new(&session, data).user(chunk));
        }
    }
    processor.process_many(&mut jobs);
    for job in &jobs {
        let chunk = *job.user_value();
        let more = job.data().len() - chunk.packed.len();
        let context = format!("with {more} bytes behind it");
        chunk.check_unpacked(job, chunk.packed.len(), context);
    }
    own_streams(provider, &chunks, &noise);
}

/// The same of the provider's own streams.
fn own_streams(provider: &Arc<dyn Provider>, chunks: &[Chunk], noise: &[u8]) {
    let mut processor = Processor::new();
    let compress = chunks[0].open(provider, Direction::Compress);
    let jobs = chunks.iter().map(|chunk| chunk.owned_job(&compress).user(chunk)).collect();
    let decompress = chunks[0].open(provider, Direction::Decompress);
    for (chunk, stream) in packed(&mut processor, jobs, "to be followed") {
        let mut job = Job::new(&decompress, [&stream, noise].concat());
        processor.process_many(std::slice::from_mut(&mut job));
        chunk.check_unpacked(&job, stream.len(), "with noise behind it");
    }
}

fn deflate_ways(provider: &Arc<dyn Provider>) -> Vec<Compression> {
    let has = compressions(provider).contains(&DEFLATE);
    if has { ways(provider, DEFLATE) } else { Vec::new() }
}
