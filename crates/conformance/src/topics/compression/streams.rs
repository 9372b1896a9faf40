//! Streams written by hand, with contents that the formats determine.

use std::sync::Arc;

use broadloom_engine::provider::Provider;
use broadloom_engine::{
    Checksum, Compression, CompressionAlgorithm, Direction, Job, JobError, Processor,
};

use crate::chunk::{Chunk, Kind, compressions};
use crate::reference::no_reference;

type Known = (&'static str, Vec<u8>, Vec<u8>);

/// Streams that few compressors make: each is what it stands for.
pub fn known_streams(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let known = match algorithm {
            CompressionAlgorithm::Deflate => deflate(),
            CompressionAlgorithm::Lz4 => lz4(),
            other => no_reference(other),
        };
        let blank = blank(algorithm);
        let session = blank.open(provider, Direction::Decompress);
        for (name, stream, text) in known {
            let chunk = Chunk { packed: stream.into(), text: text.into(), ..blank.clone() };
            let mut job = chunk.owned_job(&session);
            processor.process_many(std::slice::from_mut(&mut job));
            chunk.check(&job, name);
        }
    }
}

/// Streams that every decoder must refuse.
pub fn unsound_streams(provider: &Arc<dyn Provider>) {
    let mut processor = Processor::new();
    for algorithm in compressions(provider) {
        let session = blank(algorithm).open(provider, Direction::Decompress);
        let unsound = match algorithm {
            CompressionAlgorithm::Deflate => UNSOUND_DEFLATE,
            CompressionAlgorithm::Lz4 => UNSOUND_LZ4,
            other => no_reference(other),
        };
        for (name, stream) in unsound {
            let mut job = Job::new(&session, *stream).limit(100_000);
            processor.process_many(std::slice::from_mut(&mut job));
            let wrong = [JobError::Malformed, JobError::Truncated];
            let status = job.status();
            let refused = wrong.map(|error| Some(Err(error))).contains(&status);
            assert!(refused, "{session:?}, {name}: {status:?}");
            assert_eq!((job.output(), job.checksum()), (None, None), "{session:?}, {name}");
        }
    }
}

fn blank(algorithm: CompressionAlgorithm) -> Chunk {
    let how = Compression { checksum: Checksum::Crc32, ..Compression::default() };
    Chunk::new(algorithm, how, Kind::Zeros.bytes(0))
}

fn deflate() -> Vec<Known> {
    // Numbered bytes in a stored block, and a match with the longest distance, which repeats the
    // first of them.
    let numbered: Vec<u8> = (0..32_768u32).map(|i| (i ^ (i >> 7)) as u8).collect();
    let far = [&[0, 0, 0x80, 0xff, 0x7f], &numbered[..], &[0x1b, 0xbd, 0xff, 0x1f, 0x00]].concat();
    let repeated = [&numbered[..], &numbered[..258]].concat();
    vec![
        ("nothing, with static codes", vec![0x03, 0x00], Vec::new()),
        ("nothing, stored", vec![0x01, 0x00, 0x00, 0xff, 0xff], Vec::new()),
        (
            "nothing, in three blocks",
            vec![0x00, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0xff, 0xff, 0x03, 0x00],
            Vec::new(),
        ),
        (
            "a stored block",
            [&[0x01, 0x05, 0x00, 0xfa, 0xff], &b"hello"[..]].concat(),
            b"hello".to_vec(),
        ),
        ("static codes of eight and nine bits", STATIC.to_vec(), b"abc\xe9".to_vec()),
        ("a match that overlaps itself", vec![0x4b, 0x1c, 0x05, 0x00], vec![b'a'; 259]),
        ("one distance, with a code of one bit", ONE_DISTANCE.to_vec(), vec![b'a'; 5]),
        ("no distances", NO_DISTANCES.to_vec(), b"abba".to_vec()),
        (
            "lengths of codes repeated from literals to distances",
            ACROSS.to_vec(),
            b"ababa".to_vec(),
        ),
        ("codes of fifteen bits", FIFTEEN.to_vec(), b"oanh".to_vec()),
        ("the longest distance", far, repeated),
    ]
}

const STATIC: &[u8] = &[0x4b, 0x4c, 0x4a, 0x7e, 0x09, 0x00];
const ONE_DISTANCE: &[u8] =
    &[0x0d, 0xc0, 0x81, 0x00, 0x00, 0x00, 0x00, 0x80, 0x20, 0xd6, 0xfc, 0x25, 0x3e, 0x13];
const NO_DISTANCES: &[u8] =
    &[0x05, 0xc0, 0x01, 0x09, 0x00, 0x00, 0x00, 0x80, 0xa0, 0xad, 0xf6, 0x7f, 0x44, 0x28, 0x03];
const ACROSS: &[u8] =
    &[0x0d, 0x83, 0x85, 0x00, 0x00, 0x00, 0x00, 0x80, 0x58, 0xcb, 0x1f, 0xa2, 0xc5, 0x0d];
const FIFTEEN: &[u8] = &[
    0x05, 0xe0, 0x01, 0x82, 0x24, 0x49, 0x92, 0x24, 0x49, 0xbe, 0x15, 0x90, 0x58, 0xd4, 0x3c, 0xb2,
    0x7a, 0xf6, 0xbe, 0xf7, 0xbd, 0x83, 0xff, 0x9f, 0xff, 0xef, 0xef, 0xff, 0x0f,
];

const UNSOUND_DEFLATE: &[(&str, &[u8])] = &[
    ("nothing at all", &[]),
    ("a block of the reserved type", &[0x07, 0, 0, 0, 0, 0, 0, 0]),
    ("a stored block whose lengths differ", b"\x01\x05\x00\xfb\xffhello"),
    ("a stored block that is cut", b"\x01\x05\x00\xfa\xffhell"),
    ("a match before the first byte", &[0x4b, 0x04, 0x42, 0x00]),
    ("too many codes for the lengths of codes", &[0x05, 0x00, 0x92, 0, 0, 0, 0, 0, 0]),
    (
        "too many codes for literals",
        &[0x05, 0xc0, 0x81, 0, 0, 0, 0, 0, 0x90, 0x56, 0xfe, 0x23, 0, 0, 0, 0],
    ),
    (
        "a length of a code repeated before the first",
        &[0x05, 0xc0, 0x03, 0, 0, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    (
        "more lengths of codes than there are codes",
        &[0x05, 0xc0, 0x81, 0, 0, 0, 0, 0, 0x10, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    (
        "no code for the end of the block",
        &[0x05, 0xc0, 0x81, 0, 0, 0, 0, 0, 0x90, 0x56, 0xfe, 0x27, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
];

fn lz4() -> Vec<Known> {
    let numbered: Vec<u8> = (0..300u32).map(|i| i as u8).collect();
    let repeated = [&b"abc"[..], &b"abc".repeat(100), b"abcde"].concat();
    vec![
        ("nothing", vec![0x00], Vec::new()),
        ("one literal", vec![0x10, b'x'], b"x".to_vec()),
        ("fifteen literals", [&[0xf0, 0], &numbered[..15]].concat(), numbered[..15].to_vec()),
        ("270 literals", [&[0xf0, 255, 0], &numbered[..270]].concat(), numbered[..270].to_vec()),
        ("a match that overlaps itself", b"\x1aa\x01\x00\x50aaaaa".to_vec(), vec![b'a'; 20]),
        // 300 bytes of match: 4, 15, 255 and 26.
        ("a long match", b"\x3fabc\x03\x00\xff\x1a\x50abcde".to_vec(), repeated),
    ]
}

const UNSOUND_LZ4: &[(&str, &[u8])] = &[
    ("nothing at all", &[]),
    ("a literal too few", b"\x20a"),
    ("no end of a length", b"\xf0\xff\xff"),
    ("a match before the first byte", b"\x10a\x02\x00\x50aaaaa"),
    ("half of a distance", b"\x10a\x01"),
    ("no end of a match's length", b"\x1fa\x01\x00\xff"),
];
