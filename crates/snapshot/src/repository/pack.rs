//! Packs: sealed blobs one after another, then a sealed header that lists them, then the header's
//! length in four bytes.

use serde::{Deserialize, Serialize};

use super::crypto::{Cryptor, OVERHEAD};
use crate::error::SnapshotError;
use crate::id::Id;
use broadloom_engine::Processor;

/// Bytes of blobs from which on a pack is complete: restic's.
pub const FULL: usize = 16 << 20;

/// Most bytes that a blob has in a repository: restic's chunks have at most 8 MiB, its trees more.
const MOST: u32 = u32::MAX - OVERHEAD as u32;

/// What a blob is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlobKind {
    /// A piece of a file.
    Data,
    /// A directory.
    Tree,
}

impl BlobKind {
    /// The word in an index.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BlobKind::Data => "data",
            BlobKind::Tree => "tree",
        }
    }

    /// Most bytes of a blob. A piece of a file has at most 8 MiB in restic. A tree grows with the
    /// number of files in a directory: this is enough for two million.
    #[must_use]
    pub(crate) fn most(self) -> u64 {
        match self {
            BlobKind::Data => 128 << 20,
            BlobKind::Tree => 1 << 30,
        }
    }
}

/// A blob in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The SHA-256 of the blob.
    pub id: Id,
    /// What it is.
    pub kind: BlobKind,
    /// Where it begins in the pack.
    pub offset: u32,
    /// Bytes that it has there, sealed.
    pub length: u32,
    /// Bytes that it has when decompressed; 0 if it is not compressed.
    pub raw: u32,
}

/// Blobs on their way to a pack.
#[derive(Default)]
pub struct Builder {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// A pack as it is stored.
pub struct Pack {
    /// Its name.
    pub id: Id,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What it holds.
    pub entries: Vec<Entry>,
}

impl Builder {
    /// A builder that fills an empty buffer.
    pub fn within(memory: Vec<u8>) -> Builder {
        Builder { bytes: memory, entries: Vec::new() }
    }

    /// Adds a sealed blob. `raw` is its length when decompressed, 0 if it is not compressed.
    pub fn push(&mut self, id: Id, kind: BlobKind, raw: u32, sealed: &[u8]) {
        let (offset, length) = (self.bytes.len() as u32, sealed.len() as u32);
        self.bytes.extend_from_slice(sealed);
        self.entries.push(Entry { id, kind, offset, length, raw });
    }

    /// Returns `true` if nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The pack of what was added. The builder is empty then.
    ///
    /// # Errors
    /// If a job fails.
    pub fn finish(
        &mut self,
        cryptor: &Cryptor,
        processor: &mut Processor,
    ) -> Result<Pack, SnapshotError> {
        let (mut bytes, entries) =
            (std::mem::take(&mut self.bytes), std::mem::take(&mut self.entries));
        let header = cryptor.seal(processor, &header(&entries))?;
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        let id = cryptor.hash(processor, &bytes)?;
        Ok(Pack { id, bytes, entries })
    }
}

/// The header that lists blobs which lie one after another.
fn header(entries: &[Entry]) -> Vec<u8> {
    let mut header = Vec::with_capacity(entries.len() * 41);
    for entry in entries {
        header.push(match (entry.kind, entry.raw) {
            (BlobKind::Data, 0) => 0,
            (BlobKind::Tree, 0) => 1,
            (BlobKind::Data, _) => 2,
            (BlobKind::Tree, _) => 3,
        });
        header.extend_from_slice(&entry.length.to_le_bytes());
        if entry.raw != 0 {
            header.extend_from_slice(&entry.raw.to_le_bytes());
        }
        header.extend_from_slice(&entry.id.0);
    }
    header
}

/// Bytes of a header, with those that say its length, from the last four bytes of a pack. `None`
/// for a length that cannot be.
#[must_use]
pub fn header_length(last: [u8; 4], pack: u64) -> Option<u64> {
    let length = u64::from(u32::from_le_bytes(last));
    (length >= OVERHEAD as u64 && length + 4 <= pack).then_some(length)
}

/// The blobs that a header lists, which lie one after another.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse_header(header: &[u8], blobs: u64) -> Result<Vec<Entry>, String> {
    let (mut rest, mut entries, mut offset) = (header, Vec::new(), 0_u64);
    while let Some((&kind, tail)) = rest.split_first() {
        let (kind, compressed) = match kind {
            0 => (BlobKind::Data, false),
            1 => (BlobKind::Tree, false),
            2 => (BlobKind::Data, true),
            3 => (BlobKind::Tree, true),
            _ => return Err(format!("its header has a blob of type {kind}; valid: 0 to 3")),
        };
        let take = |tail: &mut &[u8], count: usize| {
            let (taken, rest) = tail.split_at_checked(count)?;
            *tail = rest;
            Some(taken.to_vec())
        };
        let mut tail = tail;
        let mut number = || {
            let bytes = take(&mut tail, 4)?;
            Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        };
        let lengths = (number(), if compressed { number() } else { Some(0) });
        let id = take(&mut tail, 32);
        let ((Some(length), Some(raw)), Some(id)) = (lengths, id) else {
            return Err("its header ends within an entry".to_owned());
        };
        if length < OVERHEAD as u32 || length > MOST || compressed && raw == 0 {
            return Err(format!("its header has a blob of {length} bytes, {raw} decompressed"));
        }
        let id = Id(id.try_into().expect("32 bytes"));
        let start = u32::try_from(offset).map_err(|_| "its blobs exceed 4 GiB".to_owned())?;
        entries.push(Entry { id, kind, offset: start, length, raw });
        offset += u64::from(length);
        rest = tail;
    }
    if offset != blobs {
        return Err(format!("its header lists {offset} bytes of blobs, and it has {blobs}"));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_cannot_be_are_refused() {
        let mut entry = vec![2];
        entry.extend_from_slice(&100_u32.to_le_bytes());
        entry.extend_from_slice(&300_u32.to_le_bytes());
        entry.extend_from_slice(&[7; 32]);
        let parsed = parse_header(&entry, 100).unwrap();
        assert_eq!((parsed.len(), parsed[0].length, parsed[0].raw), (1, 100, 300));
        assert_eq!(parsed[0].kind, BlobKind::Data);
        assert!(parse_header(&entry, 99).is_err());
        assert!((0..entry.len()).skip(1).all(|cut| parse_header(&entry[..cut], 100).is_err()));
        entry[0] = 4;
        assert!(parse_header(&entry, 100).is_err());
        assert_eq!(header_length(200_u32.to_le_bytes(), 203), None);
        assert_eq!(header_length(200_u32.to_le_bytes(), 204), Some(200));
        assert_eq!(header_length(31_u32.to_le_bytes(), 204), None);
    }

    proptest::proptest! {
        #[test]
        fn headers_come_back(
            blobs: Vec<(bool, u16, u16, [u8; 32])>,
            cut in 1_usize..40,
            flipped: proptest::sample::Index,
        ) {
            let mut offset = 0;
            let entry = |(tree, length, raw, id): (bool, u16, u16, [u8; 32])| {
                let kind = if tree { BlobKind::Tree } else { BlobKind::Data };
                let length = u32::from(length) + OVERHEAD as u32;
                offset += length;
                Entry { id: Id(id), kind, offset: offset - length, length, raw: raw.into() }
            };
            let entries: Vec<Entry> = blobs.into_iter().map(entry).collect();
            let mut bytes = header(&entries);
            proptest::prop_assert_eq!(parse_header(&bytes, offset.into()), Ok(entries));
            if let Some(len) = bytes.len().checked_sub(cut) {
                proptest::prop_assert!(parse_header(&bytes[..len], offset.into()).is_err());
                // Whatever stands there, what is taken for a header is one.
                bytes[flipped.index(len + cut)] ^= 0xff;
                if let Ok(entries) = parse_header(&bytes, offset.into()) {
                    proptest::prop_assert_eq!(header(&entries), bytes);
                }
            }
        }
    }
}
