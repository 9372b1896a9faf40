//! Room for the output: too little, just enough, and the most.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Job, JobError, Processor,
};

use crate::case::assert_same;
use crate::chunk::{Chunk, Kind, compressions, ways};
use crate::reference::compression::pack;

fn chunks(algorithm: CompressionAlgorithm, how: Compression) -> Vec<Chunk> {
    let texts = [0, 1, 60, 3000, 70_000].into_iter();
    let texts = texts.flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
    texts.map(|text| Chunk::new(algorithm, how, text)).collect()
}

/// No room, nearly none, one byte too few, exactly enough, and one byte more: too little room only
/// costs attempts. Without a request there is room to compress anything at once.
pub fn room(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let ways = ways(provider, algorithm);
        for how in &ways {
            let how = Compression { checksum: Checksum::Adler32, ..*how };
            let chunks = chunks(algorithm, how);
            // Decompression is the same whatever the way.
            let both = [Direction::Compress, Direction::Decompress];
            let directions = if how.level == ways[0].level { &both[..] } else { &both[..1] };
            for direction in directions {
                let session = chunks[0].open(provider, *direction);
                let first = chunks.iter().map(|chunk| chunk.owned_job(&session).user(chunk));
                let mut first: Vec<_> = first.collect();
                processor.process_many(&mut first);
                let mut jobs = Vec::new();
                for job in &first {
                    let chunk = *job.user_value();
                    chunk.check(job, "with room as usual");
                    let whole = job.output().map_or(0, <[u8]>::len);
                    let at_once = *direction != Direction::Compress || job.attempts() == 1;
                    assert!(at_once, "{session:?}, {how:?}: its bound was not enough at first");
                    let rooms = [0, 1, 2, 7, 100, whole.saturating_sub(1), whole, whole + 1];
                    let tried = rooms.map(|room| (chunk.owned_job(&session).room(room), room));
                    jobs.extend(tried.map(|(job, room)| job.user((chunk, room, whole))));
                }
                processor.process_many(&mut jobs);
                for job in &jobs {
                    let (chunk, room, whole) = *job.user_value();
                    let attempts = job.attempts();
                    chunk.check(job, format_args!("in {room} bytes, where {whole} are needed"));
                    let none = room == 0 && whole > 0;
                    let enough = *direction == Direction::Decompress && room >= whole;
                    assert!(
                        (attempts == 1 || !enough) && (attempts > 1 || !none),
                        "{session:?}: {attempts} attempts in {room} bytes, where {whole} are needed"
                    );
                }
            }
        }
    }
}

/// A limit of exactly the length is no hindrance, whatever the room; a lower one fails the job, and
/// nothing comes out.
pub fn limits(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let chunks = chunks(algorithm, Compression::default());
        let session = chunks[0].open(provider, Direction::Decompress);
        let mut jobs = Vec::new();
        for chunk in &chunks {
            let len = chunk.text.len();
            for limit in [0, 1, len / 2, len.saturating_sub(1), len, len + 1, usize::MAX] {
                for room in [None, Some(0), Some(len), Some(4 * len + 9)] {
                    let mut job = chunk.owned_job(&session).limit(limit as u64);
                    job.set_room(room);
                    jobs.push(job.user((chunk, limit as u64)));
                }
            }
        }
        processor.process_many(&mut jobs);
        for job in &jobs {
            let (chunk, limit) = *job.user_value();
            if chunk.text.len() as u64 <= limit {
                chunk.check(job, format_args!("with a limit of {limit}"));
                continue;
            }
            let expected = Some(Err(JobError::OutputLimit { limit }));
            assert_eq!(job.status(), expected, "{session:?}, {} bytes", chunk.text.len());
            assert_eq!((job.output(), job.checksum()), (None, None));
        }
    }
}

/// A few bytes that decompress to many do so without a limit, and fail with one.
pub fn bombs(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let how = Compression { level: 1, ..Compression::default() };
        let text = vec![0; 8 << 20];
        let bomb = pack(algorithm, how, &text);
        let chunk = Chunk::new(algorithm, how, Kind::Zeros.bytes(0));
        let session = chunk.open(provider, Direction::Decompress);
        for limit in [1000, 1 << 20, text.len() as u64 - 1] {
            let mut job = Job::new(&session, &bomb[..]).limit(limit);
            processor.process_many(std::slice::from_mut(&mut job));
            assert_eq!(job.status(), Some(Err(JobError::OutputLimit { limit })), "{session:?}");
            assert_eq!(job.output(), None);
        }
        let mut job = Job::new(&session, &bomb[..]);
        processor.process_many(std::slice::from_mut(&mut job));
        assert_eq!(job.status(), Some(Ok(())), "{session:?}");
        assert_same(job.output().unwrap_or_default(), &text, || format!("zeros, {session:?}"));
    }
}
