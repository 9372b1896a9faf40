//! Zip files, as `broadloom decompress` reads them.

#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/compress/origin.rs"]
mod origin;
#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/compress/seconds.rs"]
mod seconds;
#[allow(dead_code, reason = "the command uses more of it")]
#[path = "../../crates/cli/src/compress/zip.rs"]
mod zip;

use std::sync::LazyLock;

use broadloom::Transform;
use broadloom::algorithm::Checksum;
use broadloom::algorithm::CompressionAlgorithm;
use broadloom::compression::Decompressor;
use broadloom::compression::decompress::{Garbage, Settings};
use broadloom::compression::format::Format;

/// Most bytes of an entry.
const LIMIT: u64 = 1 << 20;

/// A decompressor at each of two providers.
static DECOMPRESSORS: LazyLock<[Decompressor; 2]> = LazyLock::new(|| {
    let registry = broadloom::registry();
    let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32);
    let transform = transform.expect("it can be");
    ["zlib", "libdeflate"].map(|provider| {
        let session = registry.open_at(provider, &transform).expect("it is there");
        let format = Some(Format::Raw);
        let (limit, garbage) = (Some(LIMIT), Garbage::Report);
        let settings = Settings { format, limit, garbage, threads: 1, ..Settings::default() };
        Decompressor::new(session, settings).expect("the settings are valid")
    })
});

/// Reads a file with each decompressor. Both must give the same data and errors.
pub fn check(bytes: &[u8]) {
    let [one, other] = DECOMPRESSORS.each_ref().map(|decompressor| {
        let mut data = Vec::new();
        let read = zip::read(decompressor, bytes, &mut data, Some(LIMIT));
        let outcome = read.map(|(report, more)| (report.input, report.output, more));
        if let Ok((input, output, _)) = outcome {
            assert_eq!((input, output), (bytes.len() as u64, data.len() as u64));
        }
        (outcome.map_err(|error| error.to_string()), data)
    });
    assert_eq!(one, other);
}
