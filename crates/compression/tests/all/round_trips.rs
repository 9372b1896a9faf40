//! What is compressed decodes to what it was, in every format, whatever the length and the threads.

use std::io::Read;
use std::sync::Arc;

use broadloom_compression::format::Format;
use broadloom_compression::inflate::{Options, inflate};
use broadloom_compression::{Compressor, Report, Scratch, Settings, SettingsError};
use broadloom_engine::{Compression, CompressionAlgorithm, Session, Transform};
use broadloom_libdeflate::Libdeflate;

use crate::decode::{decode, inputs};
use crate::toy::{Toy, decompressing, session, zlib};

/// Gives a few bytes at a time, as pipes do, and is interrupted at times.
struct Pipe<'d>(&'d [u8], usize);

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(7) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let len = buffer.len().min(10_007);
        self.0.read(&mut buffer[..len])
    }
}

/// Compresses as a whole, by what was kept from the input before, and as a stream, and returns what
/// came, which is the same.
fn compress(session: &Session, settings: Settings, input: &[u8]) -> (Vec<u8>, Report) {
    let compressor = Compressor::new(session.clone(), settings).expect("they are right");
    let mut whole = b"before".to_vec();
    let report = compressor.compress(input, &mut whole).expect("nothing fails");
    let mut scratch = Scratch::default();
    for _ in 0..2 {
        let mut kept = b"before".to_vec();
        let same = compressor.compress_with(&mut scratch, input, &mut kept);
        assert_eq!(same.expect("nothing fails"), report);
        assert!(kept == whole);
    }
    let mut streamed = Vec::new();
    let same = compressor.compress_stream(Pipe(input, 0), &mut streamed).expect("nothing fails");
    assert_eq!(same, report);
    assert!(whole.strip_prefix(b"before") == Some(&streamed));
    assert_eq!((report.input, report.output), (input.len() as u64, streamed.len() as u64));
    (streamed, report)
}

fn assert_decodes(format: Format, file: &[u8], input: &[u8], report: &Report) {
    let (data, chunks) = decode(format, file);
    assert!(data == input, "{format}, {} bytes", input.len());
    // All chunks of gzip are one member, unless members were asked for.
    let one = format == Format::Gzip;
    assert!(chunks.is_none_or(|chunks| chunks == report.chunks || (one && chunks == 1)));
    let options = Options { format: Some(format), ..Options::default() };
    let read = inflate(file, std::io::sink(), options).expect("it decodes").report;
    assert_eq!(
        (read.input, read.output, read.streams),
        (report.output, report.input, report.streams)
    );
}

#[test]
fn every_format_decodes_at_every_length() {
    let edges =
        [0, 1, 2, 3, 65_279, 65_280, 65_281, 65_535, 65_536, 65_537, 130_560, 131_073, 307_200];
    let steps = (1..12).map(|step| step * 25_013);
    for format in Format::ALL {
        let zlib = session(zlib(), format);
        for len in edges.into_iter().chain(steps.clone()) {
            for input in inputs(len) {
                let settings = Settings { threads: 1 + len % 3, ..Settings::new(format) };
                let (file, report) = compress(&zlib, settings, &input);
                assert_decodes(format, &file, &input, &report);
            }
        }
    }
}

#[test]
fn threads_and_jobs_outstanding_do_not_change_the_output() {
    let [text, noise, _] = inputs(150_001);
    let input = [text, noise].concat();
    for format in Format::ALL {
        for is_device in [false, true] {
            let session = Toy { is_device, ..Toy::default() }.session(format);
            let settings = |threads, outstanding| Settings {
                chunk: 4000,
                threads,
                outstanding,
                ..Settings::new(format)
            };
            let (expected, report) = compress(&session, settings(1, 1), &input);
            assert_decodes(format, &expected, &input, &report);
            for (threads, outstanding) in [(1, 20), (2, 1), (3, 7)] {
                let (file, _) = compress(&session, settings(threads, outstanding), &input);
                assert!(file == expected, "{format}, {threads} threads of {outstanding}");
            }
        }
    }
}

#[test]
fn libdeflate_serves_all_formats() {
    let [input, ..] = inputs(200_000);
    for format in Format::ALL {
        let session = session(Libdeflate::load(&[]).expect("no options"), format);
        let settings = Settings { threads: 2, ..Settings::new(format) };
        let compressor = Compressor::new(session, settings).expect("they are right");
        let compressor = compressor.verifying_with(decompressing()).expect("it decompresses");
        let mut file = Vec::new();
        let report = compressor.compress(&input, &mut file).expect("nothing fails");
        assert_eq!(report.verified, report.chunks);
        assert_decodes(format, &file, &input, &report);
    }
}

#[test]
fn overflows_at_every_chunk_change_nothing_but_their_count() {
    let inputs = inputs(100_000);
    for format in Format::ALL {
        let sessions = [session(zlib(), format), Toy::default().session(format), {
            Toy { is_device: true, ..Toy::default() }.session(format)
        }];
        for session in &sessions {
            for room in [0, 1, 7, 40] {
                for input in &inputs {
                    let usual = Settings { chunk: 4096, threads: 2, ..Settings::new(format) };
                    let settings = Settings { room: Some(room), ..usual };
                    let (file, report) = compress(session, settings, input);
                    assert_decodes(format, &file, input, &report);
                    // Zeros may fit into any room but none.
                    let expected = if room < 7 { report.chunks } else { 0 };
                    assert!(report.overflows >= expected, "{format}, {room}: {report:?}");
                }
            }
        }
    }
}

#[test]
fn noise_costs_what_storing_it_costs() {
    let [_, noise, _] = inputs(300_000);
    for (format, for_a_chunk, for_all) in [
        (Format::Parcomp, 5 + 4, 0),
        (Format::Gzip, 5 + 5, 10 + 2 + 8),
        (Format::Bgzf, 5 + 18 + 8, 28),
        (Format::Zlib, 5 + 5, 2 + 2 + 4),
        (Format::Raw, 5 + 5, 2),
    ] {
        let settings = Settings { chunk: 10_000, ..Settings::new(format) };
        let (file, report) = compress(&session(zlib(), format), settings, &noise);
        assert_eq!(report.chunks, 30);
        let most = noise.len() + 30 * for_a_chunk + for_all;
        assert!(file.len() <= most, "{format}: {} bytes, not {most}", file.len());
    }
}

#[test]
fn each_chunk_is_a_member_where_that_is_asked_for() {
    let settings = Settings { members: true, chunk: 10_000, ..Settings::new(Format::Gzip) };
    let how = settings.compression(Compression::default());
    let transform = Transform::compress(CompressionAlgorithm::Deflate, how).expect("it is right");
    let session = Session::open(Arc::new(zlib()), &transform).expect("it can");
    for len in [0, 1, 10_000, 95_000] {
        for input in inputs(len) {
            let (file, report) = compress(&session, settings.clone(), &input);
            let (data, members) = decode(Format::Gzip, &file);
            assert!(data == input);
            assert_eq!(members, Some(len.div_ceil(10_000).max(1) as u64));
            let options = Options { format: Some(Format::Gzip), ..Options::default() };
            let read = inflate(&file[..], std::io::sink(), options).expect("it decodes").report;
            assert_eq!(read.streams, report.streams);
        }
    }
    let one = Settings { members: false, ..settings };
    let error = Compressor::new(session, one).expect_err("its ending is another");
    assert!(error.to_string().ends_with("the ending Open"), "{error}");
}

#[test]
fn a_single_chunk_for_each_thread_where_chunks_are_long() {
    let [input, ..] = inputs(300_000);
    let settings = Settings { chunk: 1 << 30, threads: 4, ..Settings::new(Format::Gzip) };
    let compressor =
        Compressor::new(session(zlib(), Format::Gzip), settings).expect("they are right");
    let mut file = Vec::new();
    let report = compressor.compress(&input, &mut file).expect("nothing fails");
    assert_eq!(report.chunks, 4);
    assert_decodes(Format::Gzip, &file, &input, &report);
}

#[test]
fn the_first_member_has_the_name_and_the_time() {
    let [input, ..] = inputs(70_000);
    let settings = Settings {
        name: Some(b"loom.txt".to_vec()),
        mtime: 0x1234_5678,
        ..Settings::new(Format::Gzip)
    };
    for input in [input.as_slice(), &[]] {
        let (file, report) = compress(&session(zlib(), Format::Gzip), settings.clone(), input);
        assert_decodes(Format::Gzip, &file, input, &report);
        assert_eq!(file[4..8], 0x1234_5678u32.to_le_bytes());
        assert_eq!(file[10..19], *b"loom.txt\0");
        assert_eq!(file.windows(9).filter(|bytes| bytes == b"loom.txt\0").count(), 1);
    }
}

#[test]
fn the_index_says_where_blocks_begin() {
    let [text, ..] = inputs(300_000);
    for threads in [1, 3] {
        let settings =
            Settings { index: true, threads, chunk: 20_000, ..Settings::new(Format::Bgzf) };
        let (file, report) = compress(&session(zlib(), Format::Bgzf), settings, &text);
        let index = report.index.expect("it was asked for");
        assert_eq!(index.entries().len(), 14);
        for (number, entry) in index.entries().iter().enumerate() {
            assert_eq!(entry.uncompressed, 20_000 * (number as u64 + 1));
            let (data, _) = decode(Format::Bgzf, &file[entry.compressed as usize..]);
            assert!(data == text[entry.uncompressed as usize..]);
        }
    }
}

#[test]
fn a_session_that_does_not_fit_the_format_is_refused() {
    let raw = session(zlib(), Format::Raw);
    let error = Compressor::new(raw, Settings::new(Format::Gzip)).expect_err("it has no checksum");
    assert!(
        error.to_string().ends_with("gzip needs the checksum Crc32 and the ending Open"),
        "{error}"
    );
    let error =
        Compressor::new(decompressing(), Settings::new(Format::Gzip)).expect_err("it inflates");
    assert!(error.to_string().ends_with("gzip needs one that compresses by deflate"), "{error}");
    let gzip = session(zlib(), Format::Gzip);
    let compressor = Compressor::new(gzip.clone(), Settings::new(Format::Gzip)).expect("it fits");
    let error = compressor.verifying_with(gzip).expect_err("it does not decompress");
    assert!(matches!(error, SettingsError::Session { .. }));
}
