//! Readers, writers and devices that fail.

use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use broadloom_compression::format::Format;
use broadloom_compression::{CompressError, Compressor, Mismatch, Poll, Settings};
use broadloom_engine::{DeviceFault, JobError};

use crate::decode::{decode, inputs};
use crate::toy::{Toy, decompressing, session, zlib};

/// Fails behind what it has.
struct Broken<'d>(&'d [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the disk is gone")),
            count => Ok(count),
        }
    }
}

/// Takes so many bytes.
struct Narrow(usize);

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(left) => self.0 = left,
            None => return Err(ErrorKind::BrokenPipe.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn settings(format: Format, threads: usize) -> Settings {
    Settings { chunk: 2048, threads, outstanding: 6, ..Settings::new(format) }
}

#[test]
fn a_failing_read_says_where_and_what_came_before_is_written() {
    let [text, ..] = inputs(100_000);
    for threads in [1, 3] {
        let compressor =
            Compressor::new(session(zlib(), Format::Raw), settings(Format::Raw, threads));
        let mut written = Vec::new();
        let outcome = compressor.expect("it fits").compress_stream(Broken(&text), &mut written);
        assert!(matches!(outcome, Err(CompressError::Read { offset: 100_000, .. })), "{outcome:?}");
        // 48 whole chunks; what is there is right as far as it goes.
        written.extend_from_slice(&[3, 0]);
        assert!(decode(Format::Raw, &written).0 == text[..48 * 2048]);
    }
}

#[test]
fn a_broken_pipe_passes_through() {
    for threads in [1, 3] {
        let session = session(zlib(), Format::Gzip);
        let compressor =
            Compressor::new(session, settings(Format::Gzip, threads)).expect("it fits");
        let outcome = compressor.compress_stream(io::repeat(7), Narrow(5000));
        let Err(CompressError::Write { offset, error }) = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        assert!((4900..=5000).contains(&offset), "{offset}");
    }
}

#[test]
fn a_failing_device_is_an_error_that_names_the_chunk() {
    let [text, ..] = inputs(100_000);
    for is_device in [false, true] {
        let toy = Toy { is_device, fails_every: 20, ..Toy::default() };
        let compressor =
            Compressor::new(toy.session(Format::Gzip), settings(Format::Gzip, 1)).expect("it fits");
        let mut output = b"before".to_vec();
        let error = compressor.compress(&text, &mut output).expect_err("it fails");
        assert_eq!(output, b"before");
        let CompressError::Chunk { offset, len: 2048, provider, error } = error else {
            panic!("{error}")
        };
        assert_eq!((provider.as_str(), error), ("toy", JobError::Device(DeviceFault::Reset)));
        assert_eq!(offset % 2048, 0);
    }
}

#[test]
fn where_it_may_it_falls_back_and_counts() {
    let [text, ..] = inputs(100_000);
    for format in Format::ALL {
        for (is_device, threads) in [(false, 1), (true, 1), (true, 2)] {
            let toy = Toy { is_device, fails_every: 5, ..Toy::default() };
            let session = toy.session(format).falling_back_to(session(zlib(), format));
            let compressor =
                Compressor::new(session.expect("they do the same"), settings(format, threads));
            let mut output = Vec::new();
            let report = compressor.expect("it fits").compress(&text, &mut output);
            let report = report.expect("zlib does not fail");
            assert_eq!((report.chunks, report.fallbacks), (49, 9));
            assert_eq!(report.first_fallback, Some(JobError::Device(DeviceFault::Reset)));
            assert!(decode(format, &output).0 == text);
        }
    }
}

#[test]
fn a_wrong_byte_is_found_before_it_is_written() {
    let [text, ..] = inputs(50_000);
    for format in Format::ALL {
        let toy = Toy { is_device: true, corrupts_every: 10, ..Toy::default() };
        let compressor =
            Compressor::new(toy.session(format), settings(format, 1)).expect("it fits");
        let compressor = compressor.verifying_with(decompressing()).expect("it decompresses");
        let error =
            compressor.compress_stream(text.as_slice(), io::sink()).expect_err("it is wrong");
        let CompressError::Verify { found: Mismatch::Bytes, len: 2048, .. } = error else {
            panic!("{error}")
        };
    }
}

#[test]
fn a_wrong_byte_is_made_right_where_there_is_a_fallback() {
    let [text, ..] = inputs(100_000);
    for format in Format::ALL {
        for threads in [1, 3] {
            let toy = Toy { is_device: true, corrupts_every: 7, ..Toy::default() };
            let session = toy.session(format).falling_back_to(session(zlib(), format));
            let session = session.expect("they do the same");
            let compressor = Compressor::new(session, settings(format, threads)).expect("it fits");
            let compressor = compressor.verifying_with(decompressing()).expect("it decompresses");
            let mut output = Vec::new();
            let report =
                compressor.compress_stream(text.as_slice(), &mut output).expect("all right");
            assert_eq!((report.chunks, report.verified, report.fallbacks), (49, 49, 7));
            assert_eq!(report.first_fallback, Some(JobError::Device(DeviceFault::Corrupted)));
            assert!(decode(format, &output).0 == text);
        }
    }
}

#[test]
fn every_way_of_waiting_gets_there() {
    let [text, ..] = inputs(60_000);
    for poll in [Poll::Yield, Poll::Spin, Poll::Every(Duration::from_micros(5)), Poll::Interrupt] {
        let session = Toy { is_device: true, ..Toy::default() }.session(Format::Gzip);
        let settings = Settings { poll, ..settings(Format::Gzip, 2) };
        let compressor = Compressor::new(session, settings).expect("it fits");
        let mut output = Vec::new();
        compressor.compress_stream(text.as_slice(), &mut output).expect("nothing fails");
        assert!(decode(Format::Gzip, &output).0 == text);
    }
}
