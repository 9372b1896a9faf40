//! Frames of zstd (RFC 8878): their headers and those of their blocks, by which the end of a frame
//! is found without decoding.

use super::bytes::{u16_le, u32_le, u64_le};
use super::{Cause, Claim, FormatError};

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The longest header, in bytes.
pub const MAX_HEADER: usize = 18;

/// Bytes before a block.
pub const BLOCK_HEADER: usize = 3;

/// Bytes of the checksum behind the blocks.
pub const CHECKSUM: usize = 4;

/// The most bytes that a block has, or stands for.
pub const MAX_BLOCK: u64 = 128 << 10;

const IS_SINGLE_SEGMENT: u8 = 1 << 5;
const RESERVED: u8 = 1 << 3;
const HAS_CHECKSUM: u8 = 1 << 2;

/// The contents of a frame's header.
///
/// ```
/// use broadloom_compression::format::zstd::Header;
///
/// // No data: a single segment of 0 bytes, whose only block is the last one.
/// let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];
/// let header = Header::parse(&frame)?.expect("all of it is there");
/// assert_eq!((header.len, header.content), (6, Some(0)));
/// # Ok::<(), broadloom_compression::format::FormatError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The header's own length, in bytes.
    pub len: usize,
    /// Bytes of memory that a decoder needs for the data that later data refer to.
    pub window: u64,
    /// The length of the content, in bytes, if the header has it.
    pub content: Option<u64>,
    /// `true` if a checksum follows the last block.
    pub has_checksum: bool,
}

impl Header {
    /// Reads the header at the beginning of `bytes`. `None` if it goes on behind their end.
    ///
    /// # Errors
    /// If it is none: another magic number, a reserved bit. And if the frame needs a dictionary.
    pub fn parse(bytes: &[u8]) -> Result<Option<Header>, FormatError> {
        let wrong = |offset: usize, cause| Err(FormatError::new(offset as u64, cause));
        let Some(&found) = bytes.first_chunk::<4>() else { return Ok(None) };
        if found != MAGIC {
            return wrong(0, Cause::NoFrame { found });
        }
        let Some(&flags) = bytes.get(4) else { return Ok(None) };
        if flags & RESERVED != 0 {
            return wrong(4, Cause::FrameFlags(flags));
        }
        let mut len = 5;
        let is_single_segment = flags & IS_SINGLE_SEGMENT != 0;
        let mut window = 0;
        if !is_single_segment {
            let Some(&descriptor) = bytes.get(len) else { return Ok(None) };
            let base = 1_u64 << (10 + (descriptor >> 3));
            window = base + base / 8 * u64::from(descriptor & 7);
            len += 1;
        }
        let (dictionary_len, dictionary) = match flags & 3 {
            0 => (0, Some(0)),
            1 => (1, bytes.get(len).map(|&id| id.into())),
            2 => (2, u16_le(bytes, len).map(u32::from)),
            _ => (4, u32_le(bytes, len)),
        };
        let dictionary_at = len;
        len += dictionary_len;
        let (content_len, content) = match flags >> 6 {
            0 if !is_single_segment => (0, Some(None)),
            0 => (1, bytes.get(len).map(|&content| Some(content.into()))),
            1 => (2, u16_le(bytes, len).map(|content| Some(u64::from(content) + 256))),
            2 => (4, u32_le(bytes, len).map(|content| Some(content.into()))),
            _ => (8, u64_le(bytes, len).map(Some)),
        };
        len += content_len;
        let (Some(dictionary), Some(content)) = (dictionary, content) else { return Ok(None) };
        if dictionary != 0 {
            return wrong(dictionary_at, Cause::DictionaryId(dictionary));
        }
        let window = content.filter(|_| is_single_segment).unwrap_or(window);
        Ok(Some(Header { len, window, content, has_checksum: flags & HAS_CHECKSUM != 0 }))
    }

    /// The most bytes that one of its blocks has, or stands for.
    pub fn most_block(&self) -> u64 {
        self.window.min(MAX_BLOCK)
    }
}

/// What stands before a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its bytes in the input.
    pub len: usize,
    /// `true` if no other follows.
    pub is_last: bool,
}

impl Block {
    /// Reads what stands before a block that has, or stands for, at most `most` bytes.
    ///
    /// # Errors
    /// If the block is longer than that, or is of the type that is reserved.
    pub fn parse(bytes: [u8; BLOCK_HEADER], most: u64) -> Result<Block, FormatError> {
        let [low, middle, high] = bytes;
        let word = u32::from_le_bytes([low, middle, high, 0]);
        let (is_last, kind, len) = (word & 1 != 0, word >> 1 & 3, word >> 3);
        if kind == 3 {
            return Err(FormatError::new(0, Cause::BlockType));
        }
        if u64::from(len) > most {
            let cause = Cause::Claim { claim: Claim::Block, len: len.into(), min: 0, max: most };
            return Err(FormatError::new(0, cause));
        }
        // One byte that is repeated.
        Ok(Block { len: if kind == 1 { 1 } else { len as usize }, is_last })
    }
}
