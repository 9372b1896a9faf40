//! Frames are listed, and decoded only where that is the way to know their lengths.

use std::io::Read;

use broadloom_compression::framed::decompress::{Listed, Settings as Reading};
use broadloom_compression::framed::{Decompressor, Format, Settings};

use super::{compress, text};

fn list(file: &[u8]) -> Vec<Listed> {
    let decompressor = Decompressor::new(Reading::default()).expect("they are right");
    let mut listed = Vec::new();
    let done = decompressor.list(file, |frame| listed.push(frame)).expect("it is right");
    assert_eq!(done.report.input, file.len() as u64);
    assert_eq!(done.report.output, listed.iter().map(|frame| frame.uncompressed).sum());
    listed
}

#[test]
fn the_lengths_of_zstd_are_taken_from_its_frames() {
    let input = text(250_000);
    let settings = Settings { chunk: Some(100_000), ..Settings::new(Format::Zstd) };
    let frames = list(&compress(settings, &input));
    let lengths: Vec<u64> = frames.iter().map(|frame| frame.uncompressed).collect();
    assert_eq!(lengths, [100_000, 100_000, 50_000]);
    assert!(frames.iter().all(|frame| frame.format == Format::Zstd && !frame.decoded));
    assert_eq!(frames[1].offset, frames[0].compressed);
}

#[test]
fn what_does_not_say_its_length_is_decoded() {
    let input = text(300_000);
    let file = compress(Settings::new(Format::Lz4), &input);
    let expected = Listed {
        format: Format::Lz4,
        offset: 0,
        compressed: file.len() as u64,
        uncompressed: 300_000,
        decoded: true,
    };
    assert_eq!(list(&file), [expected]);
    // Without a length, as from a pipe.
    let mut zstd = Vec::new();
    let mut encoder = zstd::Encoder::new(&mut zstd, 3).expect("it is a level");
    std::io::copy(&mut input.as_slice().take(200_000), &mut encoder).expect("it compresses");
    encoder.finish().expect("it ends");
    let both = [file.as_slice(), &zstd].concat();
    let frames = list(&both);
    assert_eq!(frames[0], expected);
    assert_eq!((frames[1].offset, frames[1].uncompressed), (file.len() as u64, 200_000));
    assert!(frames[1].decoded);
}
