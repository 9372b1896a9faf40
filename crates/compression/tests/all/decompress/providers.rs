//! What is compressed by one provider is decompressed by every other, in every format, and errors
//! are the same whoever decodes.

use std::sync::Arc;

use broadloom_compression::decompress::{DecompressError, Settings};
use broadloom_compression::format::{Format, bgzf};
use broadloom_compression::{Compressor, Decompressor, Settings as CompressionSettings};
use broadloom_engine::provider::Provider;
use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Session, Transform};
use broadloom_lz4::Lz4;

use super::common::make::text;
use super::common::provider::{decompressor, decompressor_of, providers};

fn compress(provider: &Arc<dyn Provider>, format: Format, data: &[u8]) -> Vec<u8> {
    compress_as(provider, CompressionSettings::new(format), data)
}

fn compress_as(
    provider: &Arc<dyn Provider>,
    settings: CompressionSettings,
    data: &[u8],
) -> Vec<u8> {
    let (format, how) = (settings.format, settings.compression(Compression::default()));
    let transform = Transform::compress(CompressionAlgorithm::Deflate, how).expect("it can be");
    let session = Session::open(Arc::clone(provider), &transform).expect("it compresses");
    let chunk = if format == Format::Bgzf { bgzf::MAX_DATA } else { 20_000 };
    let settings = CompressionSettings { chunk, threads: 2, ..settings };
    let mut output = Vec::new();
    let compressor = Compressor::new(session, settings).expect("the settings are valid");
    compressor.compress_stream(data, &mut output).expect("it works");
    output
}

#[test]
fn every_provider_reads_what_every_other_writes() {
    let providers = providers();
    let incompressible: Vec<u8> =
        (0..100_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for data in [Vec::new(), text(1), text(200_000), vec![0; 300_000], incompressible] {
        for writer in &providers {
            for format in Format::ALL {
                let input = compress(writer, format, &data);
                for reader in &providers {
                    for threads in [1, 3] {
                        let settings =
                            Settings { format: Some(format), threads, ..Settings::default() };
                        let mut output = Vec::new();
                        decompressor_of(reader, settings)
                            .decompress_stream(&input[..], &mut output)
                            .unwrap_or_else(|error| panic!("{} {format}: {error}", reader.name()));
                        assert!(output == data, "{} {format}, {} bytes", reader.name(), data.len());
                    }
                }
            }
        }
    }
}

#[test]
fn members_and_pieces_of_broadloom_are_for_providers_and_others_are_not() {
    let [_, zlib, ..] = &providers()[..] else { panic!() };
    let data = text(200_000);
    for (format, members, chunks, alone) in [
        (Format::Gzip, false, 1, 0),
        (Format::Gzip, true, 10, 0),
        (Format::Bgzf, false, 5, 0),
        (Format::Parcomp, false, 10, 0),
        (Format::Zlib, false, 1, 1),
    ] {
        let settings = Settings { format: Some(format), ..Settings::default() };
        let how = CompressionSettings { members, ..CompressionSettings::new(format) };
        let input = compress_as(zlib, how, &data);
        let decompressed = decompressor_of(zlib, settings).test(&input[..]).expect("it is sound");
        assert_eq!((decompressed.report.chunks, decompressed.alone), (chunks, alone), "{format}");
        let has_pieces = format == Format::Gzip && !members;
        assert_eq!(decompressed.pieces > 3, has_pieces, "{decompressed:?}");
    }
}

#[test]
fn errors_are_at_the_same_place_whoever_decodes() {
    let providers = providers();
    let data = text(3000);
    for format in [Format::Gzip, Format::Bgzf, Format::Parcomp] {
        let sound = compress(&providers[0], format, &data);
        for bit in (0..sound.len() * 8).step_by(23) {
            let mut input = sound.clone();
            input[bit / 8] ^= 1 << (bit % 8);
            let settings = || Settings { format: Some(format), ..Settings::default() };
            let expected = decompressor(settings()).test(&input[..]);
            for provider in &providers {
                let name = provider.name();
                match (&expected, decompressor_of(provider, settings()).test(&input[..])) {
                    (Ok(expected), Ok(found)) => {
                        assert_eq!(expected.report.output, found.report.output)
                    }
                    (
                        Err(DecompressError::Format(expected)),
                        Err(DecompressError::Format(found)),
                    ) => {
                        assert_eq!(*expected, found, "{name} {format}, bit {bit}");
                    }
                    (expected, found) => {
                        panic!("{name} {format}, bit {bit}: {expected:?}; {found:?}")
                    }
                }
            }
        }
    }
}

#[test]
fn chunks_of_lz4_are_decompressed_as_well() {
    let lz4: Arc<dyn Provider> = Arc::new(Lz4::load(&[]).expect("it is built in"));
    let open =
        |transform: &Transform| Session::open(Arc::clone(&lz4), transform).expect("it does that");
    let how = CompressionSettings::compression_for(Format::Parcomp, Compression::default());
    let algorithm = CompressionAlgorithm::Lz4;
    let session = open(&Transform::compress(algorithm, how).expect("it can be"));
    let settings =
        CompressionSettings { chunk: 10_000, ..CompressionSettings::new(Format::Parcomp) };
    let compressor = Compressor::new(session, settings).expect("the settings are valid");
    let data = text(100_000);
    let mut input = Vec::new();
    compressor.compress(&data, &mut input).expect("it works");

    let session = open(&Transform::decompress(algorithm, Checksum::None).expect("it can be"));
    let settings = Settings { format: Some(Format::Parcomp), threads: 2, ..Settings::default() };
    let with = |settings| Decompressor::new(session.clone(), settings);
    let decompressor = with(settings.clone()).expect("the settings are valid");
    let mut output = Vec::new();
    decompressor.decompress_stream(&input[..], &mut output).expect("it is sound");
    assert!(output == data);

    let error =
        decompressor.test(&input[..input.len() - 5]).expect_err("it is cut off").to_string();
    let end = input.len() - 5;
    assert_eq!(error, format!("at byte {end}: the input ends within an LZ4 block"));
    let zeros = vec![0; 1 << 20];
    let mut bomb = Vec::new();
    compressor.compress(&zeros, &mut bomb).expect("it works");
    let limited =
        with(Settings { limit: Some(99_999), ..settings.clone() }).expect("they are valid");
    assert!(matches!(
        limited.test(&bomb[..]),
        Err(DecompressError::OutputLimit { limit: 99_999, .. })
    ));
    let small = with(Settings { memory: 100_000, ..settings }).expect("they are valid");
    assert!(matches!(small.test(&bomb[..]), Err(DecompressError::Memory { offset: 0, .. })));
    let error = with(Settings::default()).expect_err("gzip has no LZ4").to_string();
    assert!(error.ends_with("lz4 is known in the format parcomp alone"), "{error}");
}
