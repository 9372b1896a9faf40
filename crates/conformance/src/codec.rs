//! Compressors beneath their providers: the calls of a library for whole buffers.

use std::fmt::Display;

use broadloom_engine::{Checksum, Compression, CompressionAlgorithm};

use crate::reference::compression::Unsound;

/// A compressor and a decompressor of whole buffers, on which a provider is built.
/// [`codec!`](crate::codec!) tests them without the engine, which makes more room, and computes
/// checksums, by itself.
pub trait Codec {
    /// The format.
    const ALGORITHM: CompressionAlgorithm;
    /// The error of the decompressor for a stream that ends too early: some decompressors do not
    /// tell it from a wrong one.
    const CUT: Unsound;
    /// The smallest window, as a logarithm; the largest is 15.
    const LEAST_WINDOW: u8 = 15;
    /// The most bytes of output for a hundred bytes that repeat earlier bytes within the window.
    const MOST_OF_REPEATED: usize = 60;
    /// Lengths of texts that matter to it, beside those of every codec.
    const LENGTHS: &[usize] = &[];

    /// Returns all ways in which it compresses: levels, windows, codes, endings.
    fn ways(&self) -> Vec<Compression>;

    /// Returns a few of these ways, for tests of every byte of room.
    fn few_ways(&self) -> Vec<Compression>;

    /// Returns `true` if streams of this way show its window and its codes: it takes every match
    /// that it finds, and makes codes of its own unless it is told not to.
    fn is_thorough(&self, how: Compression) -> bool;

    /// Returns the bytes of room below which a text never becomes a stream, and those from which it
    /// always does. `whole` is the length of its stream where there is more room than it needs.
    fn rooms(&self, how: Compression, text: &[u8], whole: usize) -> (usize, usize) {
        let _ = (how, text);
        (whole, whole)
    }

    /// Compresses a whole text. Returns the bytes written, or `None` if there was too little room.
    fn compress(&mut self, how: Compression, text: &[u8], room: &mut [u8]) -> Option<usize>;

    /// Decompresses the stream that `input` begins with. Returns the bytes read and those written.
    ///
    /// # Errors
    /// The stream is wrong or ends too early, or there is too little room
    /// ([`Unsound::TooLong`]).
    fn decompress(&mut self, input: &[u8], room: &mut [u8]) -> Result<(usize, usize), Unsound>;
}

/// Runs a topic on a codec.
///
/// # Panics
/// If the codec does not pass; or is absent, where the environment has `CI=true`.
#[doc(hidden)]
pub fn run_codec<C: Codec, E: Display>(topic: &str, codec: Result<C, E>, test: fn(&mut C)) {
    if let Some(mut codec) = broadloom_testing::present(topic, codec) {
        test(&mut codec);
    }
}

/// Compares two functions of a library with the examples of CRC-32 and Adler-32, and with sums that
/// pass their modulus.
///
/// # Panics
/// If one of them is not the checksum that it should be.
pub fn check_checksums(crc32: impl Fn(&[u8]) -> u32, adler32: impl Fn(&[u8]) -> u32) {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    assert_eq!((crc32(b""), adler32(b"")), (0, 1));
    let bytes = [0xff; 70_000];
    assert_eq!(Some(crc32(&bytes)), Checksum::Crc32.of(&bytes));
    assert_eq!(Some(adler32(&bytes)), Checksum::Adler32.of(&bytes));
}
