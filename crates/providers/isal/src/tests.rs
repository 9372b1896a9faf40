//! Tests of this provider alone: refusals, bounds and checksums. The conformance suite tests the
//! properties of all providers.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Ending, HashAlgorithm, Huffman, Job,
    JobError, Processor, Session, Transform,
};

use crate::{Isal, LoadError};

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// The provider, or nothing where libisal may be missing: continuous integration must have it.
fn provider() -> Option<Arc<dyn Provider>> {
    match Isal::load(&[]) {
        Ok(isal) => Some(Arc::new(isal)),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("not tested: {error}");
            None
        }
    }
}

fn open(provider: &Arc<dyn Provider>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider), transform).expect("igzip has it")
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
    let Err(error @ LoadError::Option { .. }) = Isal::load(&[("level", "1")]) else {
        panic!("taken")
    };
    assert_eq!(error.to_string(), "the isal provider takes no level=1: it takes no options");
}

#[test]
fn what_it_does_not_have_is_refused_with_what_it_has() {
    let Some(provider) = provider() else { return };
    assert_eq!(provider.levels(DEFLATE), Some(0..=3));
    assert_eq!(provider.levels(CompressionAlgorithm::Lz4), None);
    assert!(!provider.supports(Algorithm::Compression(CompressionAlgorithm::Lz4)));
    let refused = |transform: Transform| {
        provider.open_session(&transform).err().expect("it has none").to_string()
    };
    let compress = |compression| refused(Transform::compress(DEFLATE, compression).unwrap());
    let plain = Compression::default();
    assert_eq!(compress(Compression { level: 4, ..plain }), "isal has no level 4; valid: 0 to 3");
    assert_eq!(
        compress(Compression { huffman: Huffman::Static, ..plain }),
        "isal makes codes of its own at level 1; valid: level 0 for static codes, or dynamic"
    );
    assert_eq!(
        refused(Transform::decompress(CompressionAlgorithm::Lz4, Checksum::None).unwrap()),
        "isal has no lz4; it has deflate"
    );
    assert_eq!(
        refused(Transform::hash(HashAlgorithm::Sha256)),
        "isal has no sha256; it has deflate"
    );
}

#[test]
fn the_bound_is_room_enough_at_once_and_checksums_come_with_it() {
    let Some(provider) = provider() else { return };
    let mut processor = Processor::new();
    for (checksum, ending) in [
        (Checksum::None, Ending::Final),
        (Checksum::Crc32, Ending::Open),
        (Checksum::Adler32, Ending::Final),
    ] {
        let inflate = open(&provider, &Transform::decompress(DEFLATE, checksum).unwrap());
        for (level, huffman) in
            (0..=3).map(|level| (level, Huffman::Dynamic)).chain([(0, Huffman::Static)])
        {
            let how = Compression { level, checksum, ending, huffman, ..Compression::default() };
            let session = open(&provider, &Transform::compress(DEFLATE, how).unwrap());
            for len in (0..40).chain([250, 4095, 65_535, 65_536, 150_000]) {
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
                assert_eq!(run(&mut processor, &mut job), Ok(()), "{how:?}, {len}");
                assert_eq!((job.output(), job.attempts()), (Some(&data[..]), 1));
                assert_eq!(job.checksum(), checksum.of(&data));
            }
        }
    }
}

#[test]
fn too_little_room_is_made_more() {
    let Some(provider) = provider() else { return };
    let mut processor = Processor::new();
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
fn wrong_streams_fail_as_what_they_are() {
    let Some(provider) = provider() else { return };
    let mut processor = Processor::new();
    let inflate = open(&provider, &Transform::decompress(DEFLATE, Checksum::None).unwrap());
    let mut of = |stream: &'static [u8]| run(&mut processor, &mut Job::new(&inflate, stream));
    assert_eq!(of(&[7]), Err(JobError::Malformed));
    assert_eq!(of(&[3]), Err(JobError::Truncated));
    assert_eq!(of(&[]), Err(JobError::Truncated));
    assert_eq!(of(&[3, 0]), Ok(()));
}
