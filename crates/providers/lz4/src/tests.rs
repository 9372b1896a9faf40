//! Tests of this provider alone: blocks of this provider and of the format's own library, read by
//! each other, and what it says in its own words. The conformance suite tests the properties of all
//! providers.

use std::sync::Arc;

use broadloom_conformance::codec::Codec;
use broadloom_conformance::own::Compressor;
use broadloom_conformance::reference::compression::Unsound;
use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Ending, Huffman, Job, JobError, Processor,
    Session, Transform,
};

use crate::codec::{self, Tables};
use crate::{LoadError, Lz4, factory};

const LZ4: CompressionAlgorithm = CompressionAlgorithm::Lz4;

/// Kinds of data: text that repeats, bytes that cannot be compressed, zeros.
const KINDS: [fn(usize) -> Vec<u8>; 3] = [text, random, |len| vec![0; len]];

fn random(len: usize) -> Vec<u8> {
    broadloom_testing::noise(len, 1)
}

fn text(len: usize) -> Vec<u8> {
    broadloom_testing::text(len, 1)
}

fn provider() -> Result<Arc<dyn Provider>, LoadError> {
    Ok(Arc::new(Lz4::load(&[])?))
}

fn open(provider: &Arc<dyn Provider>, transform: &Transform) -> Session {
    Session::open(Arc::clone(provider), transform).expect("it has it")
}

fn run(processor: &mut Processor, job: &mut Job<'_>) -> Result<(), JobError> {
    processor.process_many(std::slice::from_mut(job));
    job.status().expect("it is complete")
}

/// Lengths on both sides of where the large table is used, so that each is used after the other.
#[test]
fn blocks_are_read_by_the_formats_own_library_and_its_blocks_here() {
    let (provider, mut processor) = (provider().expect("it is built in"), Processor::new());
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

impl Codec for Tables {
    const ALGORITHM: CompressionAlgorithm = LZ4;
    const CUT: Unsound = Unsound::Truncated;

    fn ways(&self) -> Vec<Compression> {
        vec![Compression::default()]
    }

    fn few_ways(&self) -> Vec<Compression> {
        self.ways()
    }

    /// There is one window, and there are no codes.
    fn is_thorough(&self, _: Compression) -> bool {
        false
    }

    /// It begins nothing in less room than the bound.
    fn rooms(&self, _: Compression, text: &[u8], _: usize) -> (usize, usize) {
        (codec::bound(text.len()), codec::bound(text.len()))
    }

    fn compress(&mut self, _: Compression, text: &[u8], room: &mut [u8]) -> Option<usize> {
        Tables::compress(self, text, room).expect("it is not too long")
    }

    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound> {
        match codec::decompress(input, room) {
            Ok(Some(produced)) => Ok((input.len(), produced)),
            Ok(None) => Err(Unsound::TooLong),
            Err(JobError::Malformed) => Err(Unsound::Malformed),
            Err(JobError::Truncated) => Err(Unsound::Truncated),
            Err(error) => panic!("{error}"),
        }
    }
}

broadloom_conformance::codec!(blocks: Ok::<_, LoadError>(Tables::new()));

fn own() -> Compressor {
    let plain = Compression::default();
    Compressor {
        factory: factory(),
        wrong_options: &[(
            &[("level", "1")],
            "the lz4 provider takes no level=1: it takes no options",
        )],
        algorithm: LZ4,
        levels: 1..=1,
        refused: vec![
            (Compression { level: 2, ..plain }, "lz4 has no level 2; valid: 1"),
            (
                Compression { window: 12, ..plain },
                "an lz4 block's window is 2^16 bytes and cannot be 2^12; valid: the default",
            ),
            (
                Compression { huffman: Huffman::Static, ..plain },
                "lz4 has no Huffman codes to be static; valid: the default",
            ),
            (
                Compression { ending: Ending::Open, ..plain },
                "nothing can follow an lz4 block; valid: Ending::Final",
            ),
        ],
        streams: &[
            (&[0], Ok(())),                                   // the empty block
            (&[], Err(JobError::Truncated)),                  // not even that
            (b"\x30ab", Err(JobError::Truncated)),            // a literal is missing
            (&[0xf0, 255], Err(JobError::Truncated)),         // a length that goes on
            (b"\x10a\x01", Err(JobError::Truncated)),         // half an offset
            (b"\x10a\x00\x00\x00", Err(JobError::Malformed)), // no distance is 0
            (b"\x10a\x02\x00\x00", Err(JobError::Malformed)), // before the beginning
        ],
    }
}

broadloom_conformance::compressor!(provider(), own());
