//! What is in a compressed input, without its data.

use std::io::Read;

use super::error::DecompressError;
use super::input::{Input, Stream};
use super::members::{Garbage, Members, Trailing};
use crate::format::gzip::{TRAILER, Trailer};
use crate::format::{Cause, Format, FormatError, Part};
use crate::inflate::{Inflater, trailer};

/// A member of a compressed input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// How it is wrapped.
    pub format: Format,
    /// Where its header begins, in bytes of the input.
    pub offset: u64,
    /// Its length with header and trailer, in bytes.
    pub compressed: u64,
    /// The length of its data, in bytes.
    pub uncompressed: u64,
    /// The checksum that it stores of its data: a CRC-32, or zlib's Adler-32.
    pub checksum: Option<u32>,
    /// Whether its data were decoded and compared with what it stores: where its length is not known, they
    /// have to be. Else what it stores is taken at its word.
    pub decoded: bool,
    /// When the data were modified, in seconds since 1970; 0 if that is not known.
    pub mtime: u32,
    /// The file's name, without directories.
    pub name: Option<Vec<u8>>,
}

/// Tells `each` of every member of an input, one after another. A member of gzip that says how long it is is
/// jumped over; others are decoded, by this thread.
///
/// # Errors
/// If the input is wrong or cut off, as far as it is looked at.
pub fn list(
    input: impl Read,
    format: Option<Format>,
    garbage: Garbage,
    mut each: impl FnMut(Listed),
) -> Result<Trailing, DecompressError> {
    let mut input = Stream::new(input);
    let mut members = Members::new(format, garbage, &mut input)?;
    let mut inflater = Inflater::new();
    while let Some(member) = members.next(&mut input)? {
        let has_trailer = matches!(member.format, Format::Gzip | Format::Bgzf);
        let (uncompressed, checksum, decoded) = match member.stream.filter(|_| has_trailer) {
            Some(stream) => {
                skip(&mut input, stream as u64)?;
                let trailer = Trailer::parse(&trailer::<TRAILER>(&mut input)?);
                (trailer.len.into(), Some(trailer.crc), false)
            }
            None => {
                let (lengths, checksum) = inflater.member(&mut input, &member, |_, _| Ok(()))?;
                (lengths.data, checksum, true)
            }
        };
        members.decoded(&member, uncompressed);
        each(Listed {
            format: member.format,
            offset: member.start,
            compressed: input.offset() - member.start,
            uncompressed,
            checksum,
            decoded,
            mtime: member.mtime,
            name: member.name,
        });
    }
    Ok(members.trailing())
}

/// Passes over `len` bytes.
fn skip(input: &mut impl Input, mut len: u64) -> Result<(), DecompressError> {
    while len > 0 {
        let next = input.peek(1)?;
        let some = (next.len() as u64).min(len);
        if some == 0 {
            return Err(FormatError::new(input.offset(), Cause::Truncated(Part::Deflate)).into());
        }
        input.consume(some as usize);
        len -= some;
    }
    Ok(())
}
