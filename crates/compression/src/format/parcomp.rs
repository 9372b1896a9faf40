//! The format of the tool parcomp: each chunk is a deflate stream behind its length in bytes (four
//! bytes, the lowest first). There is no header, no end and no checksum. An empty input gives an
//! empty file.

use super::{Cause, Claim, FormatError};

/// Bytes before a deflate stream.
pub const PREFIX: usize = 4;

/// The shortest deflate stream, in bytes.
const SHORTEST_STREAM: u32 = 2;

/// A deflate stream whose length four bytes cannot say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a chunk of {len} compressed bytes is too large; at most {max}", max = u32::MAX)]
pub struct ChunkError {
    /// Its length.
    pub len: usize,
}

/// The bytes before a deflate stream of `len` bytes.
///
/// # Errors
/// If four bytes cannot say so much.
pub fn prefix(len: usize) -> Result<[u8; PREFIX], ChunkError> {
    match u32::try_from(len) {
        Ok(len) => Ok(len.to_le_bytes()),
        Err(_) => Err(ChunkError { len }),
    }
}

/// Reads the length of the deflate stream that follows.
///
/// # Errors
/// If no deflate stream is so short.
pub fn parse(prefix: &[u8; PREFIX]) -> Result<u32, FormatError> {
    let len = u32::from_le_bytes(*prefix);
    if len < SHORTEST_STREAM {
        let (min, max) = (SHORTEST_STREAM.into(), u32::MAX.into());
        let cause = Cause::Claim { claim: Claim::Stream, len: len.into(), min, max };
        return Err(FormatError::new(0, cause));
    }
    Ok(len)
}
