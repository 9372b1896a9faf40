//! Why decompression failed.

use std::io;

use broadloom_engine::JobError;

use crate::format::FormatError;
use crate::pipeline::ThreadError;

/// Why decompression failed. Nothing is written after an error; what was written before is a
/// beginning of the data.
///
/// ```
/// # use std::sync::Arc;
/// # use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Session, Transform};
/// # use broadloom_libdeflate::Libdeflate;
/// use broadloom_compression::{Decompressor, decompress::Settings};
///
/// # let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32)?;
/// # let session = Session::open(Arc::new(Libdeflate::load(&[])?), &transform)?;
/// let empty = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// let decompressor = Decompressor::new(session, Settings::default())?;
/// let cut = decompressor.decompress(&empty[..15], &mut Vec::new());
/// println!("{}", cut.expect_err("the trailer is missing"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecompressError {
    /// The compressed data are wrong.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The data are longer than the limit.
    #[error("at byte {offset}: the data go on behind {limit} bytes, which is the limit")]
    OutputLimit {
        /// Where in the compressed input decoding stopped, in bytes.
        offset: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A chunk of LZ4 takes more memory than a job may have.
    #[error(
        "the chunk at byte {offset} needs more than {most} bytes, its part of the memory; \
         fewer threads, fewer jobs outstanding or more memory let it have more"
    )]
    Memory {
        /// Where it begins, in bytes of the compressed input.
        offset: u64,
        /// Its maximum, compressed and uncompressed, in bytes.
        most: u64,
    },
    /// A provider could not do its work, although the data may be good.
    #[error("at byte {offset}: the provider failed: {error}")]
    Provider {
        /// Where in the compressed input the member begins that it worked on, in bytes.
        offset: u64,
        /// Its message.
        error: JobError,
    },
    /// A provider made something wrong of good data.
    #[error("at byte {offset}: the provider made something wrong of good data")]
    WrongResult {
        /// Where in the compressed input the member begins that it worked on, in bytes.
        offset: u64,
    },
    /// Threads cannot be had as planned.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// The input cannot be read.
    #[error("reading failed behind {offset} bytes: {error}")]
    Read {
        /// How much had been read, in bytes.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The output cannot be written.
    #[error("writing failed behind {offset} bytes: {error}")]
    Write {
        /// How much had been written, in bytes.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
}
