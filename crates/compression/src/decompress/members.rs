//! Steps from member to member: the kind of each, where its deflate data begin, and what follows
//! the last one.

use super::error::DecompressError;
use super::input::Input;
use crate::diagnose::{Finding, diagnose};
use crate::format::gzip::{self, Extent, Header, MAGIC, TRAILER, Trailer};
use crate::format::{Cause, Detected, Format, FormatError, Part, bgzf, detect, parcomp, zlib};

/// How to treat trailing bytes behind gzip, BGZF, zlib or bare deflate data. Zeros, with which
/// tapes and block devices fill up, do not count.
///
/// ```
/// use broadloom_compression::inflate::{Options, inflate};
/// use broadloom_compression::decompress::Garbage;
///
/// let mut file = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0].to_vec();
/// file.extend(b"garbage");
/// let options = Options { garbage: Garbage::Report, ..Options::default() };
/// let report = inflate(&file[..], std::io::sink(), options)?;
/// assert_eq!(report.trailing.garbage, Some(20));
/// assert!(inflate(&file[..], std::io::sink(), Options::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Garbage {
    /// An error: the beginning of a member may be what is damaged, and its data would be lost.
    #[default]
    Refuse,
    /// The input ends there, and the [`Trailing`] says so. gzip warns of it and exits with status
    /// 2.
    Report,
    /// It is copied to the output unchanged, zeros too. So is an input that begins neither like
    /// gzip data nor like a zlib stream. `gzip -dcf` does the same. The [`Trailing`] says where.
    Copy,
}

/// The number of bytes that decide whether an input is a zlib stream, if other inputs are to be
/// copied. Two bytes of header occur in texts, too.
const PROBE: usize = 1 << 16;

/// Trailing bytes behind the compressed data.
///
/// ```
/// use broadloom_compression::inflate::{Options, inflate};
///
/// let mut file = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0].to_vec();
/// file.extend([0; 12]);
/// let report = inflate(&file[..], std::io::sink(), Options::default())?;
/// assert_eq!((report.trailing.zeros, report.trailing.garbage), (12, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trailing {
    /// Zeros, in bytes.
    pub zeros: u64,
    /// Where the first byte is that belongs to nothing, if there is one and that was
    /// [allowed](Garbage::Report). It and what follows were not read, or [copied](Garbage::Copy).
    pub garbage: Option<u64>,
}

/// A member: a part of the input that is decoded by itself. Its header is behind us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Where its header begins.
    pub(crate) start: u64,
    /// Where its deflate data begin.
    pub(crate) body: u64,
    /// How it is wrapped.
    pub(crate) format: Format,
    /// How long its deflate data are by its header.
    pub(crate) stream: Option<usize>,
    /// How long the data are by its header.
    pub(crate) data: Option<u32>,
    /// When the data were modified, in seconds since 1970; 0 if that is not known.
    pub(crate) mtime: u32,
    /// The file's name, without directories.
    pub(crate) name: Option<Vec<u8>>,
    /// The lengths in its header, which are not trusted.
    pub(crate) doubted: Option<Doubted>,
}

/// The lengths that a header claims for a member. The subfield may have another meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubted {
    format: Format,
    stream: usize,
}

impl Member {
    /// The maximum length of its data by its header.
    pub(crate) fn most_data(&self) -> Option<u64> {
        match (self.data, self.format) {
            (Some(data), _) => Some(data.into()),
            (None, Format::Bgzf) => Some(bgzf::MAX_READ as u64),
            (None, _) => None,
        }
    }

    /// The same member, whose header is not believed what it says of lengths.
    pub(crate) fn doubted(self) -> Member {
        let doubted = self.stream.map(|stream| Doubted { format: self.format, stream });
        Member { format: Format::Gzip, stream: None, data: None, doubted, ..self }
    }

    /// Compares what was decoded with what the header says.
    pub(crate) fn check(&self, found: Lengths) -> Result<(), FormatError> {
        if let Some(claimed) = self.stream.map(|len| len as u64).filter(|&len| len != found.stream)
        {
            let cause = Cause::DeflateLength { found: found.stream, claimed };
            return Err(FormatError::new(self.body + found.stream, cause));
        }
        if let Some(stored) = self.data.map(u64::from).filter(|&len| len != found.data) {
            let cause = Cause::Length { computed: found.data, stored };
            return Err(FormatError::new(self.start, cause));
        }
        match self.most_data().filter(|&max| found.data > max) {
            Some(max) => Err(FormatError::new(self.start, Cause::TooMuchData { max })),
            None => Ok(()),
        }
    }
}

/// The length of a deflate stream and of the data that it stands for, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lengths {
    pub(crate) stream: u64,
    pub(crate) data: u64,
}

/// Finds one member after another.
pub(crate) struct Members {
    format: Format,
    any: bool,
    garbage: Garbage,
    trailing: Trailing,
    /// The last block of BGZF has data, or is not of BGZF: no end block yet.
    open: bool,
    /// A length in a gzip header was wrong once, so the subfield has another meaning in this file.
    foreign: bool,
}

impl Members {
    /// Members of `format`, or of the format that the input turns out to have.
    pub(crate) fn new(
        format: Option<Format>,
        garbage: Garbage,
        input: &mut dyn Input,
    ) -> Result<Self, DecompressError> {
        let (format, open) = match format {
            Some(format) => (format, format == Format::Bgzf),
            None if garbage == Garbage::Copy && !is_compressed(input)? => {
                // As if all of it followed a last member.
                let trailing = Trailing::default();
                return Ok(Members {
                    format: Format::Gzip,
                    any: true,
                    garbage,
                    trailing,
                    open: false,
                    foreign: false,
                });
            }
            None => {
                let detected = look(input, detect)?;
                // Members of all kinds may follow one another, so BGZF that was not asked for is
                // gzip.
                let format = if detected == Detected::Zlib { Format::Zlib } else { Format::Gzip };
                (format, detected == Detected::Bgzf)
            }
        };
        let trailing = Trailing::default();
        Ok(Members { format, any: false, garbage, trailing, open, foreign: false })
    }

    /// Bytes behind the last member.
    pub(crate) fn trailing(&self) -> Trailing {
        self.trailing
    }

    /// Returns `true` if what is behind the last member is to be copied.
    pub(crate) fn copies(&self) -> bool {
        self.garbage == Garbage::Copy
    }

    /// Returns `true` if BGZF ended without its end block.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Reads the header of the next member; `None` behind the last.
    pub(crate) fn next(
        &mut self,
        input: &mut dyn Input,
    ) -> Result<Option<Member>, DecompressError> {
        let more = match self.format {
            Format::Parcomp => !input.peek(1)?.is_empty(),
            _ if !self.any => true,
            Format::Gzip | Format::Bgzf => self.follows(input)?,
            Format::Zlib | Format::Raw => {
                self.pass_trailing(input)?;
                false
            }
        };
        if !more {
            if self.format == Format::Bgzf && self.open {
                let cause = Cause::Truncated(Part::EndBlock);
                return Err(FormatError::new(input.offset(), cause).into());
            }
            return Ok(None);
        }
        self.any = true;
        let start = input.offset();
        let (len, mut member) = match self.format {
            Format::Gzip => {
                let header =
                    look(input, |bytes| Ok(Header::parse(bytes)?.map(|header| of_gzip(&header))));
                match header {
                    Err(DecompressError::Format(FormatError {
                        cause: Cause::HeaderLength { .. },
                        ..
                    })) => (0, pass_header(input)?),
                    header => header?,
                }
            }
            Format::Bgzf => {
                look(input, |bytes| Ok(bgzf::parse(bytes)?.map(|header| of_gzip(&header))))?
            }
            Format::Zlib => look(input, |bytes| {
                Ok(zlib::Header::parse(bytes)?.map(|_| (zlib::HEADER, bare(Format::Zlib))))
            })?,
            Format::Raw => (0, bare(Format::Raw)),
            Format::Parcomp => look(input, |bytes| match bytes.first_chunk() {
                Some(prefix) => {
                    let stream = Some(parcomp::parse(prefix)? as usize);
                    Ok(Some((parcomp::PREFIX, Member { stream, ..bare(Format::Parcomp) })))
                }
                None => Ok(None),
            })?,
        };
        input.consume(len);
        member.start = start;
        member.body = input.offset();
        Ok(Some(if self.foreign { member.doubted() } else { member }))
    }

    /// A member for one thread, as far as its header is trusted. If trust cannot be established
    /// soon, the member's own end and its trailer decide.
    pub(crate) fn believed(
        &mut self,
        member: Member,
        input: &mut dyn Input,
    ) -> Result<Member, DecompressError> {
        let Some(stream) = member.stream.filter(|_| self.may_be_foreign()) else {
            return Ok(member);
        };
        if stream > LOOKED_AT {
            return Ok(member.doubted());
        }
        let behind = input.peek(stream + TRAILER + MAGIC.len())?.get(stream..);
        let ends = behind.is_some_and(|behind| ends(&member, behind));
        self.foreign |= !ends;
        Ok(if ends { member } else { member.doubted() })
    }

    /// The same as [`decoded`](Members::decoded), of a member that may be doubted.
    pub(crate) fn decoded_alone(&mut self, member: &Member, found: Lengths) {
        let was_right = |doubted: Doubted| {
            doubted.stream as u64 == found.stream && found.data <= bgzf::MAX_READ as u64
        };
        match member.doubted {
            Some(doubted) => {
                let is_block = doubted.format == Format::Bgzf && was_right(doubted);
                self.open = is_block && found.data > 0;
            }
            None => self.decoded(member, found.data),
        }
    }

    /// Returns `true` if what a header of gzip says of lengths may be wrong: others may have
    /// written it.
    pub(crate) fn may_be_foreign(&self) -> bool {
        self.format == Format::Gzip
    }

    /// Whether a gzip member ends where its header says, judged by the available bytes: a length,
    /// and another member or the end. If not, no header of this file is trusted any more.
    pub(crate) fn ends(
        &mut self,
        member: &Member,
        behind: &mut dyn Input,
    ) -> Result<bool, DecompressError> {
        let ends = ends(member, behind.peek(TRAILER + MAGIC.len())?);
        self.foreign |= !ends;
        Ok(ends)
    }

    /// To be told how much data a member turned out to have.
    pub(crate) fn decoded(&mut self, member: &Member, data: u64) {
        self.open = member.format == Format::Bgzf && data > 0;
    }

    /// Returns `true` if another member of gzip follows, perhaps behind zeros. gzip passes over
    /// zeros between members, too: they fill the blocks of tapes.
    fn follows(&mut self, input: &mut dyn Input) -> Result<bool, DecompressError> {
        let mut zeros = 0;
        loop {
            let next = input.peek(MAGIC.len())?;
            let len = next.len().min(MAGIC.len());
            // Half of a member's first bytes is a member that was cut off, or a byte to copy.
            let least = if self.copies() { MAGIC.len() } else { 1 };
            if len >= least && MAGIC.starts_with(&next[..len]) {
                return Ok(true);
            }
            let more = next.iter().take_while(|&&byte| byte == 0).count();
            if more == 0 || self.copies() {
                break;
            }
            input.consume(more);
            zeros += more as u64;
        }
        self.trailing.zeros += zeros;
        self.pass_trailing(input)?;
        Ok(false)
    }

    fn pass_trailing(&mut self, input: &mut dyn Input) -> Result<(), DecompressError> {
        loop {
            let next = input.peek(1)?;
            if self.copies() {
                self.trailing.garbage = (!next.is_empty()).then(|| input.offset());
                return Ok(());
            }
            let zeros = next.iter().take_while(|&&byte| byte == 0).count();
            let found = next.get(zeros).copied();
            if zeros == 0 && found.is_none() {
                return Ok(());
            }
            input.consume(zeros);
            self.trailing.zeros += zeros as u64;
            if let Some(found) = found {
                if self.garbage == Garbage::Refuse {
                    let cause = Cause::Garbage { format: self.format, found };
                    return Err(FormatError::new(input.offset(), cause).into());
                }
                self.trailing.garbage = Some(input.offset());
                return Ok(());
            }
        }
    }
}

/// Most bytes of deflate data that are looked at to see whether they end where a header says.
const LOOKED_AT: usize = 1 << 20;

/// Returns `true` if a member is followed by what its header and its format demand.
fn ends(member: &Member, behind: &[u8]) -> bool {
    let Some((trailer, next)) = behind.split_first_chunk() else { return false };
    let len = Trailer::parse(trailer).len;
    let fits = match member.data {
        Some(data) => len == data,
        None => member.most_data().is_none_or(|most| u64::from(len) <= most),
    };
    fits && (next.first().is_none_or(|&first| first == 0) || next.starts_with(&MAGIC))
}

/// Passes over `len` bytes of a header, which are added to a sum, and gives them.
fn pass(
    input: &mut dyn Input,
    len: usize,
    sum: &mut crc32fast::Hasher,
) -> Result<Vec<u8>, DecompressError> {
    let start = input.offset();
    let next = input.peek(len)?;
    let Some(bytes) = next.get(..len).map(<[u8]>::to_vec) else {
        let end = start + next.len() as u64;
        return Err(FormatError::new(end, Cause::Truncated(Part::Header)).into());
    };
    sum.update(&bytes);
    input.consume(len);
    Ok(bytes)
}

/// Passes over a header that is too long to be looked at as a whole.
fn pass_header(input: &mut dyn Input) -> Result<Member, DecompressError> {
    let mut sum = crc32fast::Hasher::new();
    let fixed = pass(input, gzip::MIN_HEADER, &mut sum)?;
    let flags = fixed[3];
    if flags & gzip::HAS_EXTRA != 0 {
        let len = pass(input, 2, &mut sum)?;
        pass(input, u16::from_le_bytes([len[0], len[1]]).into(), &mut sum)?;
    }
    for text in [gzip::HAS_NAME, gzip::HAS_COMMENT] {
        let mut ended = flags & text == 0;
        while !ended {
            let next = input.peek(1)?;
            let end = next.iter().position(|&byte| byte == 0);
            ended = end.is_some();
            // At least one byte, so that an input that ends here is an error.
            let len = end.map_or(next.len(), |end| end + 1).max(1);
            pass(input, len, &mut sum)?;
        }
    }
    if flags & gzip::HAS_CHECKSUM != 0 {
        let computed = (sum.clone().finalize() & 0xffff) as u16;
        let start = input.offset();
        let stored = pass(input, 2, &mut sum)?;
        let stored = u16::from_le_bytes([stored[0], stored[1]]);
        if computed != stored {
            return Err(FormatError::new(start, Cause::HeaderChecksum { computed, stored }).into());
        }
    }
    let mtime = u32::from_le_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
    Ok(Member { mtime, ..bare(Format::Gzip) })
}

/// Whether an input is gzip data, or a zlib stream as far as its beginning tells.
fn is_compressed(input: &mut dyn Input) -> Result<bool, DecompressError> {
    if input.peek(MAGIC.len())?.starts_with(&MAGIC) {
        return Ok(true);
    }
    if zlib::Header::parse(input.peek(zlib::HEADER)?).is_err() {
        return Ok(false);
    }
    let start = input.peek(PROBE)?;
    let start = &start[..start.len().min(PROBE)];
    if !matches!(zlib::Header::parse(start), Ok(Some(_))) {
        return Ok(false);
    }
    Ok(match diagnose(&start[zlib::HEADER..]) {
        Finding::Sound { .. } => true,
        Finding::Wrong(FormatError { cause: Cause::Truncated(_), .. }) => start.len() == PROBE,
        Finding::Wrong(_) => false,
    })
}

/// Has `parse` look at more and more of what comes next until it can tell. It can at the latest
/// when it has seen the longest header that there may be. An input that pauses is asked for little
/// more than it has given, so that a short member behind a short header is not kept waiting.
fn look<T>(
    input: &mut dyn Input,
    parse: impl Fn(&[u8]) -> Result<Option<T>, FormatError>,
) -> Result<T, DecompressError> {
    let start = input.offset();
    let mut wanted = 1;
    loop {
        let bytes = input.peek(wanted)?;
        if let Some(parsed) = parse(bytes).map_err(|error| error.from_start(start))? {
            return Ok(parsed);
        }
        if bytes.len() < wanted {
            let end = start + bytes.len() as u64;
            return Err(FormatError::new(end, Cause::Truncated(Part::Header)).into());
        }
        wanted = bytes.len() + bytes.len() / 8 + 1;
    }
}

/// A member by its header; where it begins is not known here.
fn of_gzip(header: &Header<'_>) -> (usize, Member) {
    let (format, data) = match header.extent {
        Extent::Bgzf { .. } => (Format::Bgzf, None),
        Extent::Broadloom { data, .. } => (Format::Gzip, Some(data)),
        Extent::Unknown => (Format::Gzip, None),
    };
    let member = Member {
        stream: header.stream_len(),
        data,
        mtime: header.mtime,
        name: header.file_name().map(<[u8]>::to_vec),
        ..bare(format)
    };
    (header.len, member)
}

fn bare(format: Format) -> Member {
    Member {
        start: 0,
        body: 0,
        format,
        stream: None,
        data: None,
        mtime: 0,
        name: None,
        doubted: None,
    }
}
