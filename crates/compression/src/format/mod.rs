//! The formats: the bytes around compressed data, both ways.
//!
//! Every function here depends only on the bytes it is given: no threads, no input or output, no
//! engine. The readers are total. For any bytes they answer, ask for more bytes, or give a
//! [`FormatError`] with an offset. They never allocate a length that the input merely claims.
//!
//! | format | a chunk is | a reader finds it by |
//! |---|---|---|
//! | [`Parcomp`](Format::Parcomp) | four bytes of length, then a deflate stream | the length |
//! | [`Gzip`](Format::Gzip) | a part of one gzip member | its [marker](MARKER), and decoding |
//! | the same in members | a gzip member | Broadloom's [subfield](gzip::Extent) `BL` |
//! | [`Bgzf`](Format::Bgzf) | a gzip member of at most 64 KiB | the subfield `BC` |
//! | [`Zlib`](Format::Zlib), [`Raw`](Format::Raw) | a part of one deflate stream | nothing |
//!
//! Files of [frames](crate::framed) are LZ4 and zstd.

mod bytes;
mod detect;
mod error;

pub mod bgzf;
pub mod gzi;
pub mod gzip;
pub mod lz4;
pub mod parcomp;
pub mod seek_table;
pub mod skippable;
pub mod zlib;
pub mod zstd;

use std::fmt;
use std::str::FromStr;

pub use detect::{Detected, detect};
pub use error::{Cause, Claim, FormatError, Part};

/// The end of a deflate stream that was left open: one final block without data, in two bytes.
pub const EMPTY_FINAL_BLOCK: [u8; 2] = [0x03, 0x00];

/// How an empty stored block ends: its length, and the complement of that. Where it ends, a byte
/// ends, too. Encoders put such blocks between parts of a stream; between chunks there always is
/// one.
pub const MARKER: [u8; 4] = [0, 0, 0xff, 0xff];

/// An empty stored block that begins with a byte.
pub const EMPTY_STORED_BLOCK: [u8; 5] = [0, 0, 0, 0xff, 0xff];

/// The maximum number of bytes from one byte of deflate data: 258 bytes in two bits, 1032 in eight.
pub const MAX_RATIO: u64 = 1032;

/// Returns `true` if `compressed` bytes of deflate data can become `claimed` bytes. An impossible
/// claim needs no room.
pub fn is_plausible(compressed: u64, claimed: u64) -> bool {
    claimed <= compressed.saturating_mul(MAX_RATIO)
}

/// How compressed data are wrapped.
///
/// ```
/// use broadloom_compression::Format;
///
/// assert_eq!("bgzf".parse(), Ok(Format::Bgzf));
/// assert_eq!(Format::Gzip.to_string(), "gzip");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Each chunk is a deflate stream behind its length: 4 bytes, the lowest first. No checksum.
    Parcomp,
    /// gzip (RFC 1952): one member, or one for each chunk. Any gzip reads either.
    Gzip,
    /// BGZF (the SAM specification): gzip in blocks of at most 64 KiB, for random access.
    Bgzf,
    /// zlib (RFC 1950): one deflate stream with an Adler-32.
    Zlib,
    /// One deflate stream (RFC 1951) and nothing else. No checksum.
    Raw,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] =
        [Format::Parcomp, Format::Gzip, Format::Bgzf, Format::Zlib, Format::Raw];

    /// The name on command lines and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Format::Parcomp => "parcomp",
            Format::Gzip => "gzip",
            Format::Bgzf => "bgzf",
            Format::Zlib => "zlib",
            Format::Raw => "raw",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no format has.
///
/// ```
/// use broadloom_compression::Format;
///
/// let error = "rar".parse::<Format>().expect_err("there is no such format");
/// println!("{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{0}`; valid: parcomp, gzip, bgzf, zlib, raw")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}
