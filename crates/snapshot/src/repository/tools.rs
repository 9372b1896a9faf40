//! What a thread needs to work on blobs: contexts that are made once.

use std::io::{Cursor, Read};
use std::mem;

use broadloom_engine::Processor;
use zstd::bulk::{Compressor, Decompressor};

use crate::error::SnapshotError;

/// Largest blob for which room is made at once, on the word of an index.
const TRUSTED: usize = 64 << 20;

/// How data are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// At the level that restic calls default.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// Slowly.
    Max,
}

impl Compression {
    /// The level of zstd.
    fn level(self) -> i32 {
        match self {
            Compression::Auto | Compression::Off => 3,
            Compression::Max => 15,
        }
    }
}

/// Contexts of one thread.
pub struct Tools {
    /// Hashes, encrypts and decrypts.
    pub processor: Processor,
    /// Memory in which blobs are sealed.
    pub(crate) arena: Vec<u8>,
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
}

impl Tools {
    /// Contexts, for a way to compress.
    ///
    /// # Errors
    /// If zstd has no memory.
    pub fn new(compression: Compression) -> Result<Tools, SnapshotError> {
        let failed = |error: std::io::Error| SnapshotError::Other(format!("zstd: {error}"));
        Ok(Tools {
            processor: Processor::new(),
            arena: Vec::new(),
            compressor: Compressor::new(compression.level()).map_err(failed)?,
            decompressor: Decompressor::new().map_err(failed)?,
        })
    }

    /// Compresses bytes to the end of a buffer, and says how many they are then.
    pub(crate) fn compress(
        &mut self,
        bytes: &[u8],
        to: &mut Vec<u8>,
    ) -> Result<usize, SnapshotError> {
        to.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
        let start = to.len() as u64;
        let mut end = Cursor::new(mem::take(to));
        end.set_position(start);
        let written = self.compressor.compress_to_buffer(bytes, &mut end);
        *to = end.into_inner();
        let written = written.map_err(|error| SnapshotError::Other(format!("zstd: {error}")))?;
        Ok(written)
    }

    /// Decompresses frames of zstd, to at most `limit` bytes.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(crate) fn decompress(
        &mut self,
        compressed: &[u8],
        limit: usize,
    ) -> Result<Vec<u8>, String> {
        if limit > TRUSTED {
            return decompress(compressed, limit);
        }
        let content = self.decompressor.decompress(compressed, limit);
        content.map_err(|error| format!("it does not decompress: {error}"))
    }
}

/// Decompresses frames of zstd, to at most `limit` bytes, in memory that grows with them.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn decompress(compressed: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let bad = |error: std::io::Error| format!("it does not decompress: {error}");
    let decoder = zstd::stream::Decoder::with_buffer(compressed).map_err(bad)?;
    let mut content = Vec::new();
    decoder.take(limit as u64 + 1).read_to_end(&mut content).map_err(bad)?;
    match content.len() {
        len if len > limit => Err(format!("it decompresses to more than {limit} bytes")),
        _ => Ok(content),
    }
}
