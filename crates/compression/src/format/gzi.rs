//! The index of a BGZF file, `.gzi`, as bgzip writes it: where each block begins, compressed and
//! uncompressed.
//!
//! All numbers have 64 bits, the lowest byte first: the number of entries, then both offsets of
//! each entry. The first block has no entry, because it begins at 0. The empty block at the end has
//! none either.

use super::bytes::u64_le;
use super::{Cause, FormatError, Part};

/// Bytes of an entry.
const ENTRY: u64 = 16;

/// Where a block begins.
///
/// ```
/// use broadloom_compression::format::gzi::{Entry, Index};
///
/// let first = Index::new().locate(100);
/// assert_eq!(first, Entry { compressed: 0, uncompressed: 0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// In the compressed file, in bytes.
    pub compressed: u64,
    /// In the data, in bytes.
    pub uncompressed: u64,
}

/// The index of a BGZF file.
///
/// ```
/// use broadloom_compression::format::gzi::{Entry, Index};
///
/// let mut index = Index::new();
/// index.push(Entry { compressed: 700, uncompressed: 65_280 });
/// assert_eq!(index.locate(70_000).compressed, 700);
/// assert_eq!(Index::parse(&index.to_bytes()), Ok(index));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    entries: Vec<Entry>,
}

impl Index {
    /// The index of a file with one block.
    pub fn new() -> Self {
        Index::default()
    }

    /// Adds the next block that has data. The first block of the file is passed over, as the format
    /// has it.
    pub fn push(&mut self, entry: Entry) {
        if entry.compressed != 0 {
            self.entries.push(entry);
        }
    }

    /// The entries: all blocks except the first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The block in which the byte at `uncompressed` of the data lies, if it lies in any: the last
    /// that begins at or before it.
    pub fn locate(&self, uncompressed: u64) -> Entry {
        let behind = self.entries.partition_point(|entry| entry.uncompressed <= uncompressed);
        behind.checked_sub(1).map_or_else(Entry::default, |last| self.entries[last])
    }

    /// The index in bytes, as a `.gzi` file has them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + self.entries.len() * ENTRY as usize);
        bytes.extend_from_slice(&(self.entries.len() as u64).to_le_bytes());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.compressed.to_le_bytes());
            bytes.extend_from_slice(&entry.uncompressed.to_le_bytes());
        }
        bytes
    }

    /// Reads a `.gzi` file.
    ///
    /// # Errors
    /// If it is longer or shorter than its number of entries says, or if they do not ascend.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let found = bytes.len() as u64;
        let Some(entries) = u64_le(bytes, 0) else {
            return Err(FormatError::new(found, Cause::Truncated(Part::Index)));
        };
        if entries.checked_mul(ENTRY).and_then(|len| len.checked_add(8)) != Some(found) {
            return Err(FormatError::new(0, Cause::IndexLength { entries, found }));
        }
        let number = |bytes: &[u8]| u64_le(bytes, 0).unwrap_or_default();
        let entries: Vec<Entry> = bytes[8..]
            .chunks_exact(ENTRY as usize)
            .map(|entry| Entry { compressed: number(entry), uncompressed: number(&entry[8..]) })
            .collect();
        let mut last = Entry::default();
        for (at, &entry) in entries.iter().enumerate() {
            // A block without data may stand anywhere: only the compressed offsets differ then.
            if entry.compressed <= last.compressed || entry.uncompressed < last.uncompressed {
                let cause = Cause::IndexOrder { entry: at as u64 };
                return Err(FormatError::new(8 + at as u64 * ENTRY, cause));
            }
            last = entry;
        }
        Ok(Index { entries })
    }
}
