//! The bound of an output, and sessions that take turns.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Job, Processor,
};
use broadloom_testing::noise;

use crate::chunk::{CHECKSUMS, END, compressions, levels, open};

/// Windows and codes for which a bound is told apart.
const CODES: [(u8, Huffman); 4] =
    [(15, Huffman::Dynamic), (9, Huffman::Dynamic), (15, Huffman::Static), (12, Huffman::Static)];

/// Returns the ways in which a provider compresses: every level, with each of [`CODES`] and both
/// endings, as far as the provider has them.
fn ways(provider: &Arc<dyn Provider>, algorithm: CompressionAlgorithm) -> Vec<Compression> {
    let ways = levels(provider, algorithm).into_iter().flat_map(|how| {
        CODES.into_iter().flat_map(move |(window, huffman)| {
            [Ending::Final, Ending::Open].map(|ending| Compression {
                window,
                huffman,
                ending,
                ..how
            })
        })
    });
    ways.filter(|how| open(provider, algorithm, Direction::Compress, *how).is_ok()).collect()
}

/// The bound of a session is room enough at once for the worst there is: what no code shortens, of
/// lengths where another block begins. Checksums come with the output, in both directions.
pub fn bounds(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    let long = [250, 4095, 16_383, 16_384, 32_769, 65_535, 65_536, 150_000];
    let texts: Vec<_> = (0..40).chain(long).map(|len| noise(len, 1)).collect();
    for algorithm in compressions(provider) {
        for (how, checksum) in
            ways(provider, algorithm).into_iter().flat_map(|how| CHECKSUMS.map(|sum| (how, sum)))
        {
            let how = Compression { checksum, ..how };
            let [compress, decompress] = [Direction::Compress, Direction::Decompress]
                .map(|direction| open(provider, algorithm, direction, how).expect("it opened"));
            for text in &texts {
                let what = || format!("{compress:?}, {how:?}, {} bytes", text.len());
                let mut job = Job::new(&compress, &text[..]);
                processor.process_many(std::slice::from_mut(&mut job));
                assert_eq!(job.status(), Some(Ok(())), "{}", what());
                assert_eq!((job.attempts(), job.consumed()), (1, text.len()), "{}", what());
                assert_eq!(job.checksum(), checksum.of(text), "{}", what());
                let mut stream = job.take_output();
                if how.ending == Ending::Open {
                    stream.extend(END);
                }
                let mut job = Job::new(&decompress, stream).room(text.len());
                processor.process_many(std::slice::from_mut(&mut job));
                assert_eq!(job.status(), Some(Ok(())), "{}", what());
                assert_eq!((job.output(), job.attempts()), (Some(&text[..]), 1), "{}", what());
                assert_eq!(job.checksum(), checksum.of(text), "{}", what());
            }
        }
    }
}

/// Sessions of every level take turns at one queue. The first attempt of each job has too little
/// room, which costs one more attempt, and nothing is left of the job before.
pub fn turns(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let decompress = |checksum| {
            let how = Compression { checksum, ..Compression::default() };
            open(provider, algorithm, Direction::Decompress, how).expect("it decompresses")
        };
        let [summed, plain] = [Checksum::Crc32, Checksum::None].map(decompress);
        let sessions = levels(provider, algorithm)
            .into_iter()
            .map(|how| open(provider, algorithm, Direction::Compress, how).expect("a level"));
        let sessions: Vec<_> = sessions.collect();
        for round in 0..3 {
            let short = [noise(round * 1000, 1), vec![b'a'; 9000], noise(round, 1)].concat();
            let long = [noise(3000, 1), vec![b'a'; 90_000]].concat();
            for (session, text) in sessions.iter().flat_map(|one| [(one, &short), (one, &long)]) {
                let what = || format!("{session:?}, {} bytes, round {round}", text.len());
                let mut job = Job::new(session, &text[..]).room(10);
                processor.process_many(std::slice::from_mut(&mut job));
                assert_eq!((job.status(), job.attempts()), (Some(Ok(())), 2), "{}", what());
                let stream = job.take_output();
                for job in [Job::new(&summed, &stream[..]), Job::new(&plain, &stream[..]).room(0)] {
                    let mut job = job;
                    processor.process_many(std::slice::from_mut(&mut job));
                    assert_eq!(job.status(), Some(Ok(())), "{}", what());
                    assert!(job.output() == Some(&text[..]), "another text: {}", what());
                }
            }
        }
    }
}
