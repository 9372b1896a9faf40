//! Round trips: lengths, levels, checksums.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Checksum, Compression, Direction, Job, Processor};

use super::packed;
use crate::chunk::{CHECKSUMS, Chunk, Kind, LONGEST, compressions, levels, ways};

/// Lengths around which something changes: powers of two, what a stored block holds, and windows.
const EDGES: [usize; 22] = [
    511, 512, 1000, 4095, 4096, 4097, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_534,
    65_535, 65_536, 65_537, 98_304, 131_070, 131_071, 131_073, 196_606, LONGEST,
];

/// Every length from 0 to 300 bytes of everything, in every way that the provider has: what it
/// makes is read by the reference and by itself, and what the reference made by the provider.
pub fn every_length(provider: &Arc<dyn Provider>) {
    for algorithm in compressions(provider) {
        let texts = (0..=300).flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
        let how = Compression { checksum: Checksum::Crc32, ..Compression::default() };
        let chunks: Vec<_> = texts.map(|text| Chunk::new(algorithm, how, text)).collect();
        there_and_back(provider, &ways(provider, algorithm), &chunks);
    }
}

/// Chunks of up to 300 KiB, at every level; and at the first of them a step apart all the way.
pub fn long_chunks(provider: &Arc<dyn Provider>) {
    for algorithm in compressions(provider) {
        let chunks = |lens: &[usize]| -> Vec<_> {
            let texts = lens.iter().flat_map(|len| Kind::ALL.map(|kind| kind.bytes(*len)));
            texts.map(|text| Chunk::new(algorithm, Compression::default(), text)).collect()
        };
        let levels = levels(provider, algorithm);
        there_and_back(provider, &levels, &chunks(&EDGES));
        let steps: Vec<_> = (301..LONGEST).step_by(12_007).collect();
        there_and_back(provider, &levels[..1], &chunks(&steps));
    }
}

/// Both checksums of what was compressed and of what was decompressed, and none where none is asked
/// for.
pub fn checksums(provider: &Arc<dyn Provider>) {
    for algorithm in compressions(provider) {
        for checksum in CHECKSUMS {
            let checked = |how: &Compression| Compression { checksum, ..*how };
            let ways: Vec<_> = levels(provider, algorithm).iter().map(checked).collect();
            // The longest sums of Adler-32 before it must be reduced, and one more.
            let lens = [0, 1, 255, 5552, 5553, 70_000];
            let texts = lens.into_iter().flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
            let chunks: Vec<_> = texts.map(|text| Chunk::new(algorithm, ways[0], text)).collect();
            there_and_back(provider, &ways, &chunks);
        }
    }
}

/// Compresses and decompresses chunks in all these ways, with their own checksums or with the
/// checksums of the ways.
fn there_and_back(provider: &Arc<dyn Provider>, ways: &[Compression], chunks: &[Chunk]) {
    let mut processor = Processor::new();
    for how in ways {
        let own = |chunk: &Chunk| {
            let none = how.checksum == Checksum::None;
            let checksum = if none { chunk.how.checksum } else { how.checksum };
            chunk.with(Compression { checksum, ..*how })
        };
        let chunks: Vec<_> = chunks.iter().map(own).collect();
        let compress = chunks[0].open(provider, Direction::Compress);
        let jobs: Vec<_> =
            chunks.iter().map(|chunk| Job::new(&compress, &chunk.text[..]).user(chunk)).collect();
        let streams = packed(&mut processor, jobs, "there");
        let decompress = chunks[0].open(provider, Direction::Decompress);
        let back = |(chunk, stream)| Job::new(&decompress, stream).user(chunk);
        let mut jobs: Vec<_> = streams.into_iter().map(back).collect();
        processor.process_many(&mut jobs);
        for job in &jobs {
            job.user_value().check_unpacked(job, job.data().len(), "and back");
        }
    }
    let decompress = chunks[0].open(provider, Direction::Decompress);
    let mut jobs: Vec<_> =
        chunks.iter().map(|chunk| Job::new(&decompress, &chunk.packed[..]).user(chunk)).collect();
    processor.process_many(&mut jobs);
    jobs.iter().for_each(|job| job.user_value().check(job, "what the reference made"));
}
