use broadloom_conformance::codec::{Codec, check_checksums};
use broadloom_conformance::reference::compression::Unsound;
use broadloom_engine::{Compression, CompressionAlgorithm};

use super::*;

/// The library's calls for whole buffers: a compressor for each level.
struct WholeBuffers {
    compressors: Vec<Compressor>,
    decompressor: Decompressor,
}

impl WholeBuffers {
    fn new() -> Result<WholeBuffers, &'static str> {
        let compressors: Result<_, _> = (0..=12).map(Compressor::new).collect();
        let no_memory = |OutOfMemory| "there is no memory";
        Ok(WholeBuffers {
            compressors: compressors.map_err(no_memory)?,
            decompressor: Decompressor::new().map_err(no_memory)?,
        })
    }
}

impl Codec for WholeBuffers {
    const ALGORITHM: CompressionAlgorithm = CompressionAlgorithm::Deflate;
    /// It does not tell what ends too early from what is wrong.
    const CUT: Unsound = Unsound::Malformed;

    fn ways(&self) -> Vec<Compression> {
        (0..=12).map(|level| Compression { level, ..Compression::default() }).collect()
    }

    fn few_ways(&self) -> Vec<Compression> {
        [1, 6, 12].map(|level| Compression { level, ..Compression::default() }).to_vec()
    }

    fn is_thorough(&self, how: Compression) -> bool {
        how.level > 0
    }

    fn compress(&mut self, how: Compression, text: &[u8], room: &mut [u8]) -> Option<usize> {
        self.compressors[usize::from(how.level)].compress(text, room)
    }

    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound> {
        match self.decompressor.decompress(input, room) {
            Ok(Inflated { consumed, produced }) => Ok((consumed, produced)),
            Err(InflateError::Full) => Err(Unsound::TooLong),
            Err(InflateError::Malformed) => Err(Unsound::Malformed),
        }
    }
}

broadloom_conformance::codec!(WholeBuffers::new());

/// The bound is room enough, at every level and of every length at which a block begins.
#[test]
fn the_bound_is_enough() {
    let mut codec = WholeBuffers::new().expect("there is memory");
    for how in codec.ways() {
        for len in (0..=300).step_by(7).chain([32_767, 32_768, 65_535, 65_536, 65_537, 200_000]) {
            let mut room = vec![0; bound(len)];
            let made = codec.compress(how, &broadloom_testing::noise(len, 1), &mut room);
            assert!(made.is_some(), "{how:?}, {len} bytes");
        }
    }
}

#[test]
fn a_level_that_there_is_not_makes_no_compressor() {
    assert!(Compressor::new(13).is_err());
}

#[test]
fn checksums_are_those_of_the_standards() {
    check_checksums(crc32, adler32);
}
