//! Places of data (borrowed, owned, shared, in pieces), and jobs and memory that are used again.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{Bytes, Checksum, Compression, Data, Direction, Job, JobError, Processor};
use fastrand::Rng;

use crate::case::assert_same;
use crate::chunk::{Chunk, Kind, compressions, ways};
use crate::topics::data::split;

const BOTH: [Direction; 2] = [Direction::Compress, Direction::Decompress];

fn how() -> Compression {
    Compression { checksum: Checksum::Crc32, ..Compression::default() }
}

/// Data that are borrowed, owned or shared, in one piece or in up to five; they stay as they were.
pub fn pieces(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(42);
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let texts = [0, 1, 77, 3000, 66_000].into_iter();
        let texts = texts.flat_map(|len| Kind::ALL.map(|kind| kind.bytes(len)));
        let chunks: Vec<_> = texts.map(|text| Chunk::new(algorithm, how(), text)).collect();
        for direction in BOTH {
            let session = chunks[0].open(provider, direction);
            let mut places: Vec<_> =
                chunks.iter().map(|chunk| chunk.input(direction).to_vec()).collect();
            let mut jobs = Vec::new();
            for (chunk, place) in chunks.iter().zip(&mut places) {
                let input = chunk.input(direction);
                let kinds: [(&str, Data<'_>); 7] = [
                    ("borrowed", Bytes::Borrowed(input).into()),
                    ("owned", Bytes::Owned(input.to_vec()).into()),
                    ("shared", Bytes::Shared(Arc::clone(input)).into()),
                    ("borrowed to be written", place.as_mut_slice().into()),
                    ("owned to be written", input.to_vec().into()),
                    ("in pieces", Data::gather(split(&mut rng, input))),
                    ("in pieces to be written", Data::scattered(split(&mut rng, input))),
                ];
                for (kind, data) in kinds {
                    jobs.push(Job::new(&session, data).user((chunk, kind)));
                }
            }
            processor.process_many(&mut jobs);
            for job in &jobs {
                let (chunk, kind) = *job.user_value();
                chunk.check(job, kind);
                let after: Vec<u8> = job.data().input_pieces().flatten().copied().collect();
                assert_same(&after, chunk.input(direction), || format!("the input, {kind}"));
            }
            pieces_in_little_room(&mut processor, &mut rng, &chunks, &session);
        }
    }
}

/// Pieces, some of which are read when the room ends.
fn pieces_in_little_room(
    processor: &mut Processor,
    rng: &mut Rng,
    chunks: &[Chunk],
    session: &broadloom_engine::Session,
) {
    let mut jobs = Vec::new();
    for chunk in chunks {
        let input = chunk.input(session.direction());
        let room = rng.usize(..=input.len());
        let data = Data::gather(split(rng, input));
        jobs.push(Job::new(session, data).room(room).user((chunk, room)));
    }
    processor.process_many(&mut jobs);
    for job in &jobs {
        let (chunk, room) = *job.user_value();
        chunk.check(job, format_args!("in pieces, in {room} bytes of room"));
    }
}

/// A job makes its output itself. A job with a place for the output is refused, and the place stays
/// unchanged.
pub fn own_output(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let chunk = Chunk::new(algorithm, how(), Kind::Text.bytes(500));
        for direction in BOTH {
            let session = chunk.open(provider, direction);
            let input = chunk.input(direction);
            let place = || vec![0x5a; input.len()];
            let pieces = vec![Bytes::from(&input[..])];
            let with_places = [
                Data::from((&input[..], place())),
                Data::scattered_to(pieces, vec![place().into()]),
            ];
            for data in with_places {
                let mut job = Job::new(&session, data);
                processor.process_many(std::slice::from_mut(&mut job));
                assert_eq!(job.status(), Some(Err(JobError::OwnOutput)), "{session:?}");
                assert_eq!((job.output(), job.checksum()), (None, None));
                let after: Vec<u8> = job.data().output_pieces().flatten().copied().collect();
                assert_same(&after, &place(), || format!("a place that was refused, {session:?}"));
            }
        }
    }
}

/// One job, and one piece of memory, for chunk after chunk, long and short, good and bad, in every
/// way. What is in the memory does not matter.
pub fn reused_buffers(provider: &Arc<dyn Provider>) {
    let mut rng = Rng::with_seed(43);
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let mut job: Option<Job<'_>> = None;
        for how in ways(provider, algorithm) {
            let how = Compression { checksum: Checksum::Adler32, ..how };
            for direction in BOTH {
                let len = [0, 10, 900, 40_000][rng.usize(..4)];
                let chunk = Chunk::new(algorithm, how, Kind::ALL[rng.usize(..3)].bytes(len));
                let session = chunk.open(provider, direction);
                let job = job.get_or_insert_with(|| chunk.owned_job(session.clone()));
                job.set_session(session);
                job.set_data(b"\xff\xff\xff".to_vec());
                processor.process_many(std::slice::from_mut(job));
                let mut memory = job.take_output();
                memory.resize(rng.usize(..5000), 0xee);
                let capacity = memory.capacity();
                job.set_output_buffer(memory);
                job.set_data(chunk.input(direction).to_vec());
                assert_eq!(
                    (job.status(), job.output()),
                    (None, None),
                    "made ready for its next use"
                );
                processor.process_many(std::slice::from_mut(job));
                chunk.check(job, "a job used again");
                let output = job.take_output();
                assert!(
                    output.capacity() >= capacity,
                    "{capacity} bytes of memory were given away"
                );
                assert_eq!(job.output(), Some(&[][..]), "the output was taken");
                job.set_output_buffer(output);
            }
        }
    }
}
