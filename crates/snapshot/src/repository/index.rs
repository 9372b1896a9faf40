//! Which pack holds a blob: index files, and their union in memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use serde::{Deserialize, Serialize};

use super::pack::{BlobKind, Entry};
use crate::id::Id;

/// Blobs from which on an index file is complete: restic's.
pub const FULL: usize = 50_000;

/// An index file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct IndexFile {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<Id>,
    packs: Vec<PackJson>,
    #[serde(skip)]
    blobs: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct PackJson {
    id: Id,
    blobs: Vec<BlobJson>,
}

#[derive(Debug, Serialize, Deserialize)]
struct BlobJson {
    id: Id,
    #[serde(rename = "type")]
    kind: BlobKind,
    offset: u32,
    length: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    uncompressed_length: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl IndexFile {
    /// Adds a pack.
    pub fn push(&mut self, pack: Id, entries: &[Entry]) {
        let blob = |entry: &Entry| BlobJson {
            id: entry.id,
            kind: entry.kind,
            offset: entry.offset,
            length: entry.length,
            uncompressed_length: entry.raw,
        };
        self.packs.push(PackJson { id: pack, blobs: entries.iter().map(blob).collect() });
        self.blobs += entries.len();
    }

    /// Returns the number of blobs that were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blobs
    }

    /// The packs, each with what it holds.
    pub fn packs(&self) -> impl Iterator<Item = (Id, Vec<Entry>)> {
        self.packs.iter().map(|pack| {
            let entry = |blob: &BlobJson| Entry {
                id: blob.id,
                kind: blob.kind,
                offset: blob.offset,
                length: blob.length,
                raw: blob.uncompressed_length,
            };
            (pack.id, pack.blobs.iter().map(entry).collect())
        })
    }
}

/// Where a blob lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The number of its pack.
    pack: u32,
    /// Where it begins in the pack.
    pub offset: u32,
    /// Bytes that it has there, sealed.
    pub length: u32,
    /// Bytes that it has when decompressed; 0 if it is not compressed.
    pub raw: u32,
}

impl Location {
    /// The place of an entry, in a pack that has no number.
    pub(crate) fn of(entry: &Entry) -> Location {
        let &Entry { offset, length, raw, .. } = entry;
        Location { pack: u32::MAX, offset, length, raw }
    }

    /// Bytes of the blob itself: none where an index gives it fewer bytes than a seal has.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self.raw {
            0 => u64::from(self.length).saturating_sub(super::crypto::OVERHEAD as u64),
            raw => raw.into(),
        }
    }
}

/// A pack as indexes list it.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// Its name.
    pub id: Id,
    /// Where its last blob ends.
    pub end: u32,
    /// How many blobs it has.
    pub blobs: u32,
    /// Bytes that the entries of its header have.
    pub header: u32,
}

/// All blobs of a repository. An entry takes 48 bytes, and its table has room for up to twice as
/// many: 49 to 98 bytes a blob.
#[derive(Debug, Default)]
pub struct Index {
    packs: Vec<Listed>,
    data: HashMap<Id, Location>,
    trees: HashMap<Id, Location>,
}

impl Index {
    /// Adds a pack.
    pub fn add(&mut self, pack: Id, entries: &[Entry]) {
        let number = u32::try_from(self.packs.len()).expect("there are fewer packs than 2^32");
        let end = entries.iter().map(|entry| entry.offset.saturating_add(entry.length));
        self.packs.push(Listed {
            id: pack,
            end: end.max().unwrap_or(0),
            blobs: entries.len() as u32,
            header: entries.iter().map(|entry| if entry.raw == 0 { 37 } else { 41 }).sum(),
        });
        for &Entry { id, kind, offset, length, raw } in entries {
            if let Slot::Vacant(slot) = self.blobs_mut(kind).entry(id) {
                slot.insert(Location { pack: number, offset, length, raw });
            }
        }
    }

    fn blobs_mut(&mut self, kind: BlobKind) -> &mut HashMap<Id, Location> {
        match kind {
            BlobKind::Data => &mut self.data,
            BlobKind::Tree => &mut self.trees,
        }
    }

    /// The blobs of a kind.
    #[must_use]
    pub fn blobs(&self, kind: BlobKind) -> &HashMap<Id, Location> {
        match kind {
            BlobKind::Data => &self.data,
            BlobKind::Tree => &self.trees,
        }
    }

    /// Returns the location of a blob, if the repository has it.
    #[must_use]
    pub fn find(&self, kind: BlobKind, id: &Id) -> Option<&Location> {
        self.blobs(kind).get(id)
    }

    /// The pack of a place.
    #[must_use]
    pub fn pack(&self, location: &Location) -> Listed {
        self.packs[location.pack as usize]
    }

    /// The packs that indexes list.
    #[must_use]
    pub fn packs(&self) -> &[Listed] {
        &self.packs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_may_say_anything() {
        let size = |length, raw| {
            let (id, kind) = (Id([1; 32]), BlobKind::Data);
            Location::of(&Entry { id, kind, offset: 0, length, raw }).size()
        };
        assert_eq!([size(40, 0), size(5, 0), size(40, 99)], [8, 0, 99]);
    }
}
