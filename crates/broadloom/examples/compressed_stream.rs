//! A stream compressed into a gzip file by all cores, in bounded memory, and read back.
//!
//! Reader and writer may be files, sockets or pipes. The bytes do not depend on the number of
//! threads.
//!
//! ```sh
//! cargo run --release -p broadloom --example compressed_stream
//! ```

use std::error::Error;
use std::io::{Read, Write};
use std::thread;

use broadloom::algorithm::Checksum;
use broadloom::compression::decompress::Settings as DecompressSettings;
use broadloom::compression::format::Format;
use broadloom::compression::{Compressor, Decompressor, Report, Settings};
use broadloom::{Compression, CompressionAlgorithm, Transform};

/// Writes a gzip file of whatever is read.
fn compress(
    input: impl Read + Send,
    output: impl Write,
    threads: usize,
) -> Result<Report, Box<dyn Error>> {
    let level = Compression { level: 6, ..Compression::default() };
    // A gzip file needs CRC-32, and chunks that others may follow.
    let how = Settings::compression_for(Format::Gzip, level);
    let session =
        broadloom::registry().open(&Transform::compress(CompressionAlgorithm::Deflate, how)?)?;
    let settings = Settings { threads, ..Settings::new(Format::Gzip) };
    Ok(Compressor::new(session, settings)?.compress_stream(input, output)?)
}

/// Writes what a gzip file, or a file of any other format that says what it is, was made of.
fn decompress(
    input: impl Read + Send,
    output: impl Write,
    threads: usize,
) -> Result<Report, Box<dyn Error>> {
    let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32)?;
    let session = broadloom::registry().open(&transform)?;
    // A limit keeps a small file from becoming petabytes.
    let settings = DecompressSettings { threads, limit: Some(1 << 30), ..Default::default() };
    Ok(Decompressor::new(session, settings)?.decompress_stream(input, output)?.report)
}

fn main() -> Result<(), Box<dyn Error>> {
    let threads = thread::available_parallelism()?.get();
    let text: String =
        (0..200_000).map(|line| format!("{line}: the warp, the weft, the shuttle\n")).collect();
    let mut file = Vec::new();
    let report = compress(text.as_bytes(), &mut file, threads)?;
    println!(
        "{} bytes became {} in {} chunks, by {threads} threads",
        report.input, report.output, report.chunks
    );
    let mut back = Vec::new();
    decompress(&file[..], &mut back, threads)?;
    println!(
        "and {} bytes again, {}",
        back.len(),
        if back == text.as_bytes() { "the same" } else { "others" }
    );
    let cut = decompress(&file[..file.len() / 2], std::io::sink(), threads);
    println!("half of the file: {}", cut.expect_err("a file that is cut off is refused"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_comes_back_whatever_the_threads() {
        let text: Vec<u8> =
            (0..1 << 20).map(|i: u32| (i.wrapping_mul(i) >> 13) as u8 & 31).collect();
        let mut files = [Vec::new(), Vec::new()];
        for (file, threads) in files.iter_mut().zip([1, 3]) {
            compress(&text[..], &mut *file, threads).expect("it is compressed");
            let mut back = Vec::new();
            decompress(&file[..], &mut back, threads).expect("the file is whole");
            assert!(back == text, "with {threads} threads");
            let damaged = &file[..file.len() - 9];
            decompress(damaged, std::io::sink(), threads).expect_err("the end is missing");
        }
        assert!(files[0] == files[1], "the number of threads does not change the file");
        assert!(files[0].len() < text.len());
    }
}
