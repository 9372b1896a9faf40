//! The decoder of one thread, for data that cannot be divided: any size, a fixed window.
//!
//! It reads every format, member after member, Broadloom's own too. The parallel decoder gives it
//! all data without lengths to jump by.

use std::io::{Read, Write};

use broadloom_engine::Checksum;
use zlib_rs::{Inflate, InflateFlush, Status};

use crate::decompress::decompressed::Decompressed;
use crate::decompress::error::DecompressError;
use crate::decompress::input::{Input, Stream};
use crate::decompress::members::{Garbage, Lengths, Member, Members};
use crate::decompress::output::Output;
use crate::diagnose::wrong;
use crate::format::gzip::Trailer;
use crate::format::{Cause, Format, FormatError, Part, gzip, zlib};
use crate::report::Report;

/// How far back a match may reach, in bytes.
const WINDOW: usize = 1 << 15;

/// Bytes decoded at a time.
const ROOM: usize = 1 << 17;

/// How to decode.
///
/// ```
/// use broadloom_compression::inflate::{Options, inflate};
///
/// let empty = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// let options = Options { limit: Some(1 << 20), ..Options::default() };
/// let decompressed = inflate(&empty[..], std::io::sink(), options)?;
/// assert_eq!(decompressed.report.output, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The format, if it is not to be found out. What parcomp writes and bare deflate data cannot
    /// be.
    pub format: Option<Format>,
    /// The most bytes that may come out.
    pub limit: Option<u64>,
    /// How to treat trailing bytes.
    pub garbage: Garbage,
}

/// Decodes `input` in this thread.
///
/// # Errors
/// If the input is wrong or cut off, or longer than allowed, or if reading or writing fails. What
/// was written by then is a beginning of the data.
pub fn inflate(
    input: impl Read,
    output: impl Write,
    options: Options,
) -> Result<Decompressed, DecompressError> {
    let mut input = Stream::new(input);
    let mut output = Output::new(output, options.limit);
    let mut members = Members::new(options.format, options.garbage, &mut input)?;
    let mut inflater = Inflater::new();
    let mut report = Report::default();
    while let Some(member) = members.next(&mut input)? {
        let member = members.believed(member, &mut input)?;
        let (lengths, _) =
            inflater.member(&mut input, &member, |data, offset| output.write(data, offset))?;
        members.decoded_alone(&member, lengths);
        report.streams += lengths.stream;
        report.chunks += 1;
    }
    if members.copies() {
        report.streams += output.copy(&mut input)?;
    }
    output.flush()?;
    (report.input, report.output) = (input.offset(), output.written());
    let alone = report.chunks;
    Ok(Decompressed::new(report, alone, &members))
}

/// The part of a member that was decoded already, up to a place between two blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Begun {
    /// Bytes of deflate data, and of data.
    pub(crate) lengths: Lengths,
    /// The CRC-32 of the data.
    pub(crate) crc: u32,
    /// The last of the data, as far as a match may reach back.
    pub(crate) window: Vec<u8>,
    /// The final block was decoded.
    pub(crate) has_ended: bool,
}

impl Begun {
    /// Adds the data of `stream` more bytes, and their CRC-32.
    pub(crate) fn add(&mut self, stream: usize, data: &[u8], crc: u32) {
        self.crc = Checksum::Crc32.combine(self.crc, crc, data.len() as u64);
        self.lengths.stream += stream as u64;
        self.lengths.data += data.len() as u64;
        let kept = WINDOW.saturating_sub(data.len()).min(self.window.len());
        self.window.drain(..self.window.len() - kept);
        self.window.extend_from_slice(&data[data.len().saturating_sub(WINDOW)..]);
    }
}

/// A decoder with its window.
pub(crate) struct Inflater {
    state: Inflate,
    room: Vec<u8>,
}

/// Which checksum the trailer has.
enum Check {
    None,
    Crc(crc32fast::Hasher),
    Adler(u32),
}

/// Takes decoded data, and the offset of the input up to which they were decoded.
type WriteData<'w> = &'w mut dyn FnMut(&[u8], u64) -> Result<(), DecompressError>;

impl Inflater {
    pub(crate) fn new() -> Self {
        Inflater { state: Inflate::new(false, 15), room: vec![0; ROOM] }
    }

    /// Decodes a member whose header was consumed, and checks it by its trailer and by its header.
    /// `write` gets the data and the offset of the input up to which they were decoded. Gives its
    /// lengths and its checksum.
    pub(crate) fn member(
        &mut self,
        input: &mut impl Input,
        member: &Member,
        write: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<(Lengths, Option<u32>), DecompressError> {
        self.rest(input, member, &Begun::default(), write)
    }

    /// Decodes the rest of a member of gzip as [`member`](Inflater::member) decodes all of one.
    pub(crate) fn rest(
        &mut self,
        input: &mut impl Input,
        member: &Member,
        begun: &Begun,
        mut write: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<(Lengths, Option<u32>), DecompressError> {
        self.rest_dyn(input, member, begun, &mut write)
    }

    /// Does what [`rest`](Inflater::rest) says, compiled once for all inputs and outputs.
    fn rest_dyn(
        &mut self,
        input: &mut dyn Input,
        member: &Member,
        begun: &Begun,
        write: WriteData<'_>,
    ) -> Result<(Lengths, Option<u32>), DecompressError> {
        let mut check = match member.format {
            Format::Gzip | Format::Bgzf => {
                Check::Crc(crc32fast::Hasher::new_with_initial(begun.crc))
            }
            Format::Zlib => Check::Adler(1),
            Format::Parcomp | Format::Raw => Check::None,
        };
        let most = member.most_data();
        let mut len = 0;
        let mut lengths = begun.lengths;
        let mut decode = |data: &[u8], offset: u64| -> Result<(), DecompressError> {
            len += data.len() as u64;
            if let Some(most) = most.filter(|&most| len > most) {
                return Err(FormatError::new(member.start, Cause::TooMuchData { max: most }).into());
            }
            match &mut check {
                Check::None => {}
                Check::Crc(crc) => crc.update(data),
                Check::Adler(adler) => *adler = zlib_rs::adler32::adler32(*adler, data),
            }
            write(data, offset)
        };
        if !begun.has_ended {
            let rest = self.stream(input, member.stream, &begun.window, &mut decode)?;
            lengths.stream += rest.stream;
            lengths.data += rest.data;
        }
        member.check(lengths)?;
        let checksum = match check {
            Check::None => None,
            Check::Crc(crc) => {
                let crc = crc.finalize();
                let stored = Trailer::parse(&trailer::<{ gzip::TRAILER }>(input)?);
                let checked = stored.check(crc, lengths.data);
                checked.map_err(|error| error.from_start(input.offset() - gzip::TRAILER as u64))?;
                Some(crc)
            }
            Check::Adler(adler) => {
                let stored = trailer::<{ zlib::TRAILER }>(input)?;
                let checked = zlib::check(&stored, adler);
                checked.map_err(|error| error.from_start(input.offset() - zlib::TRAILER as u64))?;
                Some(adler)
            }
        };
        Ok((lengths, checksum))
    }

    /// Decodes a deflate stream of at most `bound` bytes, if one is given, behind some data.
    fn stream(
        &mut self,
        input: &mut dyn Input,
        bound: Option<usize>,
        window: &[u8],
        write: WriteData<'_>,
    ) -> Result<Lengths, DecompressError> {
        self.state.reset(false);
        let start = input.offset();
        if !window.is_empty() {
            let set = self.state.set_dictionary(window);
            set.map_err(|error| wrong(&self.state, error).from_start(start))?;
        }
        loop {
            let (read, produced) = (self.state.total_in(), self.state.total_out());
            let mut next = input.peek(1)?;
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
            input.consume(consumed);
            let offset = input.offset();
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

/// Reads what is behind the deflate data.
pub(crate) fn trailer<const LEN: usize>(
    input: &mut dyn Input,
) -> Result<[u8; LEN], DecompressError> {
    let start = input.offset();
    let bytes = input.peek(LEN)?;
    match bytes.first_chunk() {
        Some(&trailer) => {
            input.consume(LEN);
            Ok(trailer)
        }
        None => {
            let end = start + bytes.len() as u64;
            Err(FormatError::new(end, Cause::Truncated(Part::Trailer)).into())
        }
    }
}
