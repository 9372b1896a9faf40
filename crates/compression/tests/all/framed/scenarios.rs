//! Inputs made at random, of frames of all kinds, cut and damaged.

use broadloom_compression::format::{lz4 as format_lz4, skippable};
use broadloom_compression::framed::{Compressor, Format, Settings};
use proptest::collection::vec;
use proptest::prelude::*;

use super::compare::compare;
use super::text;

fn data() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..200),
        4 => (0..5000_usize).prop_map(text),
        1 => (0..70_000_usize).prop_map(text),
        1 => (0..300_000_usize).prop_map(|len| vec![0; len]),
    ]
}

fn ours(format: Format, chunk: usize, data: &[u8]) -> Vec<u8> {
    let settings = Settings { chunk: Some(chunk), ..Settings::new(format) };
    let mut file = Vec::new();
    let compressor = Compressor::new(settings).expect("they are right");
    compressor.compress(data, &mut file).expect("nothing fails");
    file
}

/// A frame whose blocks need those before them.
fn linked(data: &[u8]) -> Vec<u8> {
    let mut encoder = lz4::EncoderBuilder::new();
    let encoder = encoder.block_mode(lz4::BlockMode::Linked).block_size(lz4::BlockSize::Max64KB);
    let mut encoder = encoder.build(Vec::new()).expect("there is memory");
    std::io::copy(&mut &*data, &mut encoder).expect("it compresses");
    let (frame, ended) = encoder.finish();
    ended.expect("it ends");
    frame
}

/// A frame without the length of its content.
fn streamed(data: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("it is a level");
    std::io::copy(&mut &*data, &mut encoder).expect("it compresses");
    encoder.finish().expect("it ends")
}

fn legacy(data: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(data);
    let len = (block.len() as u32).to_le_bytes();
    [&format_lz4::LEGACY_MAGIC[..], &len, &block].concat()
}

fn skipped(data: &[u8]) -> Vec<u8> {
    [&skippable::header(5, data.len() as u32)[..], data].concat()
}

fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => data().prop_map(|data| ours(Format::Lz4, 1 << 16, &data)),
        4 => data().prop_map(|data| ours(Format::Zstd, 2000, &data)),
        3 => data().prop_map(|data| linked(&data)),
        3 => data().prop_map(|data| streamed(&data)),
        2 => data().prop_map(|data| legacy(&data)),
        2 => data().prop_map(|data| skipped(&data)),
        1 => vec(any::<u8>(), 0..50),
        1 => (0..50_usize).prop_map(|len| vec![0; len]),
    ]
}

prop_compose! {
    fn file()(
        parts in vec(part(), 0..5),
        flips in vec(any::<prop::sample::Index>(), 0..3),
        damages in any::<bool>(),
        cut in 0..400_usize,
        cuts in prop::bool::weighted(0.2),
    ) -> Vec<u8> {
        let mut file = parts.concat();
        for flip in flips.into_iter().filter(|_| damages && !file.is_empty()).collect::<Vec<_>>() {
            let at = flip.index(8 * file.len());
            file[at / 8] ^= 1 << (at % 8);
        }
        file.truncate(file.len().saturating_sub(if cuts { cut } else { 0 }));
        file
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_way_gives_the_same(file in file()) {
        compare(&file);
    }
}
