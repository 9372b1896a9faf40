//! BGZF, section 4.1 of the SAM specification: gzip with members (called blocks) of at most 64 KiB.
//! Each block says its length in a subfield `BC`, so that htslib can seek. An [index](super::gzi)
//! has the offsets.

use super::gzip::{Extent, Header, TRAILER};
use super::{Cause, Format, FormatError};

/// The most bytes of data that are put into a block. bgzip's number: less than 64 KiB, so that data
/// which cannot be compressed fit as well.
pub const MAX_DATA: usize = 65280;

/// The most bytes of data that a block that is read can have.
pub const MAX_READ: usize = 1 << 16;

/// The most bytes that a block has.
pub const MAX_BLOCK: usize = 1 << 16;

/// Bytes of a block's header, as Broadloom writes it.
pub const HEADER: usize = 18;

/// The most bytes of deflate data in a block that is written.
pub const MAX_STREAM: usize = MAX_BLOCK - HEADER - TRAILER;

/// The block without data that ends a file. Where it lacks, the file was cut off.
pub const END: [u8; 28] = [
    0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 27, 0, 3, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
];

/// More deflate data than a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a block with {stream} bytes of deflate data is too large; at most {MAX_STREAM}")]
pub struct BlockError {
    /// Bytes of deflate data.
    pub stream: usize,
}

/// The header of a block with `stream` bytes of deflate data. These and a
/// [`Trailer`](super::gzip::Trailer) have to follow.
///
/// # Errors
/// If they are more than [`MAX_STREAM`].
pub fn header(stream: usize) -> Result<[u8; HEADER], BlockError> {
    if stream > MAX_STREAM {
        return Err(BlockError { stream });
    }
    let [low, high] = ((HEADER + stream + TRAILER - 1) as u16).to_le_bytes();
    let mut header = [0; HEADER];
    header.copy_from_slice(&END[..HEADER]);
    header[16..].copy_from_slice(&[low, high]);
    Ok(header)
}

/// Reads the header of a block at the beginning of `bytes`. `None` if it goes on behind their end.
///
/// # Errors
/// The errors of [`Header::parse`], and an error if the member is no block of BGZF.
pub fn parse(bytes: &[u8]) -> Result<Option<Header<'_>>, FormatError> {
    let header = Header::parse(bytes).map_err(|error| match error.cause {
        Cause::Magic { found, .. } => {
            FormatError { cause: Cause::Magic { format: Format::Bgzf, found }, ..error }
        }
        _ => error,
    })?;
    match header {
        Some(Header { extent: Extent::Unknown | Extent::Broadloom { .. }, .. }) => {
            Err(FormatError::new(0, Cause::NoBlockSize))
        }
        header => Ok(header),
    }
}
