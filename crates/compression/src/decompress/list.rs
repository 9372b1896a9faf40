//! Lists the contents of a compressed input without decompressing the data.

use std::io::{self, Read};

use super::Decompressed;
use super::error::DecompressError;
use super::input::{Input, Stream};
use super::members::{Lengths, Members};
use super::output::Output;
use crate::format::gzip::{TRAILER, Trailer};
use crate::format::{Cause, Format, FormatError, Part};
use crate::inflate::{Inflater, Options, trailer};
use crate::report::Report;

/// A member of a compressed input.
///
/// ```
/// use broadloom_compression::decompress::list;
/// use broadloom_compression::inflate::Options;
///
/// let empty = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// list(&empty[..], Options::default(), |member| {
///     assert_eq!((member.compressed, member.uncompressed), (20, 0));
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// How it is wrapped.
    pub format: Format,
    /// Where its header begins, in bytes of the input.
    pub offset: u64,
    /// Its length with header and trailer, in bytes.
    pub compressed: u64,
    /// The same without them, in bytes.
    pub stream: u64,
    /// The length of its data, in bytes.
    pub uncompressed: u64,
    /// The checksum that it stores of its data: a CRC-32, or zlib's Adler-32.
    pub checksum: Option<u32>,
    /// `true` if its data were decoded and compared with what it stores: where its length is not
    /// known, they have to be. Else what it stores is taken at its word.
    pub decoded: bool,
    /// When the data were modified, in seconds since 1970; 0 if that is not known.
    pub mtime: u32,
    /// The file's name, without directories.
    pub name: Option<Vec<u8>>,
}

/// Calls `each` for every member of an input, one after another, and returns the counts of a
/// decompression. A gzip member that says its length is skipped; this thread decodes the others.
///
/// # Errors
/// If the part of the input that is read is damaged or cut off, or exceeds the limit.
pub fn list(
    input: impl Read,
    options: Options,
    mut each: impl FnMut(Listed),
) -> Result<Decompressed, DecompressError> {
    let mut input = Stream::new(input);
    let mut output = Output::new(io::sink(), options.limit);
    let mut members = Members::new(options.format, options.garbage, &mut input)?;
    let mut inflater = Inflater::new();
    let (mut report, mut alone) = (Report::default(), 0);
    while let Some(member) = members.next(&mut input)? {
        let has_trailer = matches!(member.format, Format::Gzip | Format::Bgzf);
        let member = members.believed(member, &mut input)?;
        let (lengths, checksum, decoded) = match member.stream.filter(|_| has_trailer) {
            Some(stream) => {
                let stream = stream as u64;
                skip(&mut input, stream)?;
                let trailer = Trailer::parse(&trailer::<TRAILER>(&mut input)?);
                output.pass(trailer.len.into(), input.offset())?;
                (Lengths { stream, data: trailer.len.into() }, Some(trailer.crc), false)
            }
            None => {
                let pass = |data: &[u8], offset| output.pass(data.len() as u64, offset);
                let (lengths, checksum) = inflater.member(&mut input, &member, pass)?;
                (lengths, checksum, true)
            }
        };
        members.decoded_alone(&member, lengths);
        report.chunks += 1;
        report.streams += lengths.stream;
        alone += u64::from(decoded);
        each(Listed {
            format: member.format,
            offset: member.start,
            compressed: input.offset() - member.start,
            stream: lengths.stream,
            uncompressed: lengths.data,
            checksum,
            decoded,
            mtime: member.mtime,
            name: member.name,
        });
    }
    if members.copies() {
        report.streams += output.copy(&mut input)?;
    }
    (report.input, report.output) = (input.offset(), output.written());
    Ok(Decompressed::new(report, alone, &members))
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
