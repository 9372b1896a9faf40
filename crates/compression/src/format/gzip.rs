//! gzip, RFC 1952.
//!
//! If each chunk is a member, the extra field of its header has a subfield `BL` with the lengths of
//! the member and of its data. Every gzip skips the subfield; Broadloom uses it to jump from member
//! to member.
//!
//! ```text
//! 1f 8b 08 FLG  MTIME (4)  XFL OS   the fixed part
//! XLEN (2)  extra field             if FLG has 0x04: subfields (two ids, length (2), contents)
//! name, 0                           if FLG has 0x08
//! comment, 0                        if FLG has 0x10
//! CRC-16 of the above               if FLG has 0x02
//! deflate data
//! CRC-32 (4)  ISIZE (4)             of the data; ISIZE is their length modulo 2^32
//! ```

use super::bytes::{u16_le, u32_le};
use super::{Cause, Format, FormatError, is_plausible};

/// How a member begins.
pub const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The compression method deflate.
const DEFLATE: u8 = 8;

/// Bytes of a header without any optional part.
pub const MIN_HEADER: usize = 10;

/// The longest header that is read as a whole, in bytes. A name or a comment has no length of its
/// own: without a bound, a damaged one would be looked for to the end of the input. Longer headers
/// are passed over piece by piece, and their names are not known.
pub const MAX_HEADER: usize = 1 << 18;

/// Bytes behind the deflate data.
pub const TRAILER: usize = 8;

/// The shortest deflate stream, in bytes.
const SHORTEST_STREAM: usize = 2;

/// Bytes of a header that [`write_header`] adds for the members' lengths.
const EXTENT: usize = 2 + 4 + 8;

pub(crate) const HAS_CHECKSUM: u8 = 0x02;
pub(crate) const HAS_EXTRA: u8 = 0x04;
pub(crate) const HAS_NAME: u8 = 0x08;
pub(crate) const HAS_COMMENT: u8 = 0x10;
const RESERVED: u8 = 0xe0;

/// The ids of Broadloom's subfield.
const BROADLOOM: [u8; 2] = *b"BL";

/// The ids of the subfield with the length of a block of BGZF.
const BGZF: [u8; 2] = *b"BC";

/// Where a member ends, as far as its header tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The header does not say: the deflate data must be decoded to find their end.
    Unknown,
    /// A block of BGZF.
    Bgzf {
        /// Bytes of the member, header and trailer included.
        member: u32,
    },
    /// A member of Broadloom's.
    Broadloom {
        /// Bytes of the member, header and trailer included.
        member: u32,
        /// Bytes of the data that it stands for.
        data: u32,
    },
}

/// The header of a member.
///
/// ```
/// use broadloom_compression::format::gzip::{Extent, Header};
///
/// let empty = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// let header = Header::parse(&empty)?.expect("it is complete");
/// assert_eq!((header.len, header.system, header.extent), (10, 255, Extent::Unknown));
/// # Ok::<(), broadloom_compression::format::FormatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    /// Its length in bytes: the deflate data begin there.
    pub len: usize,
    /// When the data were last modified, in seconds since 1970; 0 if that is not known.
    pub mtime: u32,
    /// How the compressor went about it: 2 for its best, 4 for its fastest.
    pub extra_flags: u8,
    /// The file system the data come from; 3 is Unix, 255 unknown.
    pub system: u8,
    /// The extra field. Empty if there is none.
    pub extra: &'a [u8],
    /// The file's name in ISO 8859-1, as stored. [`file_name`](Header::file_name) gives a safe
    /// name.
    pub name: Option<&'a [u8]>,
    /// A comment in ISO 8859-1.
    pub comment: Option<&'a [u8]>,
    /// Where the member ends.
    pub extent: Extent,
}

impl<'a> Header<'a> {
    /// Reads the header at the beginning of `bytes`. `None` if it goes on behind their end; an
    /// input that goes on as well then has to be offered with more of it.
    ///
    /// # Errors
    /// If no header begins so, or if it is wrong: reserved flags, another method than deflate, its
    /// own checksum. Offsets count from the beginning of `bytes`.
    pub fn parse(bytes: &'a [u8]) -> Result<Option<Self>, FormatError> {
        match Self::read(&bytes[..bytes.len().min(MAX_HEADER)])? {
            None if bytes.len() >= MAX_HEADER => {
                Err(FormatError::new(0, Cause::HeaderLength { max: MAX_HEADER }))
            }
            header => Ok(header),
        }
    }

    fn read(bytes: &'a [u8]) -> Result<Option<Self>, FormatError> {
        let start = &bytes[..bytes.len().min(2)];
        if !MAGIC.starts_with(start) {
            let found = [start[0], *start.get(1).unwrap_or(&0)];
            return Err(FormatError::new(0, Cause::Magic { format: Format::Gzip, found }));
        }
        if let Some(&method) = bytes.get(2)
            && method != DEFLATE
        {
            return Err(FormatError::new(2, Cause::Method(method)));
        }
        let Some(&flags) = bytes.get(3) else { return Ok(None) };
        if flags & RESERVED != 0 {
            return Err(FormatError::new(3, Cause::Flags(flags)));
        }
        let Some(fixed) = bytes.first_chunk::<MIN_HEADER>() else { return Ok(None) };

        let mut fields = Fields { bytes, at: MIN_HEADER };
        let has = |flag| flags & flag != 0;
        let Some(extra) = optional(has(HAS_EXTRA), || fields.extra()) else { return Ok(None) };
        let Some(name) = optional(has(HAS_NAME), || fields.text()) else { return Ok(None) };
        let Some(comment) = optional(has(HAS_COMMENT), || fields.text()) else { return Ok(None) };
        if has(HAS_CHECKSUM) {
            let Some(stored) = u16_le(bytes, fields.at) else { return Ok(None) };
            let computed = (crc32fast::hash(&bytes[..fields.at]) & 0xffff) as u16;
            if computed != stored {
                let cause = Cause::HeaderChecksum { computed, stored };
                return Err(FormatError::new(fields.at as u64, cause));
            }
            fields.at += 2;
        }
        let mut header = Header {
            len: fields.at,
            mtime: u32::from_le_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]),
            extra_flags: fixed[8],
            system: fixed[9],
            extra: extra.unwrap_or_default(),
            name,
            comment,
            extent: Extent::Unknown,
        };
        header.extent = header.find_extent();
        Ok(Some(header))
    }

    /// The subfields of the extra field: their ids and contents. Ends where the field is not made
    /// of subfields, as every gzip takes such a field, too.
    pub fn subfields(&self) -> impl Iterator<Item = ([u8; 2], &'a [u8])> {
        let mut rest = self.extra;
        std::iter::from_fn(move || {
            let (ids, behind) = rest.split_first_chunk::<2>()?;
            let (len, behind) = behind.split_first_chunk::<2>()?;
            let (contents, behind) = behind.split_at_checked(u16::from_le_bytes(*len).into())?;
            rest = behind;
            Some((*ids, contents))
        })
    }

    /// The name without directories, fit for a file; `None` if nothing is left of it. A file of
    /// that name cannot lie outside the directory.
    pub fn file_name(&self) -> Option<&'a [u8]> {
        let last = self.name?.rsplit(|&byte| byte == b'/').next()?;
        (!matches!(last, b"" | b"." | b"..")).then_some(last)
    }

    /// Bytes of the deflate data, if the header tells.
    pub fn stream_len(&self) -> Option<usize> {
        let member = match self.extent {
            Extent::Unknown => return None,
            Extent::Bgzf { member } | Extent::Broadloom { member, .. } => member as usize,
        };
        Some(member - self.len - TRAILER)
    }

    /// Finds the end of the member by a subfield. Others may use the same two ids for something
    /// else, so that a length which cannot be right is none.
    fn find_extent(&self) -> Extent {
        let extent = self.subfields().find_map(|(ids, contents)| match ids {
            BROADLOOM if contents.len() == 8 => {
                Some(Extent::Broadloom { member: u32_le(contents, 0)?, data: u32_le(contents, 4)? })
            }
            BGZF if contents.len() == 2 => {
                Some(Extent::Bgzf { member: u32::from(u16_le(contents, 0)?) + 1 })
            }
            _ => None,
        });
        let around = (self.len + TRAILER) as u64;
        let is_right = |member: u32, data: u32| {
            let stream = u64::from(member).checked_sub(around);
            stream.is_some_and(|stream| {
                stream >= SHORTEST_STREAM as u64 && is_plausible(stream, data.into())
            })
        };
        match extent {
            Some(Extent::Bgzf { member }) if is_right(member, 0) => Extent::Bgzf { member },
            Some(Extent::Broadloom { member, data }) if is_right(member, data) => {
                Extent::Broadloom { member, data }
            }
            _ => Extent::Unknown,
        }
    }
}

/// The part that a flag announces, if it is set. The outer `None` means: too few bytes.
fn optional<T>(announced: bool, read: impl FnOnce() -> Option<T>) -> Option<Option<T>> {
    if announced { read().map(Some) } else { Some(None) }
}

/// The optional parts of a header, one after another.
struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn extra(&mut self) -> Option<&'a [u8]> {
        let len = usize::from(u16_le(self.bytes, self.at)?);
        let field = self.bytes.get(self.at + 2..self.at + 2 + len)?;
        self.at += 2 + len;
        Some(field)
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let len = rest.iter().position(|&byte| byte == 0)?;
        self.at += len + 1;
        Some(&rest[..len])
    }
}

/// The trailer behind the deflate data of a member.
///
/// ```
/// use broadloom_compression::format::gzip::Trailer;
///
/// let trailer = Trailer { crc: 0, len: 0 };
/// assert_eq!(Trailer::parse(&trailer.to_bytes()), trailer);
/// assert!(trailer.check(0, 0).is_ok() && trailer.check(0, 1).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer {
    /// The CRC-32 of the data.
    pub crc: u32,
    /// The length of the data, modulo 2^32.
    pub len: u32,
}

impl Trailer {
    /// Reads a trailer.
    pub fn parse(bytes: &[u8; TRAILER]) -> Self {
        let [a, b, c, d, e, f, g, h] = *bytes;
        Trailer { crc: u32::from_le_bytes([a, b, c, d]), len: u32::from_le_bytes([e, f, g, h]) }
    }

    /// The same in bytes.
    pub fn to_bytes(self) -> [u8; TRAILER] {
        let mut bytes = [0; TRAILER];
        bytes[..4].copy_from_slice(&self.crc.to_le_bytes());
        bytes[4..].copy_from_slice(&self.len.to_le_bytes());
        bytes
    }

    /// Returns `true` if it matches data of so many bytes, with a CRC-32 that must be known.
    pub fn is_of(self, crc: Option<u32>, len: u64) -> bool {
        crc.is_some_and(|crc| self.check(crc, len).is_ok())
    }

    /// Compares with what was decoded: its CRC-32, and how many bytes it was.
    ///
    /// # Errors
    /// If either is another. Offsets count from the beginning of the trailer.
    pub fn check(self, crc: u32, len: u64) -> Result<(), FormatError> {
        if crc != self.crc {
            let cause = Cause::Checksum { name: "CRC-32", computed: crc, stored: self.crc };
            return Err(FormatError::new(0, cause));
        }
        let len = len & u64::from(u32::MAX);
        if len != self.len.into() {
            return Err(FormatError::new(
                4,
                Cause::Length { computed: len, stored: self.len.into() },
            ));
        }
        Ok(())
    }
}

/// The contents of a header beside the lengths.
///
/// ```
/// use broadloom_compression::format::gzip::{Header, Metadata, write_open_header};
///
/// let mut file = Vec::new();
/// write_open_header(&mut file, &Metadata { name: Some(b"cloth"), ..Metadata::default() })?;
/// assert_eq!(Header::parse(&file)?.expect("it is complete").name, Some(&b"cloth"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metadata<'a> {
    /// When the data were last modified, in seconds since 1970; 0 if that is not known.
    pub mtime: u32,
    /// The file's name in ISO 8859-1, or in whatever encoding the file system has, as gzip does it.
    pub name: Option<&'a [u8]>,
    /// Which of its ways the compressor went.
    pub effort: Effort,
}

/// The compressor's effort according to a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Neither of the others.
    #[default]
    Usual,
    /// The most.
    Best,
    /// The least.
    Fastest,
}

/// Why a member cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    /// A name with a zero byte in it, or too long.
    #[error(
        "a name of {len} bytes cannot be stored; valid: at most {max} bytes, none of them zero"
    )]
    Name {
        /// Its length.
        len: usize,
        /// The longest that there can be.
        max: usize,
    },
    /// More than a length of four bytes can say.
    #[error(
        "a member of {member} bytes for {data} bytes of data is too large; at most {max} each",
        max = u32::MAX
    )]
    Size {
        /// Bytes of the member.
        member: u64,
        /// Bytes of its data.
        data: u64,
    },
}

/// The longest name that can be stored.
const MAX_NAME: usize = MAX_HEADER / 2;

/// Writes the header of a member of Broadloom's, for `stream` bytes of deflate data that stand for
/// `data` bytes. The deflate data and a [`Trailer`] have to follow. An empty input is a member,
/// too.
///
/// # Errors
/// If the name or a length cannot be stored; then nothing is written.
pub fn write_header(
    output: &mut Vec<u8>,
    metadata: &Metadata<'_>,
    stream: usize,
    data: usize,
) -> Result<(), MemberError> {
    let header = MIN_HEADER + EXTENT + metadata.name.map_or(0, |name| name.len() + 1);
    let member = header as u64 + stream as u64 + TRAILER as u64;
    let (Ok(member_len), Ok(data_len)) = (u32::try_from(member), u32::try_from(data)) else {
        return Err(MemberError::Size { member, data: data as u64 });
    };
    let mut extent = [BROADLOOM[0], BROADLOOM[1], 8, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    extent[4..8].copy_from_slice(&member_len.to_le_bytes());
    extent[8..].copy_from_slice(&data_len.to_le_bytes());
    put_header(output, metadata, &extent)
}

/// Writes the header of a member that says nothing of its length. Deflate data and a [`Trailer`]
/// have to follow.
///
/// # Errors
/// If the name cannot be stored; then nothing is written.
pub fn write_open_header(output: &mut Vec<u8>, metadata: &Metadata<'_>) -> Result<(), MemberError> {
    put_header(output, metadata, &[])
}

/// Writes a header with an extra field, unless that is empty.
fn put_header(
    output: &mut Vec<u8>,
    metadata: &Metadata<'_>,
    extra: &[u8],
) -> Result<(), MemberError> {
    let name = metadata.name.unwrap_or_default();
    if name.len() > MAX_NAME || name.contains(&0) {
        return Err(MemberError::Name { len: name.len(), max: MAX_NAME });
    }
    let has = |is: bool, flag| if is { flag } else { 0 };
    let flags = has(!extra.is_empty(), HAS_EXTRA) | has(metadata.name.is_some(), HAS_NAME);
    let effort = match metadata.effort {
        Effort::Usual => 0,
        Effort::Best => 2,
        Effort::Fastest => 4,
    };
    output.extend_from_slice(&[MAGIC[0], MAGIC[1], DEFLATE, flags]);
    output.extend_from_slice(&metadata.mtime.to_le_bytes());
    output.extend_from_slice(&[effort, if cfg!(unix) { 3 } else { 255 }]);
    if !extra.is_empty() {
        output.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        output.extend_from_slice(extra);
    }
    if metadata.name.is_some() {
        output.extend_from_slice(name);
        output.push(0);
    }
    Ok(())
}
