//! Restores: what a snapshot holds comes back below a directory, and nowhere else.
//!
//! A file appears under its name when it is complete. Every blob is proved before it is written.

mod attributes;
mod directories;
mod file;
#[cfg(test)]
pub(crate) mod hostile;
mod plan;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rustix::fs::{FileType, Mode, linkat, mknodat, symlinkat};

use crate::backup::{Progress, Report};
use crate::beneath::{Beneath, Temporary, replace};
use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::pattern::Patterns;
use crate::repository::{BlobKind, Compression, Index, Repository, Tools};
use crate::tree::{Place, Trees};
use file::Written;
use plan::{Later, Part, Planner};

/// How a snapshot is restored.
pub struct RestoreOptions {
    /// The directory below which everything goes; it is made if it is not there.
    pub target: PathBuf,
    /// What is restored, by paths in the snapshot; without any, all.
    pub include: Patterns,
    /// What is not restored.
    pub exclude: Patterns,
    /// Stretches of zeros become holes.
    pub sparse: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Threads that read and write.
    pub threads: NonZeroUsize,
}

impl RestoreOptions {
    /// A restore of all to a directory.
    #[must_use]
    pub fn new(target: PathBuf) -> RestoreOptions {
        RestoreOptions {
            target,
            include: Patterns::default(),
            exclude: Patterns::default(),
            sparse: false,
            dry_run: false,
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// What a restore did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restored {
    /// Files and links that are in their places.
    pub files: u64,
    /// Directories.
    pub directories: u64,
    /// Bytes of files.
    pub bytes: u64,
    /// What was reported: files that are not there, or not with all attributes.
    pub errors: u64,
}

/// Counts what is reported.
struct Teller<'t> {
    to: &'t dyn Report,
    errors: AtomicU64,
    /// No more batches are wanted.
    ended: AtomicBool,
}

impl Teller<'_> {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        self.to.error(path, error);
    }

    fn warning(&self, text: &str) {
        self.to.warning(text);
    }
}

/// Restores what is at a place of a snapshot.
///
/// # Errors
/// What the repository says, and a target that cannot be made. Files that cannot be restored are
/// reported one by one.
pub fn restore(
    repository: &Repository,
    place: &Place,
    options: &RestoreOptions,
    progress: &Progress,
    report: &dyn Report,
) -> Result<Restored, SnapshotError> {
    let index = repository.index()?;
    let teller = Teller { to: report, errors: AtomicU64::new(0), ended: AtomicBool::new(false) };
    let failed = |error| SnapshotError::path(&options.target, error);
    let beneath = match options.dry_run {
        true => None,
        false => {
            fs::create_dir_all(&options.target).map_err(failed)?;
            Some(Beneath::new(&options.target).map_err(failed)?)
        }
    };
    let names = Temporary::new()?;
    let crew = Crew {
        repository,
        index: &index,
        options,
        teller: &teller,
        progress,
        names: &names,
        beneath: beneath.as_ref(),
    };
    let later = crew.files(place)?;
    let mut restored = Restored::default();
    if let Some(beneath) = &beneath {
        crew.rest(&later, &mut beneath.again());
    }
    restored.files = progress.files.load(Ordering::Relaxed);
    restored.bytes = progress.bytes.load(Ordering::Relaxed);
    restored.directories = later.directory_count;
    restored.errors = teller.errors.load(Ordering::Relaxed);
    Ok(restored)
}

/// What the threads of a restore share.
struct Crew<'c> {
    repository: &'c Repository,
    index: &'c Index,
    options: &'c RestoreOptions,
    teller: &'c Teller<'c>,
    progress: &'c Progress,
    names: &'c Temporary,
    /// The target; none where nothing is written.
    beneath: Option<&'c Beneath>,
}

impl Crew<'_> {
    /// Restores all files, and gives what comes after them.
    fn files(&self, place: &Place) -> Result<Later, SnapshotError> {
        let (sender, receiver) = sync_channel::<Vec<Part>>(1);
        let receiver = Mutex::new(receiver);
        let mut tools = Vec::new();
        for _ in 0..self.options.threads.get() {
            tools.push(Tools::new(Compression::Auto)?);
        }
        let trees = Trees::new(self.repository, self.index)?;
        thread::scope(|scope| {
            for tools in tools {
                let receiver = &receiver;
                let started = thread::Builder::new().name("restore".to_owned());
                let started = started.spawn_scoped(scope, || self.work(tools, receiver));
                started.map_err(|error| SnapshotError::Other(format!("no thread: {error}")))?;
            }
            let mut send =
                |batch| !self.teller.ended.load(Ordering::Relaxed) && sender.send(batch).is_ok();
            let mut planner = Planner {
                trees,
                index: self.index,
                options: self.options,
                teller: self.teller,
                progress: self.progress,
                later: Later::default(),
                on_the_way: Vec::new(),
                first_names: HashMap::new(),
                batch: Vec::new(),
                bytes: 0,
                send: &mut send,
            };
            let planned = match place {
                Place::Tree(tree) => planner.directory(*tree, Path::new("")),
                Place::Node(node) if node.kind == NodeKind::Dir => {
                    let tree = node.subtree.expect("a tree was refused that lacks it");
                    planner.directory(tree, Path::new(""))
                }
                Place::Node(node) => {
                    let name = std::os::unix::ffi::OsStrExt::from_bytes(&node.name[..]);
                    let name: &std::ffi::OsStr = name;
                    planner.node((**node).clone(), Path::new(name));
                    Ok(())
                }
            };
            planner.flush();
            let later = std::mem::take(&mut planner.later);
            drop(sender);
            planned.map(|()| later)
        })
    }

    /// Restores batches until there are no more.
    fn work(&self, mut tools: Tools, batches: &Mutex<Receiver<Vec<Part>>>) {
        let mut beneath = self.beneath.map(Beneath::again);
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(batch) = next else { return };
            if let Some(beneath) = &mut beneath {
                self.batch(&batch, &mut tools, beneath);
            } else {
                for part in &batch {
                    self.count(part.file.node.size, part.offset == 0);
                }
            }
        }
    }

    /// Bytes of a file count with its first part when nothing is written.
    fn count(&self, bytes: u64, first: bool) {
        if first {
            self.progress.files.fetch_add(1, Ordering::Relaxed);
            self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    fn batch(&self, batch: &[Part], tools: &mut Tools, beneath: &mut Beneath) {
        let ids: Vec<Id> = batch.iter().flat_map(|part| part.blobs.iter().copied()).collect();
        match self.contents(&ids, tools) {
            Ok(contents) => batch.iter().for_each(|part| self.part(part, &contents, beneath)),
            // One of them is damaged: each file for itself, so that the others come back.
            Err(_) => {
                for part in batch {
                    match self.contents(&part.blobs, tools) {
                        Ok(contents) => self.part(part, &contents, beneath),
                        Err(error) => self.give_up(part, &error),
                    }
                }
            }
        }
    }

    fn contents(
        &self,
        ids: &[Id],
        tools: &mut Tools,
    ) -> Result<HashMap<Id, Vec<u8>>, SnapshotError> {
        let mut contents = HashMap::with_capacity(ids.len());
        self.repository.blobs(self.index, BlobKind::Data, ids, tools, |piece| {
            contents.insert(piece.id, piece.content);
            Ok(())
        })?;
        Ok(contents)
    }

    fn part(&self, part: &Part, contents: &HashMap<Id, Vec<u8>>, beneath: &mut Beneath) {
        let pieces: Vec<&[u8]> = part.blobs.iter().map(|id| &contents[id][..]).collect();
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        let sparse = self.options.sparse;
        match part.file.write(beneath, self.names, sparse, part.offset, &pieces) {
            Ok(written) => {
                self.progress.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                if written == Written::Whole {
                    self.progress.files.fetch_add(1, Ordering::Relaxed);
                }
            }
            // It has its place, but not all its attributes.
            Err(error) if part.file.is_complete() => {
                self.progress.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                self.progress.files.fetch_add(1, Ordering::Relaxed);
                self.teller.error(&part.file.path, &error);
            }
            Err(error) => self.give_up(part, &error),
        }
    }

    fn give_up(&self, part: &Part, error: &dyn std::error::Error) {
        if part.file.give_up() {
            self.teller.error(&part.file.path, error);
        }
    }

    /// Restores what is left when all files are in their places.
    fn rest(&self, later: &Later, beneath: &mut Beneath) {
        for (path, node) in &later.others {
            match self.other(path, node, beneath) {
                Ok(()) => self.count(0, true),
                Err(error) => self.teller.error(path, &error),
            }
        }
        for (path, first) in &later.links {
            let linked = match first.is_complete() {
                true => self.link(path, &first.path, beneath),
                false => Err(io::Error::other("the file of which it is a name is not restored")),
            };
            match linked {
                Ok(()) => self.count(0, true),
                Err(error) => self.teller.error(path, &error),
            }
        }
        // Backwards: what is in a directory comes before it.
        later.directories.backwards(|path, node| {
            let set = beneath.directory(path);
            if let Err(error) = set.and_then(|directory| attributes::set(&*directory, node)) {
                self.teller.error(path, &error);
            }
        });
    }

    fn link(&self, path: &Path, first: &Path, beneath: &mut Beneath) -> io::Result<()> {
        let (from, old) = beneath.place(first)?;
        let (to, name) = beneath.place(path)?;
        let flags = rustix::fs::AtFlags::empty();
        replace(&to, &self.names.name(), name, |temporary| {
            Ok(linkat(&from, old, &to, temporary, flags)?)
        })
    }

    fn other(&self, path: &Path, node: &Node, beneath: &mut Beneath) -> io::Result<()> {
        let (directory, name) = beneath.place(path)?;
        let mut attributes = Ok(());
        replace(&directory, &self.names.name(), name, |temporary| {
            let kind = match node.kind {
                NodeKind::Symlink => None,
                NodeKind::Fifo => Some(FileType::Fifo),
                NodeKind::Dev => Some(FileType::BlockDevice),
                _ => Some(FileType::CharacterDevice),
            };
            match kind {
                None => symlinkat(node.target(), &directory, temporary)?,
                Some(kind) => {
                    let mode = Mode::RUSR | Mode::WUSR;
                    mknodat(&directory, temporary, kind, mode, node.device)?;
                }
            }
            attributes = attributes::set_at(&directory, temporary, node);
            Ok(())
        })?;
        attributes
    }
}
