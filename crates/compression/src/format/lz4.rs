//! Frames of LZ4 (the document *LZ4 Frame Format Description*, version 1.6), and the legacy frames
//! of its first tool.
//!
//! A frame is a header, blocks and an end mark. A block is a length in four bytes, of which the
//! highest bit says that the data are stored as they are, the data, and perhaps their XXH32. Behind
//! the end mark, there may be the XXH32 of the whole content. A legacy frame is its magic number
//! and blocks, which stand for 8 MiB each except for the last one. It ends with the input, or where
//! another frame begins.

use xxhash_rust::xxh32::xxh32;

use super::bytes::{u32_le, u64_le};
use super::{Cause, Claim, FormatError};

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// The first bytes of a legacy frame.
pub const LEGACY_MAGIC: [u8; 4] = [0x02, 0x21, 0x4c, 0x18];

/// The lengths of which a header can say that no block stands for more, in bytes.
pub const BLOCKS: [usize; 4] = [64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Bytes that a block of a legacy frame stands for, at most.
pub const LEGACY_BLOCK: usize = 8 << 20;

/// Bytes of the length before a block.
pub const BLOCK_HEADER: usize = 4;

/// Bytes of a checksum.
pub const CHECKSUM: usize = 4;

/// What stands in the place of a block's length behind the last block.
pub const END_MARK: [u8; BLOCK_HEADER] = [0; BLOCK_HEADER];

/// Bytes before the part of a header that its checksum covers.
const COVERED_FROM: usize = MAGIC.len();

const VERSION: u8 = 1;
const HAS_DICTIONARY: u8 = 1;
const RESERVED_FLAG: u8 = 1 << 1;
const HAS_CONTENT_CHECKSUM: u8 = 1 << 2;
const HAS_CONTENT_LENGTH: u8 = 1 << 3;
const HAS_BLOCK_CHECKSUMS: u8 = 1 << 4;
const IS_INDEPENDENT: u8 = 1 << 5;
const STORED: u32 = 1 << 31;
/// The code of the shortest of [`BLOCKS`].
const FIRST_BLOCK: u8 = 4;

/// The contents of a frame's header.
///
/// ```
/// use broadloom_compression::format::lz4::Header;
///
/// let header = Header {
///     block: 256 << 10,
///     is_independent: true,
///     has_block_checksums: false,
///     has_content_checksum: true,
///     content: None,
/// };
/// let bytes = header.to_bytes();
/// assert_eq!(Header::parse(&bytes), Ok(Some((header, bytes.len()))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes that a block stands for, at most: one of [`BLOCKS`].
    pub block: usize,
    /// `true` if no block needs the data of the blocks before it.
    pub is_independent: bool,
    /// `true` if a checksum follows each block.
    pub has_block_checksums: bool,
    /// `true` if the checksum of the content follows the end mark.
    pub has_content_checksum: bool,
    /// The length of the content, in bytes, if the header has it.
    pub content: Option<u64>,
}

impl Header {
    /// Reads the header at the beginning of `bytes`, and gives it with its length in bytes. `None`
    /// if it goes on behind their end.
    ///
    /// # Errors
    /// If it is none: another magic number, version or block length than there are, reserved bits,
    /// a checksum that is not its own. And if the frame needs a dictionary.
    pub fn parse(bytes: &[u8]) -> Result<Option<(Header, usize)>, FormatError> {
        let wrong = |offset: usize, cause| Err(FormatError::new(offset as u64, cause));
        let Some(&found) = bytes.first_chunk::<4>() else { return Ok(None) };
        if found != MAGIC {
            return wrong(0, Cause::NoFrame { found });
        }
        let (Some(&flags), Some(&descriptor)) = (bytes.get(4), bytes.get(5)) else {
            return Ok(None);
        };
        if flags >> 6 != VERSION {
            return wrong(4, Cause::FrameVersion(flags >> 6));
        }
        if flags & RESERVED_FLAG != 0 {
            return wrong(4, Cause::FrameFlags(flags));
        }
        let code = descriptor >> 4;
        let block = code.checked_sub(FIRST_BLOCK).and_then(|index| BLOCKS.get(usize::from(index)));
        let Some(&block) = block.filter(|_| descriptor & 0x0f == 0) else {
            return wrong(5, Cause::BlockCode(descriptor));
        };
        let mut len = 6;
        let mut content = None;
        if flags & HAS_CONTENT_LENGTH != 0 {
            content = u64_le(bytes, len);
            len += 8;
        }
        let mut dictionary = None;
        if flags & HAS_DICTIONARY != 0 {
            dictionary = u32_le(bytes, len);
            len += 4;
        }
        let Some(&stored) = bytes.get(len) else { return Ok(None) };
        let computed = header_checksum(&bytes[COVERED_FROM..len]);
        if computed != stored {
            let (computed, stored) = (computed.into(), stored.into());
            return wrong(len, Cause::HeaderChecksum { computed, stored });
        }
        if let Some(id) = dictionary {
            return wrong(len - 4, Cause::DictionaryId(id));
        }
        let header = Header {
            block,
            is_independent: flags & IS_INDEPENDENT != 0,
            has_block_checksums: flags & HAS_BLOCK_CHECKSUMS != 0,
            has_content_checksum: flags & HAS_CONTENT_CHECKSUM != 0,
            content,
        };
        Ok(Some((header, len + 1)))
    }

    /// The header as bytes.
    ///
    /// # Panics
    /// If no block has that length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let code = BLOCKS.iter().position(|&len| len == self.block).expect("it is one of BLOCKS");
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags = VERSION << 6
            | flag(self.is_independent, IS_INDEPENDENT)
            | flag(self.has_block_checksums, HAS_BLOCK_CHECKSUMS)
            | flag(self.content.is_some(), HAS_CONTENT_LENGTH)
            | flag(self.has_content_checksum, HAS_CONTENT_CHECKSUM);
        let mut bytes = MAGIC.to_vec();
        bytes.extend([flags, (FIRST_BLOCK + code as u8) << 4]);
        bytes.extend(self.content.into_iter().flat_map(u64::to_le_bytes));
        bytes.push(header_checksum(&bytes[COVERED_FROM..]));
        bytes
    }
}

/// The checksum of a header: the second byte of the XXH32 of what lies between the magic number and
/// itself.
fn header_checksum(covered: &[u8]) -> u8 {
    (xxh32(covered, 0) >> 8) as u8
}

/// What stands before a block, or in the place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Data follow.
    Data {
        /// Their bytes, without a checksum.
        len: usize,
        /// They are stored as they are.
        is_stored: bool,
    },
    /// No block follows.
    End,
}

impl Block {
    /// Reads what stands before a block that stands for at most `most` bytes.
    ///
    /// # Errors
    /// If the block is longer than that.
    pub fn parse(bytes: [u8; BLOCK_HEADER], most: usize) -> Result<Block, FormatError> {
        let word = u32::from_le_bytes(bytes);
        if word == 0 {
            return Ok(Block::End);
        }
        let (len, is_stored) = ((word & !STORED) as usize, word & STORED != 0);
        if len > most {
            let cause =
                Cause::Claim { claim: Claim::Block, len: len as u64, min: 0, max: most as u64 };
            return Err(FormatError::new(0, cause));
        }
        Ok(Block::Data { len, is_stored })
    }

    /// Returns the header of a block of `len` bytes, at most 4 MiB.
    pub fn header(len: usize, is_stored: bool) -> [u8; BLOCK_HEADER] {
        (len as u32 | if is_stored { STORED } else { 0 }).to_le_bytes()
    }
}

/// The most bytes of a block of a legacy frame, which grows where it cannot be compressed.
pub fn most_legacy() -> usize {
    LEGACY_BLOCK + LEGACY_BLOCK / 255 + 16
}
