//! What came of a decompression.

use super::members::{Members, Trailing};
use crate::report::Report;

/// The result of a decompression.
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
/// let decompressed = decompressor.decompress(&empty, &mut Vec::new())?;
/// assert_eq!((decompressed.report.output, decompressed.trailing.garbage), (0, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decompressed {
    /// The counts. Chunks are members of gzip, blocks of BGZF, chunks of parcomp; the other formats
    /// are one.
    pub report: Report,
    /// Chunks that one thread decoded, wholly or from some piece on, because their lengths are not
    /// known, or because they are too large.
    pub alone: u64,
    /// Pieces of members of gzip that were decoded side by side.
    pub pieces: u64,
    /// Trailing bytes.
    pub trailing: Trailing,
    /// BGZF that ended without its end block, and had not been asked for by name (then it is an
    /// error): it may have been cut off.
    pub no_end_block: bool,
}

impl Decompressed {
    pub(crate) fn new(report: Report, alone: u64, members: &Members) -> Self {
        Decompressed {
            report,
            alone,
            pieces: 0,
            trailing: members.trailing(),
            no_end_block: members.is_open(),
        }
    }
}
