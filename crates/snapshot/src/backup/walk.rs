//! The walk through what is to be saved. Files that are as the parent snapshot has them are not
//! read.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, Dir, Stat, lstat, stat, statat};

use super::attributes::Reach;
use super::directory::{Directory, Previous};
use super::filter::Filter;
use super::queue::{FileSource, FileTask, Task};
use super::spot::{Opener, Spot};
use super::targets::{Target, Targets, absolute, below};
use super::work::BackupWork;
use crate::id::Id;
use crate::node::{Mode as NodeMode, Node, NodeKind};
use crate::repository::BlobKind;
use crate::tree::Trees;

/// When a file counts as changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes {
    /// The time at which its attributes changed does not count.
    pub ignore_ctime: bool,
    /// Its inode does not count.
    pub ignore_inode: bool,
}

/// The walk of a backup.
pub struct Walk<'w> {
    pub work: &'w BackupWork<'w>,
    pub trees: Trees<'w>,
    pub filter: &'w Filter,
    pub changes: Changes,
    /// The file systems of the targets.
    pub devices: BTreeSet<u64>,
    pub opener: Opener,
    /// Directories that are still to be saved; the next one is the last.
    pub waiting: Vec<Waiting>,
}

/// A directory that is to be saved, with its place in the one above.
pub struct Waiting {
    above: Arc<Directory>,
    place: usize,
    spot: Spot,
    /// Its path from the root.
    full: Vec<u8>,
    node: Node,
}

/// A file as the file system shows it.
struct Entry {
    name: Vec<u8>,
    stat: Stat,
}

impl Walk<'_> {
    /// Walks through all targets. `tree` is the parent snapshot's.
    pub fn run(&mut self, targets: &Targets, tree: Option<Id>) {
        if self.filter.one_file_system {
            self.add_devices(targets);
        }
        let previous = self.previous(None, tree);
        self.part(targets, Directory::new(None, None, previous));
    }

    fn add_devices(&mut self, targets: &Targets) {
        for target in targets.0.values() {
            match target {
                Target::Whole(path) => self.devices.extend(lstat(path).map(|stat| stat.st_dev)),
                Target::Part(_, below) => self.add_devices(below),
            }
        }
    }

    /// Returns what the parent snapshot has, or nothing if it cannot be read.
    fn previous(&mut self, node: Option<Node>, tree: Option<Id>) -> Option<Previous> {
        let tree = tree?;
        match self.trees.load(tree) {
            Ok(loaded) => Some(Previous { node, tree, nodes: loaded.nodes }),
            Err(error) => {
                self.work.to.warning(&format!("the parent snapshot is not used here: {error}"));
                None
            }
        }
    }

    /// A directory of which only some names are saved.
    fn part(&mut self, targets: &Targets, directory: Arc<Directory>) {
        for (name, target) in &targets.0 {
            match target {
                Target::Whole(path) => match (absolute(path), lstat(path)) {
                    (Ok(full), Ok(stat)) => {
                        let full = full.into_os_string().into_encoded_bytes();
                        if !self.filter.excludes(&full, &stat) {
                            let entry = Entry { name: name.clone(), stat };
                            self.target(&directory, &Spot::new(path), full, entry);
                        }
                    }
                    (_, Err(error)) => self.work.report(path, error.into()),
                    (Err(error), _) => self.work.report(path, io::Error::other(error)),
                },
                Target::Part(path, below) => {
                    let described = stat(path)
                        .map_err(io::Error::from)
                        .and_then(|stat| self.work.describer.node(name, &Reach::Path(path), &stat));
                    match described {
                        Ok(node) => {
                            let place = directory.reserve();
                            let child = self.child(&directory, place, node);
                            self.part(below, child);
                        }
                        Err(error) => self.work.report(path, error),
                    }
                }
            }
        }
        self.seal(directory);
    }

    /// A new directory in another one.
    fn child(&mut self, parent: &Arc<Directory>, place: usize, mut node: Node) -> Arc<Directory> {
        node.kind = NodeKind::Dir;
        let known = parent.previous.as_ref().and_then(|previous| previous.find(&node.name));
        let known = known.filter(|known| known.kind == NodeKind::Dir).cloned();
        let tree = known.as_ref().and_then(|known| known.subtree);
        let previous = self.previous(known, tree);
        Directory::new(Some((Arc::clone(parent), place)), Some(node), previous)
    }

    fn seal(&self, directory: Arc<Directory>) {
        if let Some(nodes) = directory.seal() {
            self.work.queue.push(Task::Tree(directory, nodes));
        }
    }

    /// Walks a target and everything in it. Directories wait for their turn, so that their depth
    /// costs no stack.
    fn target(&mut self, above: &Arc<Directory>, spot: &Spot, full: Vec<u8>, entry: Entry) {
        match self.opener.parent(spot) {
            Ok((handle, _)) => self.entry(above, &handle, spot.clone(), full, entry),
            Err(error) => self.work.report(&spot.path(), error),
        }
        while let Some(waiting) = self.waiting.pop() {
            if self.work.saver.has_failed() {
                self.waiting.clear();
                return;
            }
            self.whole(waiting);
        }
    }

    /// A directory of the file system. Directories in it wait. One that cannot be read is left out.
    fn whole(&mut self, Waiting { above, place, spot, full, node }: Waiting) {
        let opened = self.opener.directory(&spot);
        let read = opened.and_then(|handle| Ok((self.entries(&handle, &spot, &full)?, handle)));
        let (entries, handle) = match read {
            Ok(read) => read,
            Err(error) => {
                self.work.report(&spot.path(), error);
                if let Some(nodes) = above.put(place, None) {
                    self.work.queue.push(Task::Tree(above, nodes));
                }
                return;
            }
        };
        self.work.note_saved();
        let directory = self.child(&above, place, node);
        let first = self.waiting.len();
        for entry in entries {
            if self.work.saver.has_failed() {
                return;
            }
            let (spot, full) = (spot.child(&entry.name), below(&full, &entry.name));
            self.entry(&directory, &handle, spot, full, entry);
        }
        self.waiting[first..].reverse();
        self.seal(directory);
    }

    /// Lists what is in a directory and not left out, in the order of names.
    fn entries(&self, handle: &OwnedFd, spot: &Spot, full: &[u8]) -> io::Result<Vec<Entry>> {
        let mut names = BTreeSet::new();
        for entry in Dir::read_from(handle)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if !matches!(&name[..], b"." | b"..") {
                names.insert(name);
            }
        }
        if let Some(only) = self.filter.only(handle.as_fd(), &names) {
            names.retain(|name| *name == only);
        }
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            match statat(handle, &name[..], AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    if !self.filter.excludes(&below(full, &name), &stat) {
                        entries.push(Entry { name, stat });
                    }
                }
                Err(error) => self.work.report(&spot.child(&name).path(), error.into()),
            }
        }
        Ok(entries)
    }

    /// Returns the entry with a name in a directory whose handle is open.
    fn entry(
        &mut self,
        directory: &Arc<Directory>,
        handle: &OwnedFd,
        spot: Spot,
        full: Vec<u8>,
        entry: Entry,
    ) {
        let (_, kind) = NodeMode::from_unix(entry.stat.st_mode);
        let elsewhere = self.filter.one_file_system && !self.devices.contains(&entry.stat.st_dev);
        let describe =
            || self.work.describer.named(handle.as_fd(), &spot, &entry.name, &entry.stat);
        match kind {
            // restic leaves sockets out.
            NodeKind::Socket | NodeKind::Irregular => {}
            NodeKind::Dir => match describe() {
                Ok(node) => {
                    let place = directory.reserve();
                    match elsewhere {
                        // The place where another file system is mounted.
                        true => {
                            let child = self.child(directory, place, node);
                            self.seal(child);
                        }
                        false => {
                            let above = Arc::clone(directory);
                            self.waiting.push(Waiting { above, place, spot, full, node });
                        }
                    }
                }
                Err(error) => self.work.report(&spot.path(), error),
            },
            _ if elsewhere => {}
            NodeKind::File => self.file(directory, handle, spot, entry),
            _ => match describe() {
                // restic counts regular files only.
                Ok(node) => {
                    self.work.note_saved();
                    directory.push(node);
                }
                Err(error) => self.work.report(&spot.path(), error),
            },
        }
    }

    fn file(&mut self, directory: &Arc<Directory>, handle: &OwnedFd, spot: Spot, entry: Entry) {
        let previous = directory.previous.as_ref().and_then(|there| there.find(&entry.name));
        let known = previous.filter(|previous| previous.kind == NodeKind::File);
        let is_new = known.is_none();
        if let Some(content) = known.and_then(|known| self.unchanged(known, &spot, &entry.stat)) {
            let describer = &self.work.describer;
            match describer.named(handle.as_fd(), &spot, &entry.name, &entry.stat) {
                Ok(mut node) => {
                    let (counts, progress) = (&self.work.counts, self.work.progress);
                    counts.files_unmodified.fetch_add(1, Ordering::Relaxed);
                    counts.bytes.fetch_add(node.size, Ordering::Relaxed);
                    progress.files.fetch_add(1, Ordering::Relaxed);
                    progress.bytes.fetch_add(node.size, Ordering::Relaxed);
                    node.content = Some(content);
                    self.work.note_saved();
                    directory.push(node);
                }
                Err(error) => self.work.report(&spot.path(), error),
            }
            return;
        }
        let place = directory.reserve();
        let (source, name, directory) = (FileSource::Spot(spot), entry.name, Arc::clone(directory));
        self.work.queue.push(Task::File(FileTask { source, name, directory, place, is_new }));
    }

    /// The content of a file that is as the parent snapshot has it: restic's rules.
    fn unchanged(&self, known: &Node, spot: &Spot, stat: &Stat) -> Option<Vec<Id>> {
        let at =
            |seconds: i64, nanoseconds: i64| crate::time::Time::from_unix(seconds, nanoseconds);
        let same = known.size == stat.st_size as u64
            && known.mtime == at(stat.st_mtime, stat.st_mtime_nsec as i64)
            && (self.changes.ignore_ctime
                || known.ctime == at(stat.st_ctime, stat.st_ctime_nsec as i64))
            && (self.changes.ignore_inode || known.inode == stat.st_ino);
        if !same {
            return None;
        }
        let content = known.content.clone().unwrap_or_default();
        if content.iter().all(|id| self.work.saver.has(BlobKind::Data, id)) {
            return Some(content);
        }
        let text = format!(
            "{}: the repository has lost parts of it, so that it is read again",
            spot.path().display()
        );
        self.work.to.warning(&text);
        None
    }
}
