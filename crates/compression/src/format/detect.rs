//! Recognises the format of an input by its first bytes.

use super::gzip::{self, Extent};
use super::{Cause, Format, FormatError, zlib};

/// The format found in an input. Files of parcomp and bare deflate data may begin with any bytes,
/// so they must be asked for by name.
///
/// ```
/// use broadloom_compression::format::{Detected, detect};
///
/// let empty = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// assert_eq!(detect(&empty), Ok(Some(Detected::Gzip)));
/// assert_eq!(detect(&empty[..1]), Ok(None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detected {
    /// gzip without known lengths.
    Gzip,
    /// gzip with Broadloom's lengths.
    BroadloomGzip,
    /// BGZF.
    Bgzf,
    /// zlib.
    Zlib,
}

impl Detected {
    /// The format.
    pub fn format(self) -> Format {
        match self {
            Detected::Gzip | Detected::BroadloomGzip => Format::Gzip,
            Detected::Bgzf => Format::Bgzf,
            Detected::Zlib => Format::Zlib,
        }
    }
}

/// The format of an input that begins with `start`. `None` if more bytes are needed, at most
/// [`gzip::MAX_HEADER`].
///
/// # Errors
/// If neither gzip nor zlib data begin so, or if their header is wrong.
pub fn detect(start: &[u8]) -> Result<Option<Detected>, FormatError> {
    if start.is_empty() {
        return Ok(None);
    }
    if gzip::MAGIC.starts_with(&start[..start.len().min(2)]) {
        return match gzip::Header::parse(start) {
            Ok(header) => Ok(header.map(|header| match header.extent {
                Extent::Unknown => Detected::Gzip,
                Extent::Broadloom { .. } => Detected::BroadloomGzip,
                Extent::Bgzf { .. } => Detected::Bgzf,
            })),
            Err(FormatError { cause: Cause::HeaderLength { .. }, .. }) => Ok(Some(Detected::Gzip)),
            Err(error) => Err(error),
        };
    }
    let Some(&found) = start.first_chunk() else { return Ok(None) };
    match zlib::Header::parse(start) {
        Ok(header) => Ok(header.map(|_| Detected::Zlib)),
        Err(error) if matches!(error.cause, Cause::Dictionary { .. }) => Err(error),
        Err(_) => Err(FormatError::new(0, Cause::Unrecognised { found })),
    }
}
