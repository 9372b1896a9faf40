//! New blobs on their way into a repository: hashed, compressed, sealed, packed, written, indexed.
//!
//! Threads bring blobs in batches and share the packs that are being filled. Writers of packs are
//! threads of their own, so that the next packs are made meanwhile. An index lists a pack only
//! when the store has it.

use std::collections::HashSet;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use broadloom_engine::{Job, JobError, Session};

use super::Repository;
use super::buffers::Buffers;
use super::crypto::{IV, TAG, digest, hashes};
use super::index::{FULL as INDEX_FULL, Index, IndexFile};
use super::pack::{BlobKind, Builder, FULL, Pack};
use super::tools::{Compression, Tools};
use crate::error::SnapshotError;
use crate::id::Id;
use crate::store::{File, Kind};

/// Bytes of blobs that are compressed and sealed before they go to a pack: the lanes of the cipher
/// are full with fewer.
const GROUP: usize = 1 << 20;

/// What was added.
#[derive(Debug, Default)]
pub struct Added {
    /// New blobs of data.
    pub data_blobs: AtomicU64,
    /// New trees.
    pub tree_blobs: AtomicU64,
    /// Bytes of new blobs.
    pub bytes: AtomicU64,
    /// Bytes that they take, compressed and sealed.
    pub stored: AtomicU64,
}

/// Takes blobs, and writes those that the repository lacks.
pub struct Saver<'r> {
    repository: &'r Repository,
    /// Hashes blobs; without it, the repository's session does.
    hasher: Option<Session>,
    fell_back: Mutex<Option<(JobError, u64)>>,
    index: &'r Index,
    compression: Compression,
    /// Nothing is written: blobs are only hashed and compressed, for the figures.
    dry_run: bool,
    /// New blobs, which some thread has taken in hand.
    claimed: Mutex<HashSet<(BlobKind, Id)>>,
    open: [Mutex<Builder>; 2],
    queue: Mutex<Option<SyncSender<Pack>>>,
    /// Memory of packs that are filled or written.
    buffers: Buffers,
    indexed: Mutex<IndexFile>,
    failure: Mutex<Option<SnapshotError>>,
    failed: AtomicBool,
    /// What was added so far.
    pub added: Added,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new blob in an arena, sealed.
struct Sealed {
    id: Id,
    place: Range<usize>,
    raw: u32,
}

impl<'r> Saver<'r> {
    /// A saver with memory for so many packs, at least 2, and the end of its queue, for
    /// [`start`](Self::start).
    pub fn new(
        repository: &'r Repository,
        index: &'r Index,
        compression: Compression,
        dry_run: bool,
        packs: usize,
    ) -> (Saver<'r>, Receiver<Pack>) {
        // A pack waits with the thread that made it, until a writer is free.
        let (sender, receiver) = sync_channel(0);
        let saver = Saver {
            repository,
            hasher: None,
            fell_back: Mutex::default(),
            index,
            compression,
            dry_run,
            claimed: Mutex::default(),
            open: Default::default(),
            queue: Mutex::new(Some(sender)),
            buffers: Buffers::new(packs),
            indexed: Mutex::default(),
            failure: Mutex::default(),
            failed: AtomicBool::new(false),
            added: Added::default(),
        };
        (saver, receiver)
    }

    /// Has blobs hashed by a session for SHA-256 of another provider than the repository's.
    pub fn hash_by(&mut self, session: Session) {
        self.hasher = Some(session);
    }

    /// Why that session first left a blob to its fallback, and how many it left.
    pub fn fell_back(&self) -> Option<(JobError, u64)> {
        *lock(&self.fell_back)
    }

    /// Starts the writers.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        packs: &'s Mutex<Receiver<Pack>>,
    ) -> Result<(), SnapshotError> {
        for _ in 0..self.repository.connections() {
            let started = thread::Builder::new().name("packs".to_owned());
            let started = started.spawn_scoped(scope, || self.write(packs));
            started.map_err(|error| SnapshotError::Other(format!("no thread: {error}")))?;
        }
        Ok(())
    }

    /// Returns `true` if a writer or a worker has failed: then nothing more is of use.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Notes a failure; the first counts.
    pub fn fail(&self, error: SnapshotError) {
        lock(&self.failure).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
        self.buffers.close();
    }

    /// Returns `true` if the repository has a blob, or will.
    pub fn has(&self, kind: BlobKind, id: &Id) -> bool {
        self.index.find(kind, id).is_some() || lock(&self.claimed).contains(&(kind, *id))
    }

    /// Saves blobs, and gives their names.
    pub fn save(
        &self,
        tools: &mut Tools,
        kind: BlobKind,
        blobs: &[&[u8]],
    ) -> Result<Vec<Id>, SnapshotError> {
        let session = self.hasher.as_ref().unwrap_or(self.repository.cryptor().hasher());
        let jobs = hashes(session, &mut tools.processor, blobs.iter().copied());
        let ids: Vec<Id> = jobs.iter().map(digest).collect::<Result<_, _>>()?;
        for reason in jobs.iter().filter_map(Job::fell_back) {
            lock(&self.fell_back).get_or_insert((reason, 0)).1 += 1;
        }
        let new: Vec<usize> = {
            let mut claimed = lock(&self.claimed);
            let is_new =
                |id: &Id| self.index.find(kind, id).is_none() && claimed.insert((kind, *id));
            ids.iter().map(is_new).enumerate().filter(|(_, new)| *new).map(|(at, _)| at).collect()
        };
        let mut rest = &new[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |number: &&usize| {
                bytes += blobs[**number].len();
                bytes <= GROUP
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (group, behind) = rest.split_at(count);
            self.save_group(tools, kind, group.iter().map(|&at| (ids[at], blobs[at])))?;
            rest = behind;
        }
        Ok(ids)
    }

    /// Compresses, seals and packs new blobs.
    fn save_group<'b>(
        &self,
        tools: &mut Tools,
        kind: BlobKind,
        blobs: impl Iterator<Item = (Id, &'b [u8])>,
    ) -> Result<(), SnapshotError> {
        let mut arena = mem::take(&mut tools.arena);
        arena.clear();
        let (mut sealed, mut bytes) = (Vec::new(), 0);
        for (id, blob) in blobs {
            let start = arena.len();
            let raw = self.lay(tools, kind, blob, &mut arena)?;
            sealed.push(Sealed { id, place: start..arena.len(), raw });
            bytes += blob.len() as u64;
        }
        let texts = pieces(&mut arena, &sealed);
        self.repository.cryptor().seal_many(&mut tools.processor, texts)?;
        let blob_count = match kind {
            BlobKind::Data => &self.added.data_blobs,
            BlobKind::Tree => &self.added.tree_blobs,
        };
        blob_count.fetch_add(sealed.len() as u64, Ordering::Relaxed);
        self.added.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.added.stored.fetch_add(arena.len() as u64, Ordering::Relaxed);
        if !self.dry_run {
            self.pack(tools, kind, &arena, &sealed)?;
        }
        tools.arena = arena;
        Ok(())
    }

    /// Lays a blob behind room for an initialisation vector and before room for a tag, and gives
    /// its length if it is compressed.
    fn lay(
        &self,
        tools: &mut Tools,
        kind: BlobKind,
        blob: &[u8],
        arena: &mut Vec<u8>,
    ) -> Result<u32, SnapshotError> {
        let start = arena.len() + IV;
        arena.resize(start, 0);
        let compresses = self.repository.version() > 1
            && (kind == BlobKind::Tree || self.compression != Compression::Off);
        let mut raw = 0;
        if compresses && !blob.is_empty() {
            let written = tools.compress(blob, arena)?;
            // restic compresses all trees.
            if kind == BlobKind::Tree || written < blob.len() {
                let len = u32::try_from(blob.len());
                raw = len.map_err(|_| SnapshotError::Other("a tree exceeds 4 GiB".to_owned()))?;
            } else {
                arena.truncate(start);
            }
        }
        if raw == 0 {
            arena.extend_from_slice(blob);
        }
        arena.resize(arena.len() + TAG, 0);
        Ok(raw)
    }

    /// Adds sealed blobs to the packs that are being filled.
    fn pack(
        &self,
        tools: &mut Tools,
        kind: BlobKind,
        arena: &[u8],
        sealed: &[Sealed],
    ) -> Result<(), SnapshotError> {
        let open = &self.open[usize::from(kind == BlobKind::Tree)];
        let mut rest = sealed.iter();
        loop {
            let mut builder = lock(open);
            let mut full = None;
            // No thread has a full pack in hand here, so that a buffer comes back.
            while full.is_none()
                && let Some(blob) = rest.next()
            {
                if builder.is_empty() {
                    *builder = Builder::within(self.buffers.take());
                }
                builder.push(blob.id, kind, blob.raw, &arena[blob.place.clone()]);
                full = (builder.len() >= FULL).then(|| mem::take(&mut *builder));
            }
            drop(builder);
            match full {
                Some(builder) => self.complete(tools, builder)?,
                None => return Ok(()),
            }
        }
    }

    fn complete(&self, tools: &mut Tools, mut builder: Builder) -> Result<(), SnapshotError> {
        let pack = builder.finish(self.repository.cryptor(), &mut tools.processor)?;
        let queue = lock(&self.queue).clone();
        let queue = queue.expect("packs are completed before the queue is closed");
        // A queue without writers: they have ended with a failure, which is reported.
        let _ = queue.send(pack);
        Ok(())
    }

    /// Writes packs until there are no more.
    fn write(&self, packs: &Mutex<Receiver<Pack>>) {
        loop {
            let next = lock(packs).recv();
            let Ok(pack) = next else { return };
            if self.has_failed() {
                // Drained, so that nobody waits for room in the queue.
                continue;
            }
            if let Err(error) = self.write_pack(pack) {
                self.fail(error);
            }
        }
    }

    fn write_pack(&self, pack: Pack) -> Result<(), SnapshotError> {
        self.repository.put(File::Named(Kind::Pack, pack.id), &pack.bytes)?;
        let full = {
            let mut indexed = lock(&self.indexed);
            indexed.push(pack.id, &pack.entries);
            (indexed.len() >= INDEX_FULL).then(|| mem::take(&mut *indexed))
        };
        self.buffers.give(pack.bytes);
        full.map_or(Ok(()), |full| self.repository.save_json(Kind::Index, &full).map(drop))
    }

    /// Completes the packs that are left, and closes the queue: writers end when it is empty.
    pub fn close(&self, tools: &mut Tools) {
        for open in &self.open {
            let builder = mem::take(&mut *lock(open));
            if builder.is_empty() || self.has_failed() {
                continue;
            }
            if let Err(error) = self.complete(tools, builder) {
                self.fail(error);
            }
        }
        lock(&self.queue).take();
    }

    /// Writes the last index, once all writers have ended. All that was saved is then listed.
    ///
    /// # Errors
    /// The first failure of a thread, or of this write.
    pub fn finish(&self) -> Result<(), SnapshotError> {
        if let Some(error) = lock(&self.failure).take() {
            return Err(error);
        }
        let rest = mem::take(&mut *lock(&self.indexed));
        if rest.len() > 0 {
            self.repository.save_json(Kind::Index, &rest)?;
        }
        Ok(())
    }
}

/// The blobs of an arena, side by side.
fn pieces<'a>(arena: &'a mut [u8], sealed: &[Sealed]) -> Vec<&'a mut [u8]> {
    let mut rest = arena;
    sealed
        .iter()
        .map(|blob| {
            let (piece, tail) = mem::take(&mut rest).split_at_mut(blob.place.len());
            rest = tail;
            piece
        })
        .collect()
}
