//! Tests of this provider alone: options, refusals, and room for the output. The conformance suite
//! tests the properties of all providers.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Ending, HashAlgorithm, Huffman, Job,
    JobError, Processor, Session, Transform,
};

use crate::{LoadError, Zlib};

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

/// The provider with each library. Continuous integration must have both.
fn providers() -> Vec<Arc<Zlib>> {
    let with = |library| Zlib::load(&[("library", library)]).map(Arc::new);
    let built_in = with("zlib-rs").expect("it is built in");
    match with("system") {
        Ok(system) => vec![system, built_in],
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("only zlib-rs is tested: {error}");
            vec![built_in]
        }
    }
}

fn compressing(provider: &Arc<Zlib>, compression: Compression) -> Session {
    let transform = Transform::compress(DEFLATE, compression).expect("deflate has it");
    Session::open(Arc::clone(provider) as Arc<dyn Provider>, &transform).expect("zlib has it")
}

fn decompressing(provider: &Arc<Zlib>) -> Session {
    let transform = Transform::decompress(DEFLATE, Checksum::Crc32).expect("deflate has it");
    Session::open(Arc::clone(provider) as Arc<dyn Provider>, &transform).expect("zlib has it")
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
fn options_choose_the_library() {
    for provider in providers() {
        let described = provider.description();
        let session = compressing(&provider, Compression::default());
        assert!(described.starts_with(session.kernel().as_str()), "{described}");
    }
    let built_in = Zlib::load(&[("library", "zlib-rs")]).expect("it is built in");
    assert_eq!(built_in.description(), "zlib-rs, built in, as library=zlib-rs says");
    assert!(Zlib::load(&[]).is_ok(), "one of them is always there");
}

#[test]
fn wrong_options_are_told_what_is_valid() {
    let error = |options: &[_]| match Zlib::load(options) {
        Err(error @ LoadError::Option { .. }) => error.to_string(),
        _ => panic!("{options:?} was taken"),
    };
    assert_eq!(
        error(&[("library", "miniz")]),
        "the zlib provider takes no library=miniz: library is system or zlib-rs"
    );
    assert_eq!(
        error(&[("level", "1")]),
        "the zlib provider takes no level=1: its option is library"
    );
    assert_eq!(
        error(&[("library", "zlib-rs"), ("library", "zlib-rs")]),
        "the zlib provider takes no library=zlib-rs: an option is given once"
    );
}

#[test]
fn what_it_does_not_have_is_refused_with_what_it_has() {
    for provider in providers() {
        assert_eq!(provider.levels(DEFLATE), Some(0..=9));
        assert_eq!(provider.levels(CompressionAlgorithm::Lz4), None);
        assert!(!provider.supports(Algorithm::Compression(CompressionAlgorithm::Lz4)));
        let refused = |transform: Transform| {
            provider.open_session(&transform).err().expect("it has none").to_string()
        };
        let compress = |compression| refused(Transform::compress(DEFLATE, compression).unwrap());
        assert_eq!(
            compress(Compression { level: 10, ..Compression::default() }),
            "zlib has no level 10; valid: 0 to 9"
        );
        assert_eq!(
            compress(Compression { window: 8, ..Compression::default() }),
            "zlib has no window of 2^8 bytes for raw deflate; valid: 2^9 to 2^15"
        );
        assert_eq!(
            refused(Transform::decompress(CompressionAlgorithm::Lz4, Checksum::None).unwrap()),
            "zlib has no lz4; it has deflate"
        );
        assert_eq!(
            refused(Transform::hash(HashAlgorithm::Sha256)),
            "zlib has no sha256; it has deflate"
        );
    }
}

/// The worst there is: what no code shortens, of lengths where another block begins.
#[test]
fn the_bound_is_room_enough_at_once() {
    for provider in providers() {
        let mut processor = Processor::new();
        let inflate = decompressing(&provider);
        for (level, window, huffman, ending) in [0, 1, 3, 6, 9].into_iter().flat_map(|level| {
            [
                (9, Huffman::Dynamic),
                (15, Huffman::Dynamic),
                (15, Huffman::Static),
                (12, Huffman::Static),
            ]
            .into_iter()
            .flat_map(move |(window, huffman)| {
                [Ending::Final, Ending::Open].map(|ending| (level, window, huffman, ending))
            })
        }) {
            let how = Compression { level, window, huffman, ending, checksum: Checksum::Crc32 };
            let session = compressing(&provider, how);
            for len in (0..40).chain([250, 4095, 16_383, 16_384, 32_769, 65_536, 150_000]) {
                let data = noise(len);
                let mut job = Job::new(&session, data.clone());
                assert_eq!(run(&mut processor, &mut job), Ok(()), "{how:?}, {len}");
                assert_eq!((job.attempts(), job.consumed()), (1, len), "{how:?}, {len}");
                assert_eq!(job.checksum(), Checksum::Crc32.of(&data));
                let mut stream = job.take_output();
                if ending == Ending::Open {
                    stream.extend([3, 0]);
                }
                let mut job = Job::new(&inflate, stream);
                assert_eq!(run(&mut processor, &mut job), Ok(()));
                assert_eq!(job.output(), Some(&data[..]), "{how:?}, {len}");
            }
        }
    }
}

/// One queue, many sessions, each job with a stream that others used before.
#[test]
fn streams_are_used_again_for_each_of_many_sessions() {
    for provider in providers() {
        let mut processor = Processor::new();
        let inflate = decompressing(&provider);
        let sessions: Vec<_> = (0..=9)
            .map(|level| compressing(&provider, Compression { level, ..Compression::default() }))
            .collect();
        for round in 0..3 {
            for session in &sessions {
                let data = [noise(round * 1000), vec![b'a'; 9000], noise(round)].concat();
                let mut job = Job::new(session, data.clone()).room(10);
                assert_eq!(run(&mut processor, &mut job), Ok(()));
                assert_eq!(job.attempts(), 2);
                let mut job = Job::new(&inflate, job.take_output());
                assert_eq!(run(&mut processor, &mut job), Ok(()));
                assert_eq!(job.output(), Some(&data[..]));
            }
        }
    }
}

#[test]
fn wrong_streams_fail_as_what_they_are() {
    for provider in providers() {
        let mut processor = Processor::new();
        let inflate = decompressing(&provider);
        let mut of = |stream: &'static [u8]| run(&mut processor, &mut Job::new(&inflate, stream));
        assert_eq!(of(&[7]), Err(JobError::Malformed));
        assert_eq!(of(&[3]), Err(JobError::Truncated));
        assert_eq!(of(&[]), Err(JobError::Truncated));
        assert_eq!(of(&[3, 0]), Ok(()));
    }
}
