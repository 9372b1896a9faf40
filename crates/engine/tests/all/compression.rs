//! Compression jobs: room, overflow, limits, checksums and what becomes of what does not compress.

use std::sync::Arc;

use broadloom_engine::provider::{
    AnyQueue, CompressionParts, Operation, Progress, Provider, ProviderError, ProviderSession,
    Queue,
};
use broadloom_engine::{
    Algorithm, Bytes, Checksum, Compression, CompressionAlgorithm, Data, Ending, Job, JobError,
    Processor, Session, Transform,
};
use proptest::prelude::*;

/// "Compresses" each byte to a block of its own that is self-contained: the byte and its
/// complement. So any number of input bytes can be kept where room ends, and twice the room is
/// always needed.
#[derive(Clone, Copy)]
struct Doubling {
    /// Keeps what fits where the room ends; else nothing.
    keeps: bool,
    /// Says that the room is not enough, whatever there is.
    never_fits: bool,
}

impl Provider for Doubling {
    fn name(&self) -> &str {
        "doubling"
    }

    fn description(&self) -> String {
        "makes two bytes of each".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::Compression(_))
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        Ok(Box::new(DoublingSession {
            compresses: transform.direction() == broadloom_engine::Direction::Compress,
        }))
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(*self))
    }
}

struct DoublingSession {
    compresses: bool,
}

impl ProviderSession for DoublingSession {
    fn kernel(&self) -> String {
        "bytes".to_owned()
    }

    fn bound(&self, len: usize) -> usize {
        2 * len
    }
}

impl Queue for Doubling {
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            operation.attempt(|CompressionParts { session, input, output }| {
                let DoublingSession { compresses } = session;
                if *compresses {
                    Ok(compress(input, output, *self))
                } else {
                    decompress(input, output)
                }
            });
        }
    }
}

fn compress(input: &[u8], output: &mut [u8], how: Doubling) -> Progress {
    let fits = input.len().min(output.len() / 2);
    let full = how.never_fits || fits < input.len();
    let count = if full && !how.keeps { 0 } else { fits };
    for (byte, pair) in input[..count].iter().zip(output.chunks_mut(2)) {
        pair.copy_from_slice(&[*byte, !*byte]);
    }
    Progress { consumed: count, produced: 2 * count, full, checksum: None }
}

/// A zero byte at the place of a pair ends the stream.
fn decompress(input: &[u8], output: &mut [u8]) -> Result<Progress, JobError> {
    let mut progress = Progress::default();
    for pair in input.chunks(2) {
        match *pair {
            [byte, other] if byte == !other => {
                let Some(place) = output.get_mut(progress.produced) else {
                    return Ok(Progress::FULL);
                };
                *place = byte;
                progress.produced += 1;
                progress.consumed += 2;
            }
            [0, 0] => return Ok(Progress { consumed: progress.consumed + 2, ..progress }),
            [_] => return Err(JobError::Truncated),
            _ => return Err(JobError::Malformed),
        }
    }
    Ok(progress)
}

fn open(keeps: bool, transform: Result<Transform, broadloom_engine::TransformError>) -> Session {
    let transform = transform.expect("it can be");
    Session::open(Arc::new(Doubling { keeps, never_fits: false }), &transform).expect("it can")
}

// LZ4, whose output is never replaced by stored blocks.
fn compressing(keeps: bool, checksum: Checksum) -> Session {
    let how = Compression { checksum, ..Compression::default() };
    open(keeps, Transform::compress(CompressionAlgorithm::Lz4, how))
}

fn decompressing() -> Session {
    open(false, Transform::decompress(CompressionAlgorithm::Lz4, Checksum::None))
}

fn run(job: &mut Job<'_>) {
    Processor::new().process_many(std::slice::from_mut(job));
}

fn doubled(input: &[u8]) -> Vec<u8> {
    input.iter().flat_map(|byte| [*byte, !*byte]).collect()
}

#[test]
fn more_room_than_can_be_of_use_is_not_taken() {
    for room in [1 << 60, usize::MAX] {
        let mut job = Job::new(compressing(true, Checksum::None), b"abc".as_slice()).room(room);
        run(&mut job);
        assert_eq!(job.output(), Some(doubled(b"abc").as_slice()));
        let capacity = job.take_output().capacity();
        assert!(capacity < 1000, "{capacity} bytes for 6");
    }
}

proptest! {
    #[test]
    fn too_little_room_costs_attempts_and_nothing_else(
        input in proptest::collection::vec(any::<u8>(), 0..600),
        room in 0usize..700,
        keeps: bool,
        cut in 0usize..600,
    ) {
        let session = compressing(keeps, Checksum::Crc32);
        let (first, second) = input.split_at(cut.min(input.len()));
        let data = Data::gather(vec![Bytes::from(first), second.into()]);
        for data in [data, input.as_slice().into()] {
            let mut job = Job::new(&session, data).room(room);
            run(&mut job);
            let expected = doubled(&input);
            prop_assert_eq!(job.output(), Some(expected.as_slice()));
            prop_assert_eq!(job.checksum(), Checksum::Crc32.of(&input));
            prop_assert_eq!(job.consumed(), input.len());
            prop_assert_eq!(job.attempts() > 1, room < 2 * input.len());
        }
    }

    #[test]
    fn decompression_makes_room_up_to_its_limit(
        text in proptest::collection::vec(any::<u8>(), 0..3000),
        room in 0usize..700,
        limit in 0u64..3000,
    ) {
        let session = decompressing();
        let input = doubled(&text);
        let mut job = Job::new(&session, input.as_slice()).room(room).limit(limit);
        run(&mut job);
        if text.len() as u64 <= limit {
            prop_assert_eq!(job.output(), Some(text.as_slice()));
        } else {
            prop_assert_eq!(job.status(), Some(Err(JobError::OutputLimit { limit })));
            prop_assert_eq!(job.output(), None);
        }
    }
}

#[test]
fn a_stream_that_ends_early_says_where() {
    let session = decompressing();
    let mut job = Job::new(&session, [5, !5, 0, 0, 9, 9, 9].as_slice());
    run(&mut job);
    assert_eq!((job.output(), job.consumed()), (Some([5].as_slice()), 4));
}

#[test]
fn what_went_wrong_is_said_and_nothing_comes_out() {
    let session = decompressing();
    for (input, error) in
        [([5, !5, 7].as_slice(), JobError::Truncated), (&[5, 5], JobError::Malformed)]
    {
        let mut job = Job::new(&session, input);
        run(&mut job);
        assert_eq!(job.status(), Some(Err(error)));
        assert_eq!(job.output(), None);
        assert!(job.take_output().is_empty());
    }
    let mut output = [0; 8];
    let mut job = Job::new(&session, (&[5u8, !5], &mut output));
    run(&mut job);
    assert_eq!(job.status(), Some(Err(JobError::OwnOutput)));
}

#[test]
fn deflate_never_takes_more_than_stored_blocks() {
    let input: Vec<u8> = (0..70_000u32).map(|i| i as u8).collect();
    for (ending, first_of_last) in [(Ending::Final, 1), (Ending::Open, 0)] {
        let how = Compression { ending, checksum: Checksum::Adler32, ..Compression::default() };
        let session = open(true, Transform::compress(CompressionAlgorithm::Deflate, how));
        let pieces = vec![Bytes::from(&input[..9]), (&input[9..]).into()];
        for data in [input.as_slice().into(), Data::gather(pieces)] {
            let mut job = Job::new(&session, data);
            run(&mut job);
            let output = job.output().expect("it went well");
            assert_eq!(output.len(), input.len() + 2 * 5);
            assert_eq!(output[5..][..65535], input[..65535]);
            assert_eq!((output[0], output[65540]), (0, first_of_last));
            assert_eq!(output[65545..], input[65535..]);
            assert_eq!(job.checksum(), Checksum::Adler32.of(&input));
        }
    }
}

#[test]
fn a_compressor_that_is_never_content_fails() {
    let input = [7; 100];
    let never = |keeps, algorithm| {
        let transform = Transform::compress(algorithm, Compression::default()).expect("it can be");
        Session::open(Arc::new(Doubling { keeps, never_fits: true }), &transform).expect("it can")
    };
    let enough = 4 * 2 * input.len();
    for algorithm in [CompressionAlgorithm::Lz4, CompressionAlgorithm::Deflate] {
        for keeps in [false, true] {
            let session = never(keeps, algorithm);
            for wish in [None, Some(0), Some(5000)] {
                let mut job = Job::new(&session, input.as_slice());
                job.set_room(wish);
                run(&mut job);
                let error = JobError::NeverFits { len: input.len(), room: enough };
                assert_eq!(job.status(), Some(Err(error)));
                assert!(job.attempts() < 5, "{} attempts", job.attempts());
                assert_eq!(job.output(), None);
            }
        }
    }
}

#[test]
fn memory_is_used_again() {
    let session = compressing(true, Checksum::None);
    let mut job = Job::new(&session, b"abc".as_slice());
    job.set_output_buffer(Vec::with_capacity(4096));
    run(&mut job);
    let output = job.take_output();
    assert_eq!((output.as_slice(), output.capacity()), (doubled(b"abc").as_slice(), 4096));
    job.set_output_buffer(output);
    job.set_data(b"xy".as_slice());
    assert_eq!(job.output(), None);
    run(&mut job);
    assert_eq!(job.output(), Some(doubled(b"xy").as_slice()));
}
