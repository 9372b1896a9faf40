//! Checks: whether a repository is whole, and whether its bytes are what was written.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use broadloom_engine::Processor;

use crate::backup::Progress;
use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::NodeKind;
use crate::repository::{
    BlobKind, Compression, Entry, Index, Listed, MOST_JSON, OVERHEAD, Repository, Tools,
    header_length, parse_header,
};
use crate::snapshot::Snapshots;
use crate::store::{File, Kind};
use crate::tree::Trees;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Something is lost or damaged.
    Error(String),
    /// Something is not as it should be, and nothing is lost.
    Hint(String),
}

/// Which packs are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subset {
    /// The n-th of some number of parts, counted from 1: the same packs each time.
    Part(u64, u64),
    /// A percentage of the packs, at least one, by chance.
    Percent(f64),
    /// Packs by chance until they have so many bytes.
    Bytes(u64),
}

impl Subset {
    /// Keeps the packs that are read.
    fn choose(self, packs: &mut Vec<(Id, u64)>) -> Result<(), SnapshotError> {
        if let Subset::Part(part, parts) = self {
            // By the first byte of the name, as restic parts them.
            packs.retain(|(id, _)| u64::from(id.0[0]) % parts == part - 1);
            return Ok(());
        }
        for at in (1..packs.len()).rev() {
            packs.swap(at, (getrandom::u64()? % (at as u64 + 1)) as usize);
        }
        let count = match self {
            Subset::Part(..) => packs.len(),
            Subset::Percent(percent) => ((packs.len() as f64 * percent / 100.0) as usize).max(1),
            Subset::Bytes(most) => {
                let mut before = 0;
                let fits = |(_, length): &&(Id, u64)| {
                    let begins = before < most;
                    before += length;
                    begins
                };
                packs.iter().take_while(fits).count()
            }
        };
        packs.truncate(count);
        Ok(())
    }
}

/// How a repository is checked.
#[derive(Debug, Clone, Copy)]
pub struct CheckOptions {
    /// Read every byte of every pack.
    pub read_data: bool,
    /// Read every byte of these packs.
    pub subset: Option<Subset>,
    /// Threads that read.
    pub threads: NonZeroUsize,
}

/// What was checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// Errors that were found.
    pub errors: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Directories of snapshots, each counted once.
    pub trees: u64,
    /// Packs.
    pub packs: u64,
    /// Packs that were read.
    pub packs_read: u64,
    /// Blobs that no snapshot needs.
    pub unused: u64,
}

struct Checker<'c> {
    repository: &'c Repository,
    found: &'c (dyn Fn(Finding) + Sync),
    errors: AtomicU64,
}

/// Checks a repository, and tells each finding.
///
/// # Errors
/// What the store says when it cannot be asked. What it holds is found, not an error.
pub fn check(
    repository: &Repository,
    options: &CheckOptions,
    progress: &Progress,
    found: &(dyn Fn(Finding) + Sync),
) -> Result<Checked, SnapshotError> {
    let checker = Checker { repository, found, errors: AtomicU64::new(0) };
    let mut checked = Checked::default();
    checker.small_files()?;
    let index = checker.index()?;
    let lengths = checker.packs(&index)?;
    checked.packs = lengths.len() as u64;
    checker.structure(&index, &mut checked)?;
    if options.read_data || options.subset.is_some() {
        checked.packs_read = checker.read(&index, &lengths, options, progress)?;
    }
    checked.errors = checker.errors.load(Ordering::Relaxed);
    Ok(checked)
}

impl Checker<'_> {
    fn error(&self, text: impl Into<String>) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        (self.found)(Finding::Error(text.into()));
    }

    fn hint(&self, text: impl Into<String>) {
        (self.found)(Finding::Hint(text.into()));
    }

    /// Keys, snapshots and locks: the name of each is the SHA-256 of its content.
    fn small_files(&self) -> Result<(), SnapshotError> {
        let mut processor = Processor::new();
        for kind in [Kind::Key, Kind::Snapshot, Kind::Lock] {
            for (id, length) in self.repository.list_lengths(kind)? {
                let file = File::Named(kind, id);
                if let Some(error) = too_long(file, length) {
                    self.error(error);
                    continue;
                }
                match self.repository.get(file, None) {
                    Ok(bytes) => {
                        if self.repository.cryptor().hash(&mut processor, &bytes)? != id {
                            self.error(format!("{file} is damaged: its SHA-256 is not its name"));
                        }
                    }
                    // A lock that was released meanwhile.
                    Err(_) if kind == Kind::Lock => {}
                    Err(error) => self.error(error.to_string()),
                }
            }
        }
        Ok(())
    }

    fn index(&self) -> Result<Index, SnapshotError> {
        let mut index = Index::default();
        for (id, length) in self.repository.list_lengths(Kind::Index)? {
            if let Some(error) = too_long(File::Named(Kind::Index, id), length) {
                self.error(error);
                continue;
            }
            match self.repository.load_index(id, &mut index) {
                Ok(()) => {}
                Err(error) => self.error(error.to_string()),
            }
        }
        Ok(index)
    }

    /// Whether the packs that indexes list are there, with their lengths.
    fn packs(&self, index: &Index) -> Result<HashMap<Id, u64>, SnapshotError> {
        let there: HashMap<Id, u64> =
            self.repository.list_lengths(Kind::Pack)?.into_iter().collect();
        let mut listed = HashSet::new();
        for pack in index.packs() {
            if !listed.insert(pack.id) {
                continue;
            }
            let file = File::Named(Kind::Pack, pack.id);
            match there.get(&pack.id) {
                None => self.error(format!("{file} is not there, and an index lists it")),
                Some(&length) if length != expected(pack) => {
                    let expected = expected(pack);
                    self.error(format!("{file} has {length} bytes where {expected} were expected"));
                }
                Some(_) => {}
            }
        }
        let mut extra: Vec<&Id> = there.keys().filter(|id| !listed.contains(id)).collect();
        extra.sort_unstable();
        for &&id in &extra {
            let file = File::Named(Kind::Pack, id);
            self.hint(format!("{file} is in no index: a backup that was stopped leaves such"));
        }
        Ok(there)
    }

    /// Whether all that snapshots need is in the indexes.
    fn structure(&self, index: &Index, checked: &mut Checked) -> Result<(), SnapshotError> {
        let mut trees = Trees::new(self.repository, index)?;
        let (mut seen, mut data) = (HashSet::new(), HashSet::new());
        for (id, length) in self.repository.list_lengths(Kind::Snapshot)? {
            checked.snapshots += 1;
            // It was told already.
            if too_long(File::Named(Kind::Snapshot, id), length).is_some() {
                continue;
            }
            let snapshot = match Snapshots::load(self.repository, id) {
                Ok(snapshot) => snapshot,
                Err(error) => {
                    self.error(error.to_string());
                    continue;
                }
            };
            let mut waiting = vec![(snapshot.file.tree, String::from("/"))];
            while let Some((id, path)) = waiting.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let tree = match trees.load(id) {
                    Ok(tree) => tree,
                    Err(error) => {
                        let snapshot = snapshot.id.short();
                        self.error(format!("snapshot {snapshot}, {path}: {error}"));
                        continue;
                    }
                };
                for node in tree.nodes {
                    let name = crate::json::quote(&node.name);
                    let path = format!("{}/{name}", path.trim_end_matches('/'));
                    if let (NodeKind::Dir, Some(tree)) = (node.kind, node.subtree) {
                        waiting.push((tree, path));
                        continue;
                    }
                    let mut size = 0;
                    for blob in node.blobs() {
                        match index.find(BlobKind::Data, blob) {
                            Some(location) => size += location.size(),
                            None => {
                                let snapshot = snapshot.id.short();
                                let text = format!("blob {blob} of the file is in no index");
                                self.error(format!("snapshot {snapshot}, {path}: {text}"));
                                size = node.size;
                                break;
                            }
                        }
                        data.insert(*blob);
                    }
                    if node.kind == NodeKind::File && size != node.size {
                        let (snapshot, was) = (snapshot.id.short(), node.size);
                        let text = format!("its parts have {size} bytes, and the file had {was}");
                        self.error(format!("snapshot {snapshot}, {path}: {text}"));
                    }
                }
            }
        }
        checked.trees = seen.len() as u64;
        let unused = |kind: BlobKind, used: &HashSet<Id>| {
            index.blobs(kind).keys().filter(|id| !used.contains(id)).count() as u64
        };
        checked.unused = unused(BlobKind::Data, &data) + unused(BlobKind::Tree, &seen);
        Ok(())
    }

    /// Reads packs whole.
    fn read(
        &self,
        index: &Index,
        lengths: &HashMap<Id, u64>,
        options: &CheckOptions,
        progress: &Progress,
    ) -> Result<u64, SnapshotError> {
        let listed: HashMap<Id, &Listed> =
            index.packs().iter().map(|pack| (pack.id, pack)).collect();
        let mut packs: Vec<(Id, u64)> = lengths
            .iter()
            .filter(|(id, _)| listed.contains_key(id))
            .map(|(id, length)| (*id, *length))
            .collect();
        if let Some(subset) = options.subset {
            subset.choose(&mut packs)?;
        }
        packs.sort_unstable();
        progress.total_files.store(packs.len() as u64, Ordering::Relaxed);
        let bytes = packs.iter().map(|(_, length)| length).sum();
        progress.total_bytes.store(bytes, Ordering::Relaxed);
        let next = AtomicUsize::new(0);
        let mut tools = Vec::new();
        for _ in 0..options.threads.get() {
            tools.push(Tools::new(Compression::Auto)?);
        }
        thread::scope(|scope| {
            for tools in tools {
                scope.spawn(|| {
                    let mut tools = { tools };
                    while let Some(&(id, length)) = packs.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        if let Err(reason) = self.pack(index, listed[&id], length, &mut tools) {
                            self.error(format!(
                                "{} is damaged: {reason}",
                                File::Named(Kind::Pack, id)
                            ));
                        }
                        progress.files.fetch_add(1, Ordering::Relaxed);
                        progress.bytes.fetch_add(length, Ordering::Relaxed);
                    }
                });
            }
        });
        Ok(packs.len() as u64)
    }

    /// Proves a pack: its name, its header, each blob. A pack that is longer than its index says
    /// is not read: whoever can write to the store decides how long.
    fn pack(
        &self,
        index: &Index,
        listed: &Listed,
        length: u64,
        tools: &mut Tools,
    ) -> Result<(), String> {
        let expected = expected(listed);
        if length > expected {
            return Err(format!("it has {length} bytes, its index lists {expected}: not read"));
        }
        let file = File::Named(Kind::Pack, listed.id);
        let said = |error: SnapshotError| error.to_string();
        let cryptor = self.repository.cryptor();
        let mut bytes = Vec::new();
        let mut right = false;
        // A transfer can go wrong on the way: the pack is read once more before it is blamed.
        for _ in 0..2 {
            bytes = self.repository.get(file, None).map_err(said)?;
            right = cryptor.hash(&mut tools.processor, &bytes).map_err(said)? == listed.id;
            if right {
                break;
            }
        }
        let mut wrong = Vec::new();
        if !right {
            wrong.push("its SHA-256 is not its name".to_owned());
        }
        if bytes.len() as u64 != length {
            wrong.push(format!("{} bytes were read of {length}", bytes.len()));
        }
        match self.entries(&bytes, tools) {
            Ok(entries) => {
                if entries.len() != listed.blobs as usize {
                    let (has, lists) = (entries.len(), listed.blobs);
                    wrong.push(format!("it has {has} blobs, and its index lists {lists}"));
                }
                let differs = |entry: &&Entry| {
                    index.find(entry.kind, &entry.id).is_none_or(|place| {
                        index.pack(place).id == listed.id
                            && (place.offset, place.length, place.raw)
                                != (entry.offset, entry.length, entry.raw)
                    })
                };
                if let Some(entry) = entries.iter().find(differs) {
                    wrong.push(format!("its index has blob {} elsewhere", entry.id));
                }
                wrong.extend(self.repository.damaged_blobs(&bytes, &entries, tools).map_err(said)?);
            }
            Err(reason) => wrong.push(reason),
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    /// The blobs that a pack's header lists.
    fn entries(&self, bytes: &[u8], tools: &mut Tools) -> Result<Vec<Entry>, String> {
        let (rest, last) = bytes.split_last_chunk().ok_or("it is shorter than a header")?;
        let length = header_length(*last, bytes.len() as u64);
        let length = length.ok_or("its header cannot have the length that it says")?;
        let (blobs, header) = rest.split_at(rest.len() - length as usize);
        let header = self.repository.cryptor().open(&mut tools.processor, header.to_vec());
        let header = header.map_err(|error| error.to_string())?;
        parse_header(&header.ok_or("its header does not authenticate")?, blobs.len() as u64)
    }
}

/// Describes what is wrong with a file of JSON that is longer than one can be. It is not read.
fn too_long(file: File, length: u64) -> Option<String> {
    let is_too_long = length > MOST_JSON as u64;
    is_too_long
        .then(|| format!("{file} is damaged: it has {length} bytes; valid: at most {MOST_JSON}"))
}

/// Bytes that a pack has by its index.
fn expected(pack: &Listed) -> u64 {
    u64::from(pack.end) + u64::from(pack.header) + OVERHEAD as u64 + 4
}
