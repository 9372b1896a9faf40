//! Errors in compressed data, with their positions.

use super::Format;
use crate::framed;

/// Compressed data are not what they should be.
///
/// ```
/// use broadloom_compression::format::gzip::Header;
///
/// let error = Header::parse(b"no gzip header").expect_err("the first two bytes are wrong");
/// println!("{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset}: {cause}")]
pub struct FormatError {
    /// Where, in bytes from the beginning of the compressed input: the first byte of the field that
    /// is wrong, the byte with which deflate data went wrong, or the end of an input that ends too
    /// early.
    pub offset: u64,
    /// The error at that position.
    pub cause: Cause,
}

impl FormatError {
    /// `cause` at `offset`.
    pub fn new(offset: u64, cause: Cause) -> Self {
        FormatError { offset, cause }
    }

    /// The same error of a piece that begins at `start` of the whole.
    pub fn from_start(self, start: u64) -> Self {
        FormatError { offset: start.saturating_add(self.offset), ..self }
    }
}

/// An error in compressed data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The input ends too early.
    #[error("the input ends within {0}")]
    Truncated(Part),
    /// Nothing that can be told apart by its beginning.
    #[error("the input begins with {found:02x?}, as neither gzip nor zlib data do")]
    Unrecognised {
        /// The first bytes.
        found: [u8; 2],
    },
    /// Not the beginning of what was asked for.
    #[error("no {format} data: {found:02x?} is not how they begin")]
    Magic {
        /// The expected value.
        format: Format,
        /// The first bytes.
        found: [u8; 2],
    },
    /// Bytes after the end that belong to nothing.
    #[error("what follows the end of the compressed data is no {format}: {found:#04x}")]
    Garbage {
        /// The format that could have followed.
        format: Format,
        /// The first such byte.
        found: u8,
    },
    /// Another compression method than deflate.
    #[error("compression method {0} is unknown; valid: 8 (deflate)")]
    Method(u8),
    /// Flags of gzip that mean nothing yet.
    #[error("reserved flags are set: {0:#04x} is not within 0x1f")]
    Flags(u8),
    /// A window of zlib that deflate does not have.
    #[error("a window of 2^{0} bytes is too large; at most 2^15")]
    Window(u8),
    /// zlib's check of its header fails.
    #[error("the header {0:02x?} is no multiple of 31")]
    HeaderCheck([u8; 2]),
    /// gzip's checksum of its header is another.
    #[error("the header's checksum is {computed:#06x}, and {stored:#06x} is stored")]
    HeaderChecksum {
        /// The checksum of the actual header.
        computed: u16,
        /// That in the header.
        stored: u16,
    },
    /// A header too long to be one.
    #[error("the header is longer than {max} bytes")]
    HeaderLength {
        /// The longest that is read.
        max: usize,
    },
    /// Data that need a dictionary, which is not part of them.
    #[error("a preset dictionary is needed (Adler-32 {id:#010x}), which is not supported")]
    Dictionary {
        /// The dictionary's checksum.
        id: u32,
    },
    /// A block of BGZF without its length.
    #[error("a gzip member without the subfield BC, which each block of bgzf has")]
    NoBlockSize,
    /// A length in a header that cannot be right.
    #[error("{claim} of {len} bytes cannot be; valid: {min} to {max}")]
    Claim {
        /// The part that has this length.
        claim: Claim,
        /// The length.
        len: u64,
        /// The least that it can be.
        min: u64,
        /// The most that it can be.
        max: u64,
    },
    /// The deflate data end elsewhere than a header says.
    #[error("the deflate data have {found} bytes, and {claimed} by the length before them")]
    DeflateLength {
        /// Bytes up to the end of the final block.
        found: u64,
        /// Bytes by the header.
        claimed: u64,
    },
    /// The deflate data go on where a header says that they end.
    #[error(
        "the deflate data go on behind {claimed} bytes, which they have by the length before them"
    )]
    Overrun {
        /// Bytes by the header.
        claimed: u64,
    },
    /// More data than a member can have.
    #[error("the data go on behind {max} bytes, all that the member may have by its header")]
    TooMuchData {
        /// The most by the header or by the format, in bytes.
        max: u64,
    },
    /// The deflate data are wrong.
    #[error("the deflate data are damaged: {0}")]
    Deflate(&'static str),
    /// A block of LZ4 is wrong.
    #[error("the LZ4 block is damaged")]
    Lz4,
    /// The checksum of the uncompressed data is another than the one stored.
    #[error("the data have the {name} {computed:#010x}, and {stored:#010x} is stored")]
    Checksum {
        /// Which checksum.
        name: &'static str,
        /// The checksum of the data.
        computed: u32,
        /// That in the input.
        stored: u32,
    },
    /// The length of the uncompressed data is another than the one stored.
    #[error("the data have {computed} bytes, and {stored} by the length stored")]
    Length {
        /// The length of the data (in gzip, its lowest 32 bits).
        computed: u64,
        /// That in the input.
        stored: u64,
    },
    /// Not the beginning of a frame.
    #[error("the input begins with {found:02x?}, as no frame of LZ4 or zstd does")]
    NoFrame {
        /// The first bytes.
        found: [u8; 4],
    },
    /// A frame of another format than the one that was asked for.
    #[error("this is a frame of {found}, and {wanted} was asked for")]
    OtherFrame {
        /// The format that was asked for.
        wanted: framed::Format,
        /// That of the frame.
        found: framed::Format,
    },
    /// Bytes behind the last frame that begin no frame.
    #[error("what follows the last frame is no frame: {0:#04x}")]
    Behind(u8),
    /// A version of LZ4's frames that does not exist yet.
    #[error("version {0} of LZ4's frames is unknown; valid: 1")]
    FrameVersion(u8),
    /// Flags of a frame that mean nothing yet.
    #[error("reserved flags are set in the header of the frame: {0:#04x}")]
    FrameFlags(u8),
    /// A block length that LZ4 does not have.
    #[error("{0:#04x} is no block length of LZ4; valid: 0x40, 0x50, 0x60 and 0x70")]
    BlockCode(u8),
    /// A block of the type that zstd reserves.
    #[error("a block of type 3, which is reserved; valid: 0 to 2")]
    BlockType,
    /// A frame that needs a dictionary, which is not part of it.
    #[error("a dictionary is needed (ID {0}), which is not supported")]
    DictionaryId(u32),
    /// A frame that needs more memory than is allowed.
    #[error("the frame needs a window of {window} bytes; at most {most} are allowed")]
    FrameWindow {
        /// The window, in bytes.
        window: u64,
        /// The longest that is allowed.
        most: u64,
    },
    /// The frame of zstd is wrong.
    #[error("the zstd data are damaged: {0}")]
    Zstd(&'static str),
    /// zstd data, in a build that does not read them.
    #[error("these are zstd data, and this build has no zstd (the feature `zstd`)")]
    NoZstd,
    /// An index of another length than its number of entries says.
    #[error("an index of {entries} entries has {found} bytes; valid: 8 and 16 for each entry")]
    IndexLength {
        /// Entries, by the number at its beginning.
        entries: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// An index whose entries do not ascend.
    #[error("entry {entry} of the index does not lie behind the one before it")]
    IndexOrder {
        /// Which one, from 0.
        entry: u64,
    },
}

/// A part of compressed data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A header.
    Header,
    /// The deflate data.
    Deflate,
    /// A block of LZ4.
    Lz4,
    /// Checksum and length behind the data.
    Trailer,
    /// The length before a deflate stream.
    Prefix,
    /// A block of a frame.
    Block,
    /// The checksum of a block or a frame.
    Checksum,
    /// A frame that is passed over.
    Skippable,
    /// An index of BGZF.
    Index,
    /// BGZF, whose last block has no data.
    EndBlock,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Part::Header => "a header",
            Part::Deflate => "deflate data",
            Part::Lz4 => "an LZ4 block",
            Part::Trailer => "a trailer",
            Part::Prefix => "the length of a chunk",
            Part::Block => "a block",
            Part::Checksum => "a checksum",
            Part::Skippable => "a skippable frame",
            Part::Index => "the index",
            Part::EndBlock => "bgzf data: the end block is missing",
        })
    }
}

/// A length that a header claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claim {
    /// Of a whole member, header and trailer included.
    Member,
    /// Of the data that a member stands for.
    Data,
    /// Of a deflate stream.
    Stream,
    /// Of a block of a frame.
    Block,
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Claim::Member => "a member",
            Claim::Data => "data",
            Claim::Stream => "a deflate stream",
            Claim::Block => "a block",
        })
    }
}
