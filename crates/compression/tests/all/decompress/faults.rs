//! Providers that fail, or that make something else of good data.

use broadloom_compression::Decompressor;
use broadloom_compression::decompress::{DecompressError, Settings};
use broadloom_compression::format::Format;
use broadloom_engine::{Checksum, DeviceFault, JobError};

use super::common::make::{broadloom, text};
use super::common::provider::{Fault, faulty, session};

fn input() -> (Vec<u8>, Vec<u8>) {
    let data = text(100_000);
    (data.chunks(10_000).flat_map(broadloom).collect(), data)
}

#[test]
fn what_a_provider_made_wrongly_is_not_written() {
    let (input, _) = input();
    for threads in [1, 2] {
        let settings = Settings { threads, ..Settings::default() };
        let mut output = Vec::new();
        let error = faulty(Fault::Corrupts, settings)
            .decompress_stream(&input[..], &mut output)
            .expect_err("the data are wrong");
        assert!(matches!(error, DecompressError::WrongResult { offset: 0 }), "{error}");
        assert_eq!(output, b"");
    }
}

#[test]
fn good_data_are_not_called_damaged_because_a_provider_says_so() {
    let (input, _) = input();
    for (fault, expected) in [
        (Fault::Refuses, JobError::Malformed),
        (Fault::Device, JobError::Device(DeviceFault::Removed)),
    ] {
        let error = faulty(fault, Settings::default()).test(&input[..]).expect_err("it fails");
        assert!(
            matches!(error, DecompressError::Provider { offset: 0, error } if error == expected),
            "{error}"
        );
    }
}

#[test]
fn another_provider_stands_in_where_that_is_allowed() {
    let (input, data) = input();
    let session = session(Fault::Device, Checksum::Crc32)
        .falling_back_to(session(Fault::None, Checksum::Crc32))
        .expect("they do the same");
    let decompressor =
        Decompressor::new(session, Settings::default()).expect("the settings are valid");
    let mut output = Vec::new();
    let report = decompressor.decompress(&input, &mut output).expect("the other one works").report;
    assert!(output == data);
    assert_eq!((report.chunks, report.fallbacks), (10, 10));
    assert_eq!(report.first_fallback, Some(JobError::Device(DeviceFault::Removed)));
}

#[test]
fn a_session_needs_the_checksum_that_is_compared() {
    let bare = || session(Fault::None, Checksum::None);
    let error = Decompressor::new(bare(), Settings::default()).expect_err("it has no CRC-32");
    assert!(error.to_string().ends_with("the checksum Crc32 is needed"), "{error}");
    let settings = Settings { format: Some(Format::Parcomp), ..Settings::default() };
    Decompressor::new(bare(), settings).expect("parcomp has no checksum");
}
