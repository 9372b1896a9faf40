//! The reference's two decoders agree with each other and with the standards' check values.

use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Ending, Huffman};
use fastrand::Rng;

use super::*;
use crate::chunk::Kind;

const DEFLATE: CompressionAlgorithm = CompressionAlgorithm::Deflate;

#[test]
fn checksums_are_those_of_the_standards() {
    // The check value of CRC-32/ISO-HDLC, and the usual example of Adler-32.
    assert_eq!(checksum(Checksum::Crc32, b"123456789"), Some(0xcbf4_3926));
    assert_eq!(checksum(Checksum::Adler32, b"Wikipedia"), Some(0x11e6_0398));
    assert_eq!(checksum(Checksum::None, b"123456789"), None);
}

#[test]
fn streams_keep_to_what_was_asked_for() {
    let shapes = (8..=15).flat_map(|window| {
        let all = [Huffman::Dynamic, Huffman::Static].into_iter();
        all.flat_map(move |huffman| {
            [Ending::Final, Ending::Open].map(|ending| Compression {
                level: 6,
                window,
                huffman,
                ending,
                ..Compression::default()
            })
        })
    });
    for how in shapes {
        let text = Kind::Text.bytes(90_000);
        let mut stream = pack(DEFLATE, how, &text);
        let dissected = dissect(&stream).expect("it is sound");
        assert_eq!(
            (&dissected.output[..], dissected.consumed),
            (&text[..], stream.len()),
            "{how:?}"
        );
        assert!(dissected.farthest <= 1 << how.window, "{how:?}: {}", dissected.farthest);
        assert!(dissected.farthest > 1 << (how.window - 2), "{how:?}: {}", dissected.farthest);
        let has = |wanted| dissected.blocks.iter().any(|block| block.kind == wanted);
        assert_eq!(has(BlockKind::Dynamic), how.huffman == Huffman::Dynamic, "{how:?}");
        let finals = dissected.blocks.iter().filter(|block| block.is_final).count();
        assert_eq!(finals, usize::from(how.ending == Ending::Final), "{how:?}");
        if how.ending == Ending::Open {
            assert_eq!(unpack(DEFLATE, &stream, usize::MAX), Err(Unsound::Truncated));
            stream.extend([3, 0]);
        }
        let unpacked = unpack(DEFLATE, &stream, text.len()).expect("there is room");
        assert_eq!((&unpacked.output[..], unpacked.consumed), (&text[..], stream.len()), "{how:?}");
        assert_eq!(unpack(DEFLATE, &stream, text.len() - 1), Err(Unsound::TooLong));
    }
}

#[test]
fn both_decoders_find_the_same_in_damaged_streams() {
    let mut rng = Rng::with_seed(1);
    for level in [0, 1, 6] {
        let how = Compression { level, ..Compression::default() };
        let stream = pack(DEFLATE, how, &Kind::Text.bytes(500));
        let mut sound = 0;
        for _ in 0..3000 {
            let mut stream = stream.clone();
            let at = rng.usize(..stream.len());
            stream[at] ^= 1 << rng.u8(..8);
            let (one, other) = (dissect(&stream), unpack(DEFLATE, &stream, usize::MAX));
            let Ok(one) = one else { continue };
            match other {
                Ok(other) => assert_eq!((one.output, one.consumed), (other.output, other.consumed)),
                // Only the plain one takes a stream without an end.
                Err(error) => assert!(!one.blocks.iter().any(|block| block.is_final), "{error}"),
            }
            sound += 1;
        }
        assert!(sound > 0, "some damage makes another stream");
    }
}

#[test]
fn lz4_blocks_are_decoded() {
    for kind in Kind::ALL {
        for len in [0, 1, 15, 16, 300, 5000, 100_000] {
            let text = kind.bytes(len);
            let block = pack(CompressionAlgorithm::Lz4, Compression::default(), &text);
            let unpacked = unpack(CompressionAlgorithm::Lz4, &block, len).expect("it is sound");
            assert_eq!((&unpacked.output[..], unpacked.consumed), (&text[..], block.len()));
        }
    }
}
