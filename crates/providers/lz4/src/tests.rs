//! Blocks of this provider and of the format's own library, read by each other; refusals, and
//! errors for wrong blocks.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Ending, HashAlgorithm, Huffman, Job,
    JobError, Processor, Session, Transform,
};

use crate::Lz4;
use crate::codec::{self, Tables};

const LZ4: CompressionAlgorithm = CompressionAlgorithm::Lz4;

/// Kinds of data: text that repeats, bytes that cannot be compressed, zeros.
const KINDS: [fn(usize) -> Vec<u8>; 3] = [text, random, |len| vec![0; len]];

fn random(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..len).map(|_| next()).collect()
}

fn text(len: usize) -> Vec<u8> {
    let words = ["the ", "loom ", "weaves ", "a broad ", "cloth ", "of many ", "threads, "];
    let chosen = random(len).into_iter().map(|byte| words[usize::from(byte) % words.len()]);
    chosen.flat_map(str::bytes).take(len).collect()
}

fn provider() -> Arc<dyn Provider> {
    Arc::new(Lz4::load(&[]).expect("it is built in"))
}

fn open(provider: &Arc<dyn Provider>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider), transform).expect("it has it")
}

fn run(processor: &mut Processor, job: &mut Job<'_>) -> Result<(), JobError> {
    processor.process_many(std::slice::from_mut(job));
    job.status().expect("it is complete")
}

#[test]
fn it_takes_no_options() {
    assert_eq!(
        Lz4::load(&[("level", "1")]).err().expect("it takes none").to_string(),
        "the lz4 provider takes no level=1: it takes no options"
    );
}

#[test]
fn what_it_does_not_have_is_refused_with_what_it_has() {
    let provider = provider();
    assert_eq!(provider.levels(LZ4), Some(1..=1));
    assert_eq!(provider.levels(CompressionAlgorithm::Deflate), None);
    assert!(!provider.supports(Algorithm::Compression(CompressionAlgorithm::Deflate)));
    let refused = |transform: Transform| {
        provider.open_session(&transform).err().expect("it has none").to_string()
    };
    let compress = |compression| refused(Transform::compress(LZ4, compression).unwrap());
    let plain = Compression::default();
    assert_eq!(compress(Compression { level: 2, ..plain }), "lz4 has no level 2; valid: 1");
    assert_eq!(
        compress(Compression { window: 12, ..plain }),
        "an lz4 block's window is 2^16 bytes and cannot be 2^12; valid: the default"
    );
    assert_eq!(
        compress(Compression { huffman: Huffman::Static, ..plain }),
        "lz4 has no Huffman codes to be static; valid: the default"
    );
    assert_eq!(
        compress(Compression { ending: Ending::Open, ..plain }),
        "nothing can follow an lz4 block; valid: Ending::Final"
    );
    assert_eq!(refused(Transform::hash(HashAlgorithm::Sha256)), "lz4 has no sha256; it has lz4");
}

/// Lengths on both sides of where the large table is used, so that each is used after the other.
#[test]
fn blocks_are_read_by_the_formats_own_library_and_its_blocks_here() {
    let (provider, mut processor) = (provider(), Processor::new());
    let how = Compression { checksum: Checksum::Crc32, ..Compression::default() };
    let compress = open(&provider, &Transform::compress(LZ4, how).unwrap());
    let decompress = open(&provider, &Transform::decompress(LZ4, Checksum::Crc32).unwrap());
    let long = [65_533, 65_534, 65_535, 65_536, 20, 300_000, 100];
    for (len, kind) in (0..300).chain(long).flat_map(|len| KINDS.map(|kind| (len, kind))) {
        let data = kind(len);
        let mut job = Job::new(&compress, data.clone());
        assert_eq!(run(&mut processor, &mut job), Ok(()), "{len}");
        assert_eq!((job.attempts(), job.consumed()), (1, len));
        assert_eq!(job.checksum(), Checksum::Crc32.of(&data));
        let block = job.take_output();
        let read = lz4::block::decompress(&block, Some(len as i32)).expect("it is a block");
        assert_eq!(read, data, "{len}");
        let theirs = lz4::block::compress(&data, None, false).expect("it can be compressed");
        for block in [block, theirs] {
            let read = block.len();
            let mut job = Job::new(&decompress, block).room(len);
            assert_eq!(run(&mut processor, &mut job), Ok(()), "{len}");
            assert_eq!((job.output(), job.attempts(), job.consumed()), (Some(&data[..]), 1, read));
            assert_eq!(job.checksum(), Checksum::Crc32.of(&data));
        }
    }
}

#[test]
fn whatever_the_room_it_is_full_or_whole_and_nothing_is_written_beyond() {
    let mut tables = Tables::new();
    for kind in KINDS {
        let data = kind(2000);
        let most = codec::bound(data.len());
        let mut block = vec![0xa5; most + 8];
        for room in 0..most {
            assert_eq!(tables.compress(&data, &mut block[..room]), Ok(None), "{room} of {most}");
        }
        assert!(block.iter().all(|&byte| byte == 0xa5));
        let len = tables.compress(&data, &mut block[..most]).unwrap().expect("the bound is enough");
        assert!(block[most..].iter().all(|&byte| byte == 0xa5));
        block.truncate(len);
        for room in 0..data.len() + 3 {
            let mut output = vec![0xa5; data.len() + 8];
            let produced = codec::decompress(&block, &mut output[..room]);
            assert_eq!(produced, Ok((room >= data.len()).then_some(data.len())), "{room}");
            if room >= data.len() {
                assert_eq!(output[..data.len()], data);
            }
            assert!(output[room..].iter().all(|&byte| byte == 0xa5), "{room}");
        }
    }
}

#[test]
fn too_little_room_is_made_more() {
    let (provider, mut processor) = (provider(), Processor::new());
    let compress = open(&provider, &Transform::compress(LZ4, Compression::default()).unwrap());
    let decompress = open(&provider, &Transform::decompress(LZ4, Checksum::None).unwrap());
    let data = [random(3000), vec![b'a'; 90_000]].concat();
    let mut job = Job::new(&compress, data.clone()).room(10);
    assert_eq!(run(&mut processor, &mut job), Ok(()));
    assert_eq!(job.attempts(), 2);
    let mut job = Job::new(&decompress, job.take_output()).room(0);
    assert_eq!(run(&mut processor, &mut job), Ok(()));
    assert_eq!(job.output(), Some(&data[..]));
}

#[test]
fn wrong_blocks_fail_as_what_they_are() {
    let (provider, mut processor) = (provider(), Processor::new());
    let decompress = open(&provider, &Transform::decompress(LZ4, Checksum::None).unwrap());
    let mut of = |block: &'static [u8]| run(&mut processor, &mut Job::new(&decompress, block));
    assert_eq!(of(&[0]), Ok(()), "the empty block");
    assert_eq!(of(&[]), Err(JobError::Truncated), "not even that");
    assert_eq!(of(b"\x30ab"), Err(JobError::Truncated), "three literals, of which two are there");
    assert_eq!(of(&[0xf0, 255]), Err(JobError::Truncated), "a length that goes on");
    assert_eq!(of(b"\x10a\x01"), Err(JobError::Truncated), "half an offset");
    assert_eq!(of(b"\x10a\x00\x00\x00"), Err(JobError::Malformed), "no distance is 0");
    assert_eq!(of(b"\x10a\x02\x00\x00"), Err(JobError::Malformed), "before the beginning");
}
