//! Backups: files read side by side, cut, and their new chunks saved.

mod attributes;
mod batch;
mod directory;
mod estimate;
mod filter;
mod queue;
mod spot;
mod targets;
pub(crate) mod users;
mod walk;
mod work;
mod worker;

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use broadloom_chunking::{Chunker, Sizes};
use broadloom_engine::provider::Provider;
use broadloom_engine::{HashAlgorithm, JobError, Registry, Session, Transform};
use rustix::fs::lstat;
use rustix::io::Errno;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Mode, Node};
use crate::repository::{
    Compression, Index, Lock, Pack, Repository, Saver, Tools, hostname, username,
};
use crate::snapshot::{Snapshot, Snapshots};
use crate::store::Kind;
use crate::time::Time;
use crate::tree::Trees;
use attributes::Describer;
use directory::Directory;
use queue::{FileSource, FileTask, Queue, Task};
use spot::Opener;
use targets::Targets;
use walk::Walk;
use work::{BackupWork, Counts};
use worker::Worker;

pub use estimate::estimate;
pub use filter::{Filter, Marker};
pub use walk::Changes;

/// Bytes of a buffer into which files are read, at least and by choice. A chunk has up to 8 MiB.
const ROOM: (usize, usize) = (10 << 20, 12 << 20);
/// Buffers for each thread: one is read into, one waits or is saved, and one is for what is
/// compressed and sealed.
const BUFFERS: usize = 3;
/// Packs that are filled or written at a time, at least. Trees are in one of them.
const LEAST_PACKS: usize = 2;
/// Packs that are filled or full while others are written, by choice.
const PACKS: usize = 2;
/// Most bytes of a pack: a full one, but for a blob, and its header. They are also enough for a
/// usual pack and the part of it that a store copies while it writes.
const PACK: usize = 25 << 20;

/// Memory that a backup takes by default, beside the index.
pub const MEMORY: usize = 512 << 20;

/// What is saved.
pub enum Source {
    /// Files and directories.
    Paths(Vec<PathBuf>),
    /// A stream, as a file.
    Stream {
        /// The file's path in the snapshot, such as `dump.sql` or `databases/dump.sql`.
        name: String,
        /// Its content.
        content: Box<dyn Read + Send>,
    },
}

/// The snapshot whose files are not read again where they are as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The latest of the same host and paths.
    Latest,
    /// This one.
    Snapshot(Id),
    /// None: all files are read.
    None,
}

/// How a backup is made.
pub struct BackupOptions {
    /// What is saved.
    pub source: Source,
    /// What is left out.
    pub filter: Filter,
    /// Patterns that left something out, for the snapshot.
    pub excludes: Vec<String>,
    /// Tags of the snapshot.
    pub tags: Vec<String>,
    /// The host in the snapshot; without it, this machine.
    pub host: Option<String>,
    /// The time in the snapshot; without it, now.
    pub time: Option<Time>,
    /// The parent snapshot.
    pub parent: Parent,
    /// When a file counts as changed.
    pub changes: Changes,
    /// Keep the times at which files were read.
    pub with_atime: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Make no snapshot if its tree would be the parent's.
    pub skip_if_unchanged: bool,
    /// How data are compressed.
    pub compression: Compression,
    /// Who hashes chunks and trees; without it, whoever works with the repository's keys.
    pub hasher: Option<Hasher>,
    /// Threads that read and save.
    pub threads: NonZeroUsize,
    /// Bytes of memory, beside the index.
    pub memory: usize,
}

/// A provider that hashes chunks and trees, by SHA-256.
#[derive(Clone)]
pub struct Hasher {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Hash by the repository's own provider where this one fails, instead of ending the backup.
    pub fallback: bool,
}

impl Hasher {
    /// Opens a session, which may have another one to fall back to.
    fn open(&self, other: &Session) -> Result<Session, SnapshotError> {
        let mut registry = Registry::new();
        registry.add(Arc::clone(&self.provider));
        let transform = Transform::hash(HashAlgorithm::Sha256);
        let session = registry.open_at(self.provider.name(), &transform)?;
        if !self.fallback {
            return Ok(session);
        }
        let backed = session.falling_back_to(other.clone());
        backed.map_err(|error| SnapshotError::Other(error.to_string()))
    }
}

impl BackupOptions {
    /// A backup of a source, in the usual way.
    #[must_use]
    pub fn new(source: Source) -> BackupOptions {
        BackupOptions {
            source,
            filter: Filter::default(),
            excludes: Vec::new(),
            tags: Vec::new(),
            host: None,
            time: None,
            parent: Parent::Latest,
            changes: Changes::default(),
            with_atime: false,
            dry_run: false,
            skip_if_unchanged: false,
            compression: Compression::Auto,
            hasher: None,
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            memory: MEMORY,
        }
    }

    /// Reports sources that are not there, and leaves them out. Returns `true` if there were some.
    fn leave_out_missing(&mut self, report: &dyn Report) -> Result<bool, SnapshotError> {
        let Source::Paths(paths) = &mut self.source else { return Ok(false) };
        let given = paths.len();
        paths.retain(|path| match lstat(path) {
            Err(error @ (Errno::NOENT | Errno::NOTDIR)) => {
                report.error(path, &io::Error::from(error));
                false
            }
            _ => true,
        });
        match paths.is_empty() {
            true => Err(SnapshotError::NoSource),
            false => Ok(paths.len() < given),
        }
    }

    /// Returns what the memory is enough for if a store writes so many packs at once.
    fn share(&self, written: usize) -> Result<Share, SnapshotError> {
        let each = BUFFERS * ROOM.0;
        let threads = self.threads.get().min(self.memory.saturating_sub(LEAST_PACKS * PACK) / each);
        if threads == 0 {
            let least = (LEAST_PACKS * PACK + each) >> 20;
            return Err(SnapshotError::Other(format!(
                "{} MiB of memory are too few for a backup; valid: {least} MiB or more",
                self.memory >> 20
            )));
        }
        let packs = (PACKS + written).min((self.memory - threads * each) / PACK);
        let room = ROOM.1.min((self.memory - packs * PACK) / (BUFFERS * threads));
        Ok(Share { threads, room, packs })
    }
}

/// How a backup uses its memory.
#[derive(Clone, Copy)]
struct Share {
    /// Threads that read and save.
    threads: usize,
    /// Bytes of a buffer.
    room: usize,
    /// Packs that are filled or written.
    packs: usize,
}

/// How far a backup or a restore is.
#[derive(Debug, Default)]
pub struct Progress {
    /// Files that are done.
    pub files: AtomicU64,
    /// Bytes that are done.
    pub bytes: AtomicU64,
    /// Files in all, as far as known.
    pub total_files: AtomicU64,
    /// Bytes in all, as far as known.
    pub total_bytes: AtomicU64,
}

/// Whom problems are told that do not end the work.
pub trait Report: Sync {
    /// A file could not be saved or restored.
    fn error(&self, path: &Path, error: &dyn std::error::Error);
    /// Something else is worth to be known.
    fn warning(&self, text: &str);
}

/// What a backup did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The snapshot; none after a dry run, or if it would be like its parent and is skipped.
    pub snapshot: Option<Id>,
    /// The tree.
    pub tree: Option<Id>,
    /// The parent snapshot.
    pub parent: Option<Id>,
    /// Files that the parent snapshot has not.
    pub files_new: u64,
    /// Files that were read although the parent snapshot has them.
    pub files_changed: u64,
    /// Files that were not read.
    pub files_unmodified: u64,
    /// Directories that the parent snapshot has not.
    pub dirs_new: u64,
    /// Directories of which something changed.
    pub dirs_changed: u64,
    /// Directories that are as they were.
    pub dirs_unmodified: u64,
    /// New blobs of data.
    pub data_blobs: u64,
    /// New trees.
    pub tree_blobs: u64,
    /// Bytes of new blobs.
    pub added: u64,
    /// Bytes that they take in the repository.
    pub stored: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// How long it took.
    pub duration: Duration,
    /// Something could not be read, and was reported.
    pub incomplete: bool,
    /// Why the [provider of hashes](BackupOptions::hasher) first left a blob to its fallback, and
    /// how many it left.
    pub fell_back: Option<(JobError, u64)>,
}

impl Summary {
    /// Files in all.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.files_new + self.files_changed + self.files_unmodified
    }
}

/// Makes a backup. The lock shows that the repository may be written to; a dry run needs none.
///
/// Sources that are not there and files that cannot be read are reported and left out.
///
/// # Errors
/// [`SnapshotError::NoSource`] if no source is there, [`SnapshotError::Empty`] if nothing is left
/// to save; what the repository says.
pub fn backup(
    repository: &Repository,
    lock: Option<&Lock>,
    mut options: BackupOptions,
    progress: &Progress,
    report: &dyn Report,
) -> Result<Summary, SnapshotError> {
    let began = Instant::now();
    let incomplete = options.leave_out_missing(report)?;
    let share = options.share(repository.connections())?;
    let index = repository.index()?;
    let mut snapshot = described(&options)?;
    let parent = parent(repository, &options, &snapshot, report)?;
    snapshot.parent = parent.as_ref().map(|parent| parent.id);
    let (compression, dry_run) = (options.compression, options.dry_run);
    let skip_if_unchanged = options.skip_if_unchanged;
    let (mut saver, packs) = Saver::new(repository, &index, compression, dry_run, share.packs);
    if let Some(hasher) = &options.hasher {
        saver.hash_by(hasher.open(repository.cryptor().hasher())?);
    }
    let packs = Mutex::new(packs);
    let work = BackupWork {
        saver: &saver,
        queue: Queue::default(),
        describer: Describer::new(options.with_atime),
        compression: options.compression,
        counts: Counts::default(),
        progress,
        to: report,
        incomplete: AtomicBool::new(incomplete),
        has_saved: AtomicBool::new(false),
        root: Mutex::new(None),
    };
    let parent_tree = parent.map(|parent| parent.file.tree);
    run(repository, &index, &work, &packs, options, share, parent_tree)?;
    saver.finish()?;
    let root = work.root().ok_or_else(|| {
        SnapshotError::Other("the backup ended before its tree was complete".to_owned())
    })?;
    snapshot.tree = root;
    let mut summary = summary(&work);
    summary.parent = snapshot.parent;
    summary.tree = Some(root);
    let is_skipped = skip_if_unchanged && parent_tree == Some(root);
    if let Some(lock) = lock.filter(|_| !is_skipped) {
        lock.check()?;
        summary.snapshot = Some(repository.save_json(Kind::Snapshot, &snapshot)?);
    }
    summary.duration = began.elapsed();
    Ok(summary)
}

/// The snapshot but for its tree.
fn described(options: &BackupOptions) -> Result<Snapshot, SnapshotError> {
    let paths = match &options.source {
        Source::Paths(paths) => paths
            .iter()
            .map(|path| Ok(targets::absolute(path)?.to_string_lossy().into_owned()))
            .collect::<Result<_, SnapshotError>>()?,
        Source::Stream { name, .. } => {
            let names = targets::stream_names(name)?;
            vec![names.iter().map(|name| format!("/{name}")).collect()]
        }
    };
    Ok(Snapshot {
        time: options.time.unwrap_or_else(Time::now),
        parent: None,
        tree: Id([0; 32]),
        paths,
        hostname: options.host.clone().unwrap_or_else(hostname),
        username: username(),
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        excludes: options.excludes.clone(),
        tags: options.tags.clone(),
        original: None,
        program_version: format!("broadloom {}", env!("CARGO_PKG_VERSION")),
    })
}

fn parent(
    repository: &Repository,
    options: &BackupOptions,
    like: &Snapshot,
    report: &dyn Report,
) -> Result<Option<crate::snapshot::Named>, SnapshotError> {
    match (options.parent, &options.source) {
        (Parent::None, _) | (_, Source::Stream { .. }) => Ok(None),
        (Parent::Snapshot(id), _) => Snapshots::load(repository, id).map(Some),
        (Parent::Latest, _) => {
            let mut skip = |error: &SnapshotError| {
                report.warning(&format!("{error}; it cannot be the parent snapshot"));
            };
            let snapshots = Snapshots::all(repository, &mut skip)?;
            Ok(snapshots.latest_like(like).cloned())
        }
    }
}

/// Runs the threads of a backup to their end.
fn run(
    repository: &Repository,
    index: &Index,
    work: &BackupWork<'_>,
    packs: &Mutex<std::sync::mpsc::Receiver<Pack>>,
    options: BackupOptions,
    share: Share,
    parent: Option<Id>,
) -> Result<(), SnapshotError> {
    let chunker = Chunker::new(repository.polynomial(), Sizes::default());
    let workers: Vec<Worker<'_>> = (0..share.threads)
        .map(|_| Worker::new(work, &chunker, share.room))
        .collect::<Result<_, SnapshotError>>()?;
    let mut tools = Tools::new(work.compression)?;
    let targets = match &options.source {
        Source::Paths(paths) => {
            Some(Targets::new(paths, &mut |path, error| work.report(path, error))?)
        }
        Source::Stream { .. } => None,
    };
    let stream_names = match &options.source {
        Source::Paths(_) => Vec::new(),
        Source::Stream { name, .. } => targets::stream_names(name)?,
    };
    let trees = Trees::new(repository, index)?;
    let mut walk = Walk {
        work,
        trees,
        filter: &options.filter,
        changes: options.changes,
        devices: BTreeSet::new(),
        opener: Opener::default(),
        waiting: Vec::new(),
    };
    thread::scope(|scope| {
        let started = work.saver.start(scope, packs);
        work.queue.expect(share.threads);
        let mut handles = Vec::new();
        for worker in workers {
            let builder = thread::Builder::new().name("backup".to_owned());
            match builder.spawn_scoped(scope, move || worker.run()) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    work.saver.fail(SnapshotError::Other(format!("no thread: {error}")));
                    work.queue.abandon();
                }
            }
        }
        if let Err(error) = started {
            work.saver.fail(error);
        }
        match (targets, options.source) {
            (Some(targets), _) => walk.run(&targets, parent),
            (None, Source::Stream { content, .. }) => stream(work, stream_names, content),
            (None, Source::Paths(_)) => unreachable!("paths have targets"),
        }
        work.queue.close();
        for handle in handles {
            // A panic was noted as a failure.
            let _ = handle.join();
        }
        work.saver.close(&mut tools);
    });
    Ok(())
}

/// Saves a stream as the only file of a snapshot, in the directories that its names begin with.
fn stream(work: &BackupWork<'_>, mut names: Vec<String>, content: Box<dyn Read + Send>) {
    let name = names.pop().expect("a stream without a name was refused").into_bytes();
    let now = Time::now();
    let node = |name: Vec<u8>, unix_mode: u32| {
        let (mode, kind) = Mode::from_unix(unix_mode);
        let mut node = Node::new(name, kind);
        node.mode = mode;
        (node.mtime, node.atime, node.ctime) = (now, now, now);
        node.uid = rustix::process::getuid().as_raw();
        node.gid = rustix::process::getgid().as_raw();
        node
    };
    let mut directory = Directory::new(None, None, None);
    for above in names {
        let place = directory.reserve();
        let below = Some(node(above.into_bytes(), 0o040_755));
        let child = Directory::new(Some((Arc::clone(&directory), place)), below, None);
        // It cannot complete before the file does.
        assert!(directory.seal().is_none(), "the directory below is missing");
        directory = child;
    }
    let mut file = node(name.clone(), 0o100_644);
    file.links = 1;
    let place = directory.reserve();
    assert!(directory.seal().is_none(), "the file is missing");
    let source = FileSource::Stream(content, Box::new(file));
    let task = FileTask { source, name, directory, place, is_new: true };
    work.queue.push(Task::File(task));
}

fn summary(work: &BackupWork<'_>) -> Summary {
    let (counts, added) = (&work.counts, &work.saver.added);
    let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Summary {
        files_new: get(&counts.files_new),
        files_changed: get(&counts.files_changed),
        files_unmodified: get(&counts.files_unmodified),
        dirs_new: get(&counts.dirs_new),
        dirs_changed: get(&counts.dirs_changed),
        dirs_unmodified: get(&counts.dirs_unmodified),
        data_blobs: get(&added.data_blobs),
        tree_blobs: get(&added.tree_blobs),
        added: get(&added.bytes),
        stored: get(&added.stored),
        bytes: get(&counts.bytes),
        incomplete: work.incomplete.load(Ordering::Relaxed),
        fell_back: work.saver.fell_back(),
        ..Summary::default()
    }
}
