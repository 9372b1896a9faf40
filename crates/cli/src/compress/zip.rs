//! Zip files of one entry, as `pigz --zip` writes them: around bare deflate data that the framework
//! makes. Every length is written behind the data, in the form for files beyond 4 GiB, so that a
//! pipe will do.
//!
//! ```text
//! local header, name, extra fields     lengths and CRC-32 unknown
//! deflate data
//! data descriptor                      CRC-32, both lengths (8 bytes each)
//! central directory: one header        the same again, mode, name
//! end of the central directory         preceded by its 64-bit form where a length needs that
//! ```

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::SystemTime;

use broadloom::compression::{CompressError, Compressor, DecompressError, Decompressor, Report};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::origin::Origin;
use super::seconds;

/// How a zip file begins: the signature of a local header.
pub const MAGIC: [u8; 4] = *b"PK\x03\x04";

/// The signature of a data descriptor, which not all programs write.
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Bytes of a local header before the name.
const HEADER: usize = 30;

/// The methods of compression that are read.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Flags of an entry: encrypted, lengths behind the data, a name in UTF-8.
const ENCRYPTED: u16 = 1;
const BEHIND: u16 = 1 << 3;
const UTF8: u16 = 1 << 11;

/// The version of the format that has lengths of 64 bits.
const VERSION: u16 = 45;

/// Made on Unix.
const UNIX: u16 = 3 << 8;

/// A length of 32 bits that stands for one of 64 elsewhere.
const ELSEWHERE: u32 = u32::MAX;

/// The name of an entry made of standard input, as pigz has it.
const UNNAMED: &str = "-";

/// A regular file that its owner may write to and everybody may read.
const USUAL_MODE: u32 = 0o100_644;

/// Why a zip file is not read, or not written.
#[derive(Debug, thiserror::Error)]
pub enum ZipError {
    /// It cannot be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// It cannot be decompressed.
    #[error(transparent)]
    Decompress(#[from] DecompressError),
    /// It does not begin as zip files do.
    #[error("at byte 0: no zip data: {0:02x?} is not how they begin")]
    Magic(Vec<u8>),
    /// It is encrypted.
    #[error("the entry is encrypted: valid is `unzip`, which asks for the password")]
    Encrypted,
    /// Another method of compression.
    #[error("the entry has compression method {0}; valid: 0 (stored) and 8 (deflate)")]
    Method(u16),
    /// Bytes as they are, whose number is behind them.
    #[error("the entry is stored without its length before it: valid is `unzip`")]
    StoredUnknown,
    /// It ends too early.
    #[error("at byte {0}: the input ends within a zip file")]
    Truncated(u64),
    /// What is stored of the data is not so.
    #[error("at byte {0}: the data are not those whose CRC-32 and lengths are stored")]
    Different(u64),
    /// A name that does not fit.
    #[error("a name of {0} bytes cannot be stored in a zip file; valid: at most 65535")]
    Name(usize),
}

/// Returns `true` if data that begin so are a zip file.
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// What is known of an entry.
struct Entry<'n> {
    name: &'n [u8],
    modified: Option<SystemTime>,
    mode: u32,
}

/// What is found out while an entry is written, or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sums {
    crc: u32,
    compressed: u64,
    uncompressed: u64,
}

/// Compresses what `input` has into a zip file of one entry.
///
/// # Errors
/// If it cannot be compressed, or the name not be stored.
pub fn write(
    compressor: &Compressor,
    input: impl Read + Send,
    mut output: impl Write,
    origin: &Origin,
) -> Result<Report, ZipError> {
    let name = origin.name.as_deref().unwrap_or(OsStr::new(UNNAMED)).as_bytes();
    if name.len() > u16::MAX.into() {
        return Err(ZipError::Name(name.len()));
    }
    let mode = origin.mode.unwrap_or(USUAL_MODE);
    let entry = Entry { name, modified: origin.modified, mode };
    let write = |output: &mut dyn Write, bytes: &[u8], offset| {
        let written = output.write_all(bytes);
        written.map_err(|error| CompressError::Write { offset, error })
    };
    let header = entry.local_header();
    write(&mut output, &header, 0)?;
    let mut input = Summed::new(input);
    let mut report = compressor.compress_stream(&mut input, &mut output)?;
    let sums =
        Sums { crc: input.sum.finalize(), compressed: report.output, uncompressed: report.input };
    let end = [sums.descriptor(), entry.directory(sums, header.len() as u64)].concat();
    write(&mut output, &end, header.len() as u64 + report.output)?;
    report.output += (header.len() + end.len()) as u64;
    Ok(report)
}

impl Entry<'_> {
    /// Whether the name is to be read as UTF-8; as ASCII it is the same everywhere.
    fn flags(&self) -> u16 {
        let utf8 = !self.name.is_ascii() && str::from_utf8(self.name).is_ok();
        BEHIND | if utf8 { UTF8 } else { 0 }
    }

    /// Version, flags, method and time, as both headers have them.
    fn common(&self) -> Vec<u8> {
        let (time, date) = self.modified.map_or((0, EARLIEST), dos_time);
        let fields = [VERSION, self.flags(), DEFLATED, time, date];
        fields.iter().flat_map(|field| field.to_le_bytes()).collect()
    }

    /// The time of modification in seconds since 1970, as an extra field.
    fn time_field(&self) -> Vec<u8> {
        let Some(seconds) = self.modified.map(seconds::to_seconds).filter(|&time| time != 0) else {
            return Vec::new();
        };
        let mut field = b"UT\x05\x00\x01".to_vec();
        field.extend_from_slice(&seconds.to_le_bytes());
        field
    }

    fn local_header(&self) -> Vec<u8> {
        let mut extra = vec![1, 0, 16, 0];
        extra.extend_from_slice(&[0; 16]);
        extra.extend(self.time_field());
        let mut header = [&MAGIC[..], &self.common(), &[0; 4]].concat();
        header.extend_from_slice(&ELSEWHERE.to_le_bytes());
        header.extend_from_slice(&ELSEWHERE.to_le_bytes());
        header.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        header.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        [&header[..], self.name, &extra].concat()
    }

    /// The central directory and its end; the local header has `header` bytes.
    fn directory(&self, sums: Sums, header: u64) -> Vec<u8> {
        let large = |length: u64| length >= ELSEWHERE.into();
        let short = |length: u64| u32::try_from(length).unwrap_or(ELSEWHERE).to_le_bytes();
        let mut long = Vec::new();
        for length in [sums.uncompressed, sums.compressed].into_iter().filter(|&it| large(it)) {
            long.extend_from_slice(&length.to_le_bytes());
        }
        let mut extra = Vec::new();
        if !long.is_empty() {
            extra.extend_from_slice(&[1, 0, long.len() as u8, 0]);
            extra.extend(long);
        }
        extra.extend(self.time_field());
        let mut bytes = [&b"PK\x01\x02"[..], &(UNIX | VERSION).to_le_bytes()].concat();
        bytes.extend(self.common());
        bytes.extend_from_slice(&sums.crc.to_le_bytes());
        bytes.extend_from_slice(&short(sums.compressed));
        bytes.extend_from_slice(&short(sums.uncompressed));
        bytes.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        // No comment, the first disk, no text, the mode, and the local header at the beginning.
        bytes.extend_from_slice(&[0; 6]);
        bytes.extend_from_slice(&(self.mode << 16).to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(self.name);
        bytes.extend_from_slice(&extra);
        let (start, len) = (header + sums.compressed + Sums::LEN, bytes.len() as u64);
        if large(start) {
            bytes.extend(long_end(start, len));
        }
        bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend_from_slice(&short(len));
        bytes.extend_from_slice(&short(start));
        bytes.extend_from_slice(&[0; 2]);
        bytes
    }
}

/// The 64-bit form of the end of a directory of `len` bytes that begins at `start`, and where it
/// is.
fn long_end(start: u64, len: u64) -> Vec<u8> {
    let mut end = b"PK\x06\x06".to_vec();
    end.extend_from_slice(&44u64.to_le_bytes());
    end.extend_from_slice(&(UNIX | VERSION).to_le_bytes());
    end.extend_from_slice(&VERSION.to_le_bytes());
    end.extend_from_slice(&[0; 8]);
    for number in [1, 1, len, start] {
        end.extend_from_slice(&number.to_le_bytes());
    }
    end.extend_from_slice(b"PK\x06\x07\0\0\0\0");
    end.extend_from_slice(&(start + len).to_le_bytes());
    end.extend_from_slice(&1u32.to_le_bytes());
    end
}

impl Sums {
    /// Bytes of a descriptor as it is written.
    const LEN: u64 = 24;

    fn descriptor(&self) -> Vec<u8> {
        let mut bytes = [DESCRIPTOR, self.crc.to_le_bytes()].concat();
        bytes.extend_from_slice(&self.compressed.to_le_bytes());
        bytes.extend_from_slice(&self.uncompressed.to_le_bytes());
        bytes
    }

    /// The length of a descriptor that says just this, in any of its four forms.
    fn described_by(&self, bytes: &[u8]) -> Option<usize> {
        let long = self.descriptor();
        let short: Vec<u8> = [self.compressed as u32, self.uncompressed as u32]
            .iter()
            .flat_map(|length| length.to_le_bytes())
            .collect();
        let short = [&long[..8], &short].concat();
        let forms = [&long[..], &short, &long[4..], &short[4..]];
        forms.into_iter().find(|form| bytes.starts_with(form)).map(<[u8]>::len)
    }
}

/// The first of January 1980, before which MS-DOS knows no time.
const EARLIEST: u16 = 1 << 5 | 1;

/// A time as MS-DOS has it: local, in steps of two seconds, from 1980 to 2107.
fn dos_time(time: SystemTime) -> (u16, u16) {
    let time = Timestamp::try_from(time).ok().map(|time| time.to_zoned(TimeZone::system()));
    time.map_or((0, EARLIEST), |time| dos_fields(time.datetime()))
}

fn dos_fields(time: DateTime) -> (u16, u16) {
    let years = i32::from(time.year()) - 1980;
    if !(0..128).contains(&years) {
        return (0, EARLIEST);
    }
    let [month, day, hour, minute, second]: [u16; 5] =
        [time.month(), time.day(), time.hour(), time.minute(), time.second()]
            .map(|field| field.unsigned_abs().into());
    let of_day: u16 = hour << 11 | minute << 5 | (second / 2);
    (of_day, (years as u16) << 9 | month << 5 | day)
}

/// Decompresses the first entry of a zip file, of at most `limit` bytes. Says whether others
/// follow.
///
/// # Errors
/// If it is no such file, or one that is not read, or if it is damaged.
pub fn read(
    decompressor: &Decompressor,
    input: impl Read + Send,
    output: impl Write,
    limit: Option<u64>,
) -> Result<(Report, bool), ZipError> {
    let mut input = Window::new(input);
    let header = input.take_exactly(HEADER)?;
    if !begins(&header) {
        return Err(ZipError::Magic(header[..MAGIC.len()].to_vec()));
    }
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
    let (flags, method) = (short(6), short(8));
    if flags & ENCRYPTED != 0 {
        return Err(ZipError::Encrypted);
    }
    input.take_exactly(short(26).into())?;
    let extra = input.take_exactly(short(28).into())?;
    let (uncompressed, compressed) = lengths(long(22), long(18), &extra);
    let start = input.read;
    let mut output = Summed::new(output);
    let behind = flags & BEHIND != 0;
    let mut report = match method {
        DEFLATED => decompressor.decompress_stream(&mut input, &mut output)?.report,
        STORED if behind => return Err(ZipError::StoredUnknown),
        STORED => copy(&mut input, &mut output, uncompressed, limit)?,
        method => return Err(ZipError::Method(method)),
    };
    let found = Sums {
        crc: output.sum.finalize(),
        compressed: report.streams,
        uncompressed: report.output,
    };
    let end = start + report.streams;
    let rest = input.from(end)?;
    let described = match behind {
        true => found.described_by(&rest).ok_or(ZipError::Different(end))?,
        false if found == (Sums { crc: long(14), compressed, uncompressed }) => 0,
        false => return Err(ZipError::Different(end)),
    };
    let more = begins(&rest[described..]);
    if !more && !rest[described..].starts_with(b"PK\x01\x02") {
        return Err(ZipError::Truncated(end + rest.len() as u64));
    }
    io::copy(&mut input, &mut io::sink())
        .map_err(|error| DecompressError::Read { offset: input.read, error })?;
    report.input = input.read;
    Ok((report, more))
}

/// The lengths of an entry, uncompressed and compressed: those of the header, or those of 64 bits
/// in its extra fields.
fn lengths(uncompressed: u32, compressed: u32, mut extra: &[u8]) -> (u64, u64) {
    let mut long: &[u8] = &[];
    while let [a, b, low, high, rest @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*low, *high]));
        let Some((field, behind)) = rest.split_at_checked(len) else { break };
        if [*a, *b] == [1, 0] {
            long = field;
        }
        extra = behind;
    }
    let mut length = |short: u32| match (short, long.split_first_chunk()) {
        (ELSEWHERE, Some((&length, rest))) => {
            long = rest;
            u64::from_le_bytes(length)
        }
        _ => short.into(),
    };
    (length(uncompressed), length(compressed))
}

/// Copies `len` bytes that are stored as they are.
fn copy(
    input: &mut impl Read,
    output: &mut impl Write,
    len: u64,
    limit: Option<u64>,
) -> Result<Report, ZipError> {
    if let Some(limit) = limit.filter(|&limit| len > limit) {
        return Err(DecompressError::OutputLimit { offset: 0, limit }.into());
    }
    let copied = io::copy(&mut input.take(len), output)
        .map_err(|error| DecompressError::Write { offset: 0, error })?;
    if copied < len {
        return Err(ZipError::Truncated(copied));
    }
    Ok(Report { input: len, output: len, streams: len, chunks: 1, ..Report::default() })
}

/// A reader or a writer whose bytes are summed up.
struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Summed { inner, sum: crc32fast::Hasher::new() }
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.sum.update(&buffer[..len]);
        Ok(len)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.inner.write(bytes)?;
        self.sum.update(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// What the decoder of deflate data may have read beyond their end, in bytes: a multiple of its
/// window.
const BEYOND: usize = 1 << 20;

/// What is looked at behind an entry's data: a descriptor, and a signature.
const LOOKED_AT: usize = 28;

/// A reader that remembers what it read last.
struct Window<R> {
    reader: R,
    /// Bytes read so far.
    read: u64,
    last: Vec<u8>,
}

impl<R: Read> Window<R> {
    fn new(reader: R) -> Self {
        Window { reader, read: 0, last: Vec::new() }
    }

    fn take_exactly(&mut self, len: usize) -> Result<Vec<u8>, ZipError> {
        let mut bytes = Vec::new();
        let read = self.by_ref().take(len as u64).read_to_end(&mut bytes);
        read.map_err(|error| DecompressError::Read { offset: self.read, error })?;
        if bytes.len() < len { Err(ZipError::Truncated(self.read)) } else { Ok(bytes) }
    }

    /// The bytes from a place on that was read not long ago: enough to be looked at, if there are.
    fn from(&mut self, place: u64) -> Result<Vec<u8>, ZipError> {
        let behind = usize::try_from(self.read - place).unwrap_or(usize::MAX);
        let start = self.last.len().checked_sub(behind).ok_or(ZipError::Truncated(place))?;
        let mut bytes = self.last[start..].to_vec();
        let missing = LOOKED_AT.saturating_sub(bytes.len()) as u64;
        let read = self.by_ref().take(missing).read_to_end(&mut bytes);
        read.map_err(|error| DecompressError::Read { offset: self.read, error })?;
        Ok(bytes)
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(buffer)?;
        self.read += len as u64;
        self.last.extend_from_slice(&buffer[..len]);
        if self.last.len() > 2 * BEYOND {
            self.last.drain(..self.last.len() - BEYOND);
        }
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_dos() {
        let time = DateTime::constant(2026, 11, 22, 13, 59, 58, 0);
        assert_eq!(dos_fields(time), (13 << 11 | 59 << 5 | 29, 46 << 9 | 11 << 5 | 22));
        for beyond in [1979, 2108] {
            let time = DateTime::constant(beyond, 12, 31, 23, 59, 59, 0);
            assert_eq!(dos_fields(time), (0, EARLIEST), "{beyond}");
        }
    }

    #[test]
    fn descriptors_have_four_forms() {
        let sums = Sums { crc: 0x0403_0201, compressed: 5, uncompressed: 6 };
        let long = sums.descriptor();
        assert_eq!(long.len() as u64, Sums::LEN);
        let short = b"PK\x07\x08\x01\x02\x03\x04\x05\0\0\0\x06\0\0\0";
        for (form, len) in [(&long[..], 24), (&long[4..], 20), (short, 16), (&short[4..], 12)] {
            let bytes = [form, b"PK\x01\x02"].concat();
            assert_eq!(sums.described_by(&bytes), Some(len));
        }
        assert_eq!(Sums { crc: 1, ..sums }.described_by(&long), None);
        assert_eq!(sums.described_by(&long[..7]), None);
    }

    #[test]
    fn lengths_beyond_four_gigabytes_are_elsewhere() {
        let long = [&[1u8, 0, 16, 0][..], &[7, 0, 0, 0, 1, 0, 0, 0], &[9; 8]].concat();
        let extra = [&b"UT\x01\x00\x00"[..], &long].concat();
        let nines = u64::from_le_bytes([9; 8]);
        assert_eq!(lengths(ELSEWHERE, ELSEWHERE, &extra), (7 + (1 << 32), nines));
        assert_eq!(lengths(3, ELSEWHERE, &extra), (3, 7 + (1 << 32)));
        assert_eq!(lengths(3, 4, &extra), (3, 4));
        assert_eq!(lengths(ELSEWHERE, 4, b"\x01\x00\xff"), (u64::from(ELSEWHERE), 4));
        let sums = Sums { crc: 1, compressed: 1 << 33, uncompressed: 1 << 34 };
        let entry = Entry { name: b"a", modified: None, mode: 0 };
        let directory = entry.directory(sums, 51);
        assert!(directory.windows(4).any(|bytes| bytes == b"PK\x06\x06"));
        assert!(directory.windows(8).any(|bytes| bytes == (1u64 << 34).to_le_bytes()));
    }
}
