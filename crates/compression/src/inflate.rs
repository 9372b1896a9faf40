//! One thread's decoder, for what cannot be divided: any size, a fixed window.
//!
//! It reads every format, member after member, Broadloom's own too. The parallel decoder leaves to it what
//! has no lengths to jump by.

use std::io::{Read, Write};

use zlib_rs::{Inflate, InflateFlush, Status};

use crate::decompress::error::DecompressError;
use crate::decompress::members::{Garbage, Member, Members, Trailing};
use crate::decompress::sink::Sink;
use crate::decompress::source::{Source, Stream};
use crate::diagnose::wrong;
use crate::format::gzip::Trailer;
use crate::format::{Cause, Format, FormatError, Part, gzip, zlib};

/// Bytes decoded at a time.
const ROOM: usize = 1 << 17;

/// How to decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The format, if it is not to be found out. What parcomp writes and bare deflate data cannot be.
    pub format: Option<Format>,
    /// The most bytes that may come out.
    pub limit: Option<u64>,
    /// What to do about what follows the end.
    pub garbage: Garbage,
}

/// What was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Bytes of compressed input that were consumed.
    pub input: u64,
    /// Bytes that came out.
    pub output: u64,
    /// Members of gzip, blocks of BGZF, chunks of parcomp; 1 of the other formats.
    pub members: u64,
    /// What was behind the end.
    pub trailing: Trailing,
    /// BGZF that ended without its end block, and had not been asked for by name (then it is an error): it
    /// may have been cut off.
    pub no_end_block: bool,
}

/// Decodes `input` in this thread.
///
/// # Errors
/// If the input is wrong or cut off, or longer than allowed, or if reading or writing fails. What was written
/// by then is a beginning of the data.
pub fn inflate(
    input: impl Read,
    output: impl Write,
    options: Options,
) -> Result<Summary, DecompressError> {
    let mut source = Stream::new(input);
    let mut sink = Sink::new(output, options.limit);
    let mut members = Members::new(options.format, options.garbage, &mut source)?;
    let mut inflater = Inflater::new();
    let mut count = 0;
    while let Some(member) = members.next(&mut source)? {
        let before = sink.written();
        inflater.member(&mut source, &member, |data, offset| sink.write(data, offset))?;
        members.decoded(&member, sink.written() - before);
        count += 1;
    }
    sink.flush()?;
    Ok(Summary {
        input: source.offset(),
        output: sink.written(),
        members: count,
        trailing: members.trailing(),
        no_end_block: members.is_open(),
    })
}

/// A decoder with its window.
pub(crate) struct Inflater {
    state: Inflate,
    room: Vec<u8>,
}

/// The length of a deflate stream and of the data that it stands for, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) stream: u64,
    pub(crate) data: u64,
}

/// Which checksum the trailer has.
enum Check {
    None,
    Crc(crc32fast::Hasher),
    Adler(u32),
}

impl Inflater {
    pub(crate) fn new() -> Self {
        Inflater { state: Inflate::new(false, 15), room: vec![0; ROOM] }
    }

    /// Decodes a member whose header was consumed, and checks it by its trailer and by its header. `write`
    /// gets the data and the offset of the input up to which they were decoded.
    pub(crate) fn member(
        &mut self,
        source: &mut impl Source,
        member: &Member,
        mut write: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<Lengths, DecompressError> {
        let mut check = match member.format {
            Format::Gzip | Format::Bgzf => Check::Crc(crc32fast::Hasher::new()),
            Format::Zlib => Check::Adler(1),
            Format::Parcomp | Format::Raw => Check::None,
        };
        let most = member.most_data();
        let mut len = 0;
        let lengths = self.stream(source, member.stream, |data, offset| {
            len += data.len() as u64;
            if let Some(most) = most.filter(|&most| len > most) {
                return Err(FormatError::new(offset, Cause::TooMuchData { max: most }).into());
            }
            match &mut check {
                Check::None => {}
                Check::Crc(crc) => crc.update(data),
                Check::Adler(adler) => *adler = zlib_rs::adler32::adler32(*adler, data),
            }
            write(data, offset)
        })?;
        if let Some(claimed) = member.stream.filter(|&claimed| claimed as u64 != lengths.stream) {
            let cause = Cause::DeflateLength { found: lengths.stream, claimed: claimed as u64 };
            return Err(FormatError::new(source.offset(), cause).into());
        }
        match check {
            Check::None => {}
            Check::Crc(crc) => {
                let trailer = Trailer::parse(&trailer::<{ gzip::TRAILER }>(source)?);
                let checked = trailer.check(crc.finalize(), lengths.data);
                checked.map_err(|error| error.from_start(source.offset() - gzip::TRAILER as u64))?;
            }
            Check::Adler(adler) => {
                let trailer = trailer::<{ zlib::TRAILER }>(source)?;
                let checked = zlib::check(&trailer, adler);
                checked.map_err(|error| error.from_start(source.offset() - zlib::TRAILER as u64))?;
            }
        }
        if let Some(claimed) = member.data.filter(|&claimed| u64::from(claimed) != lengths.data) {
            let cause = Cause::Length { computed: lengths.data, stored: claimed.into() };
            return Err(FormatError::new(member.start, cause).into());
        }
        Ok(lengths)
    }

    /// Decodes a deflate stream of at most `bound` bytes, if one is given.
    pub(crate) fn stream(
        &mut self,
        source: &mut impl Source,
        bound: Option<usize>,
        mut write: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<Lengths, DecompressError> {
        self.state.reset(false);
        let start = source.offset();
        loop {
            let (read, produced) = (self.state.total_in(), self.state.total_out());
            let mut next = source.peek(1)?;
            let mut missing = Cause::Truncated(Part::Deflate);
            if let Some(bound) = bound {
                let left = (bound as u64 - read).try_into().unwrap_or(usize::MAX);
                if left <= next.len() {
                    next = &next[..left];
                    missing = Cause::Overrun { claimed: bound as u64 };
                }
            }
            let result = self.state.decompress(next, &mut self.room, InflateFlush::NoFlush);
            let consumed = (self.state.total_in() - read) as usize;
            let produced = (self.state.total_out() - produced) as usize;
            source.consume(consumed);
            let offset = source.offset();
            let ended = match result {
                Ok(Status::StreamEnd) => true,
                Ok(Status::Ok | Status::BufError) if consumed == 0 && produced == 0 => {
                    return Err(FormatError::new(offset, missing).into());
                }
                Ok(Status::Ok | Status::BufError) => false,
                Err(error) => return Err(wrong(&self.state, error).from_start(start).into()),
            };
            write(&self.room[..produced], offset)?;
            if ended {
                return Ok(Lengths { stream: offset - start, data: self.state.total_out() });
            }
        }
    }
}

/// Reads a trailer.
fn trailer<const LEN: usize>(source: &mut impl Source) -> Result<[u8; LEN], DecompressError> {
    let start = source.offset();
    let bytes = source.peek(LEN)?;
    match bytes.first_chunk() {
        Some(&trailer) => {
            source.consume(LEN);
            Ok(trailer)
        }
        None => {
            let end = start + bytes.len() as u64;
            Err(FormatError::new(end, Cause::Truncated(Part::Trailer)).into())
        }
    }
}
