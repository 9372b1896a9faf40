//! Blobs, read from packs and proved.

use std::collections::{HashMap, VecDeque};

use super::Repository;
use super::crypto::{IV, OVERHEAD, TAG};
use super::index::{Index, Listed, Location};
use super::pack::{BlobKind, Entry};
use super::tools::{Compression, Tools};
use crate::error::SnapshotError;
use crate::id::Id;
use crate::store::{File, Kind};

/// Most bytes between two blobs of a pack that are read in one go, rather than apart.
const GAP: u64 = 64 << 10;
/// Most bytes read in one go, and most that they are decompressed, but for a single blob.
const STRETCH: u64 = 32 << 20;

/// Packs that a cache keeps.
const PACKS: usize = 2;
/// Largest pack that a cache keeps.
const CACHED: u32 = 32 << 20;

/// A blob that was asked for, with its content.
pub struct Piece {
    /// The blob.
    pub id: Id,
    /// Its content: its SHA-256 is `id`.
    pub content: Vec<u8>,
}

/// Packs whose blobs are read one by one.
#[derive(Default)]
pub(crate) struct PackCache {
    packs: VecDeque<(Id, Vec<u8>)>,
    /// The pack of the last read that found nothing here.
    missed: Option<Id>,
}

impl PackCache {
    /// The bytes of a pack, if it is here or was asked for before.
    fn bytes(
        &mut self,
        repository: &Repository,
        pack: Listed,
    ) -> Result<Option<&[u8]>, SnapshotError> {
        if let Some(at) = self.packs.iter().position(|(id, _)| *id == pack.id) {
            return Ok(Some(&self.packs[at].1));
        }
        if self.missed.replace(pack.id) != Some(pack.id) || pack.end > CACHED {
            return Ok(None);
        }
        let bytes = repository.get(File::Named(Kind::Pack, pack.id), Some(0..pack.end.into()))?;
        self.packs.truncate(PACKS - 1);
        self.packs.push_front((pack.id, bytes));
        Ok(Some(&self.packs[0].1))
    }
}

/// Finds a blob, and checks that it has no more bytes than a blob of its kind may have.
fn found(index: &Index, kind: BlobKind, id: Id) -> Result<Location, SnapshotError> {
    let location = index.find(kind, &id);
    let location = *location.ok_or(SnapshotError::Missing { blob: id, kind: kind.name() })?;
    match too_large(kind, &location) {
        None => Ok(location),
        Some(reason) => {
            let file = File::Named(Kind::Pack, index.pack(&location).id);
            Err(SnapshotError::DamagedBlob { blob: id, file, reason })
        }
    }
}

/// Says in words that a blob has more bytes than one of its kind may have.
fn too_large(kind: BlobKind, location: &Location) -> Option<String> {
    let (size, most) = (location.size(), kind.most());
    (size > most).then(|| format!("it has {size} bytes; valid: at most {most}"))
}

impl Repository {
    /// Reads a blob.
    ///
    /// # Errors
    /// [`SnapshotError::Missing`] if no index lists it; damage; what the store says.
    pub fn blob(&self, index: &Index, kind: BlobKind, id: Id) -> Result<Vec<u8>, SnapshotError> {
        let mut tools = Tools::new(Compression::Auto)?;
        let mut content = None;
        self.blobs(index, kind, &[id], &mut tools, |piece| {
            content = Some(piece.content);
            Ok(())
        })?;
        Ok(content.expect("it was read"))
    }

    /// Reads blobs of data, in the order in which they are asked for.
    ///
    /// # Errors
    /// As [`blob`](Self::blob).
    pub fn blobs_in_order(&self, index: &Index, ids: &[Id]) -> Result<Vec<Vec<u8>>, SnapshotError> {
        let mut contents = HashMap::new();
        let mut tools = Tools::new(Compression::Auto)?;
        self.blobs(index, BlobKind::Data, ids, &mut tools, |piece| {
            contents.insert(piece.id, piece.content);
            Ok(())
        })?;
        Ok(ids.iter().map(|id| contents[id].clone()).collect())
    }

    /// Reads a blob near which others are read: from the second read of a pack on, the pack comes
    /// whole.
    pub(crate) fn cached_blob(
        &self,
        index: &Index,
        kind: BlobKind,
        id: Id,
        cache: &mut PackCache,
        tools: &mut Tools,
    ) -> Result<Vec<u8>, SnapshotError> {
        let location = found(index, kind, id)?;
        let pack = index.pack(&location);
        let piece = [(location, id)];
        if let Some(bytes) = cache.bytes(self, pack)? {
            let start = location.offset as usize;
            let sealed = bytes.get(start..start + location.length as usize);
            if let Some(sealed) = sealed {
                let read = self.contents(sealed.to_vec(), location.offset.into(), &piece, tools)?;
                if let Ok(mut contents) = read {
                    return Ok(contents.pop().expect("one was asked for"));
                }
            }
            cache.packs.clear();
        }
        let mut content = Vec::new();
        self.stretch(pack.id, &piece, tools, &mut |piece| {
            content = piece.content;
            Ok(())
        })?;
        Ok(content)
    }

    /// Reads blobs, in the order in which they lie in packs, and hands each to `take` once.
    ///
    /// # Errors
    /// As [`blob`](Self::blob), and what `take` says.
    pub fn blobs(
        &self,
        index: &Index,
        kind: BlobKind,
        ids: &[Id],
        tools: &mut Tools,
        mut take: impl FnMut(Piece) -> Result<(), SnapshotError>,
    ) -> Result<(), SnapshotError> {
        let mut places: HashMap<Id, Vec<(Location, Id)>> = HashMap::new();
        for &id in ids {
            let location = found(index, kind, id)?;
            places.entry(index.pack(&location).id).or_default().push((location, id));
        }
        for (pack, mut blobs) in places {
            blobs.sort_unstable_by_key(|(location, _)| location.offset);
            blobs.dedup_by_key(|(_, id)| *id);
            let (mut start, mut content) = (None, 0);
            for stretch in blobs.chunk_by(|(a, _), (b, _)| {
                let begin = *start.get_or_insert_with(|| {
                    content = a.size();
                    u64::from(a.offset)
                });
                let end = u64::from(a.offset) + u64::from(a.length);
                content += b.size();
                let joins = u64::from(b.offset) <= end + GAP
                    && u64::from(b.offset) + u64::from(b.length) - begin <= STRETCH
                    && content <= STRETCH;
                if !joins {
                    (start, content) = (Some(b.offset.into()), b.size());
                }
                joins
            }) {
                self.stretch(pack, stretch, tools, &mut take)?;
            }
        }
        Ok(())
    }

    /// Reads blobs that lie close together in a pack.
    fn stretch(
        &self,
        pack: Id,
        blobs: &[(Location, Id)],
        tools: &mut Tools,
        take: &mut impl FnMut(Piece) -> Result<(), SnapshotError>,
    ) -> Result<(), SnapshotError> {
        let file = File::Named(Kind::Pack, pack);
        let start = u64::from(blobs[0].0.offset);
        let end = |(location, _): &(Location, Id)| {
            u64::from(location.offset) + u64::from(location.length)
        };
        let end = blobs.iter().map(end).max().expect("there is a blob");
        let mut tried = false;
        let contents = loop {
            let bytes = self.get(file, Some(start..end))?;
            match self.contents(bytes, start, blobs, tools)? {
                Ok(contents) => break contents,
                // A transfer can go wrong on the way: the pack is read once more.
                Err(_) if !tried => tried = true,
                Err((blob, reason)) => {
                    return Err(SnapshotError::DamagedBlob { blob, file, reason });
                }
            }
        };
        for (content, &(_, id)) in contents.into_iter().zip(blobs) {
            take(Piece { id, content })?;
        }
        Ok(())
    }

    /// Describes what is wrong with each blob of a pack, in words.
    pub(crate) fn damaged_blobs(
        &self,
        bytes: &[u8],
        entries: &[Entry],
        tools: &mut Tools,
    ) -> Result<Vec<String>, SnapshotError> {
        let mut wrong = Vec::new();
        for entry in entries {
            let place = entry.offset as usize..entry.offset as usize + entry.length as usize;
            let piece = [(Location::of(entry), entry.id)];
            if let Some(reason) = too_large(entry.kind, &piece[0].0) {
                wrong.push(format!("blob {}: {reason}", entry.id));
                continue;
            }
            let sealed = bytes[place].to_vec();
            if let Err((id, reason)) = self.contents(sealed, entry.offset.into(), &piece, tools)? {
                wrong.push(format!("blob {id}: {reason}"));
            }
        }
        Ok(wrong)
    }

    /// The contents of blobs in a part of a pack, or the first that is not what it should be.
    #[expect(clippy::type_complexity, reason = "two kinds of failure, one of them tried again")]
    fn contents(
        &self,
        mut bytes: Vec<u8>,
        start: u64,
        blobs: &[(Location, Id)],
        tools: &mut Tools,
    ) -> Result<Result<Vec<Vec<u8>>, (Id, String)>, SnapshotError> {
        let (mut rest, mut at, mut sealed) = (&mut bytes[..], start, Vec::new());
        for (location, id) in blobs {
            let Some(skip) = u64::from(location.offset).checked_sub(at) else {
                return Ok(Err((*id, "an index has it overlap another blob".to_owned())));
            };
            if location.length < OVERHEAD as u32 {
                return Ok(Err((*id, format!("an index gives it {} bytes", location.length))));
            }
            let (blob, tail) =
                rest.split_at_mut(skip as usize).1.split_at_mut(location.length as usize);
            sealed.push(blob);
            rest = tail;
            at = u64::from(location.offset) + u64::from(location.length);
        }
        let verdicts = self
            .cryptor
            .open_many(&mut tools.processor, sealed.iter_mut().map(|blob| &mut **blob))?;
        if let Some(bad) = verdicts.iter().position(|good| !good) {
            return Ok(Err((blobs[bad].1, "it does not authenticate".to_owned())));
        }
        let mut contents = Vec::with_capacity(blobs.len());
        for (blob, (location, id)) in sealed.iter().zip(blobs) {
            let text = &blob[IV..blob.len() - TAG];
            contents.push(match location.raw {
                0 => text.to_vec(),
                raw => match tools.decompress(text, raw as usize) {
                    Ok(content) if content.len() == raw as usize => content,
                    Ok(content) => {
                        let reason =
                            format!("it has {} bytes, and its index says {raw}", content.len());
                        return Ok(Err((*id, reason)));
                    }
                    Err(reason) => return Ok(Err((*id, reason))),
                },
            });
        }
        let hashes =
            self.cryptor.hash_many(&mut tools.processor, contents.iter().map(Vec::as_slice))?;
        let wrong = hashes.iter().zip(blobs).find(|(hash, (_, id))| *hash != id);
        match wrong {
            Some((_, (_, id))) => Ok(Err((*id, "its SHA-256 is not its name".to_owned()))),
            None => Ok(Ok(contents)),
        }
    }
}
