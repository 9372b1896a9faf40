//! Tests of this provider alone: refusals, bounds and checksums. The conformance suite tests the
//! properties of all providers.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Ending, HashAlgorithm, Huffman, Job,
    JobError, Processor, Session, Transform,
};

use crate::Libdeflate;

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

fn provider() -> Arc<dyn Provider> {
    Arc::new(Libdeflate::load(&[]).expect("it is built in"))
}

fn open(provider: &Arc<dyn Provider>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider), transform).expect("libdeflate has it")
}

fn run(processor: &mut Processor, job: &mut Job<'_>) -> Result<(), JobError> {
    processor.process_many(std::slice::from_mut(job));
    job.status().expect("it is complete")
}

fn noise(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn it_takes_no_options() {
    assert_eq!(
        Libdeflate::load(&[("level", "1")]).err().expect("it takes none").to_string(),
        "the libdeflate provider takes no level=1: it takes no options"
    );
}

#[test]
fn what_it_does_not_have_is_refused_with_what_it_has() {
    let provider = provider();
    assert_eq!(provider.levels(DEFLATE), Some(0..=12));
    assert_eq!(provider.levels(CompressionAlgorithm::Lz4), None);
    assert!(!provider.supports(Algorithm::Compression(CompressionAlgorithm::Lz4)));
    let refused = |transform: Transform| {
        provider.open_session(&transform).err().expect("it has none").to_string()
    };
    let compress = |compression| refused(Transform::compress(DEFLATE, compression).unwrap());
    let plain = Compression::default();
    assert_eq!(
        compress(Compression { level: 13, ..plain }),
        "libdeflate has no level 13; valid: 0 to 12"
    );
    assert_eq!(
        compress(Compression { window: 14, ..plain }),
        "libdeflate has no window of 2^14 bytes; valid: 2^15"
    );
    assert_eq!(
        compress(Compression { huffman: Huffman::Static, ..plain }),
        "libdeflate cannot be held to static codes: it chooses each block's itself; valid: dynamic"
    );
    assert_eq!(
        refused(Transform::decompress(CompressionAlgorithm::Lz4, Checksum::None).unwrap()),
        "libdeflate has no lz4; it has deflate"
    );
    assert_eq!(
        refused(Transform::hash(HashAlgorithm::Sha256)),
        "libdeflate has no sha256; it has deflate"
    );
}

#[test]
fn the_bound_is_room_enough_at_once_and_checksums_come_with_it() {
    let (provider, mut processor) = (provider(), Processor::new());
    for checksum in [Checksum::None, Checksum::Crc32, Checksum::Adler32] {
        let inflate = open(&provider, &Transform::decompress(DEFLATE, checksum).unwrap());
        for level in 0..=12 {
            let ending = if level % 2 == 0 { Ending::Final } else { Ending::Open };
            let how = Compression { level, checksum, ending, ..Compression::default() };
            let session = open(&provider, &Transform::compress(DEFLATE, how).unwrap());
            for len in (0..40).chain([250, 4095, 16_384, 65_536, 150_000]) {
                let data = noise(len);
                let mut job = Job::new(&session, data.clone());
                assert_eq!(run(&mut processor, &mut job), Ok(()), "{how:?}, {len}");
                assert_eq!((job.attempts(), job.consumed()), (1, len), "{how:?}, {len}");
                assert_eq!(job.checksum(), checksum.of(&data));
                let mut stream = job.take_output();
                if ending == Ending::Open {
                    stream.extend([3, 0]);
                }
                let mut job = Job::new(&inflate, stream).room(len);
                assert_eq!(run(&mut processor, &mut job), Ok(()));
                assert_eq!((job.output(), job.attempts()), (Some(&data[..]), 1));
                assert_eq!(job.checksum(), checksum.of(&data));
            }
        }
    }
}

#[test]
fn too_little_room_is_made_more() {
    let (provider, mut processor) = (provider(), Processor::new());
    let session = open(&provider, &Transform::compress(DEFLATE, Compression::default()).unwrap());
    let inflate = open(&provider, &Transform::decompress(DEFLATE, Checksum::None).unwrap());
    let data = [noise(3000), vec![b'a'; 90_000]].concat();
    let mut job = Job::new(&session, data.clone()).room(10);
    assert_eq!(run(&mut processor, &mut job), Ok(()));
    assert_eq!(job.attempts(), 2);
    let mut job = Job::new(&inflate, job.take_output()).room(0);
    assert_eq!(run(&mut processor, &mut job), Ok(()));
    assert_eq!(job.output(), Some(&data[..]));
}

#[test]
fn wrong_streams_are_malformed() {
    let (provider, mut processor) = (provider(), Processor::new());
    let inflate = open(&provider, &Transform::decompress(DEFLATE, Checksum::None).unwrap());
    let mut of = |stream: &'static [u8]| run(&mut processor, &mut Job::new(&inflate, stream));
    assert_eq!(of(&[7]), Err(JobError::Malformed));
    assert_eq!(of(&[3]), Err(JobError::Malformed));
    assert_eq!(of(&[]), Err(JobError::Malformed));
    assert_eq!(of(&[3, 0]), Ok(()));
}
