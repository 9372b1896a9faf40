//! Why a compression failed.

use std::io;

use broadloom_engine::JobError;

use crate::pipeline::ThreadError;

/// Why a compression failed. Offsets are in the uncompressed input.
///
/// ```
/// # use std::sync::Arc;
/// # use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Session, Transform};
/// # use broadloom_libdeflate::Libdeflate;
/// use broadloom_compression::{CompressError, Compressor, Format, Settings};
///
/// # let how = Settings::compression_for(Format::Gzip, Compression::default());
/// # let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
/// # let session = Session::open(Arc::new(Libdeflate::load(&[])?), &transform)?;
/// let compressor = Compressor::new(session, Settings::new(Format::Gzip))?;
/// // A writer without room.
/// let mut room = [0_u8; 4];
/// let outcome = compressor.compress_stream(&b"the warp, the weft"[..], &mut room[..]);
/// assert!(matches!(outcome, Err(CompressError::Write { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The input cannot be read.
    #[error("reading failed behind {offset} bytes: {error}")]
    Read {
        /// How much had been read, in bytes.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The output cannot be written. A pipe without a reader is here, too, as
    /// [`io::ErrorKind::BrokenPipe`].
    #[error("writing failed behind {offset} bytes: {error}")]
    Write {
        /// How much had been written, in bytes.
        offset: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A chunk was not compressed.
    #[error("the chunk of {len} bytes at byte {offset} was not compressed by {provider}: {error}")]
    Chunk {
        /// Where the chunk begins.
        offset: u64,
        /// Its bytes.
        len: usize,
        /// The provider that was to compress the chunk.
        provider: String,
        /// Why.
        error: JobError,
    },
    /// A chunk's compressed data do not decompress to it. Nothing of it was written.
    #[error("the chunk of {len} bytes at byte {offset}, as {provider} compressed it, {found}")]
    Verify {
        /// Where the chunk begins.
        offset: u64,
        /// Its bytes.
        len: usize,
        /// The provider that compressed the chunk.
        provider: String,
        /// The result of decompressing it.
        found: Mismatch,
    },
    /// A chunk was not compressed by the library of its format.
    #[error("the chunk of {len} bytes at byte {offset} was not compressed: {reason}")]
    Library {
        /// Where the chunk begins.
        offset: u64,
        /// Its bytes.
        len: usize,
        /// What the library says.
        reason: String,
    },
    /// A chunk's compressed data are more than the format can hold.
    #[error("the chunk at byte {offset} does not fit into the format: {reason}")]
    Format {
        /// Where the chunk begins.
        offset: u64,
        /// The part that is too large.
        reason: String,
    },
    /// The threads could not be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
}

/// The result of decompressing the data for verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Other bytes.
    #[error("decompresses to other bytes")]
    Bytes,
    /// Nothing.
    #[error("does not decompress: {0}")]
    Failed(JobError),
}
