//! What is to be restored: directories, files in batches, links, and the rest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directories::Directories;
use super::file::FileJob;
use super::{RestoreOptions, Teller};
use crate::backup::Progress;
use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::pattern::Patterns;
use crate::repository::{BlobKind, Index};
use crate::tree::Trees;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;
use std::vec::IntoIter;

/// Bytes of files that are read from the repository together.
const BATCH: u64 = 16 << 20;
/// Files that are read together, at most.
const FILES: usize = 1024;

/// A stretch of a file's blobs.
pub struct Part {
    pub file: Arc<FileJob>,
    /// Where in the file it begins.
    pub offset: u64,
    pub blobs: Vec<Id>,
}

/// What is restored after all files. Where nothing is written, only directories are counted.
#[derive(Default)]
pub struct Later {
    /// How many directories there are.
    pub directory_count: u64,
    /// Directories, each behind the one it is in.
    pub directories: Directories,
    /// Further names of files.
    pub links: Vec<(PathBuf, Arc<FileJob>)>,
    /// Links, pipes and devices.
    pub others: Vec<(PathBuf, Node)>,
}

/// Walks through a tree, and hands out batches of files.
pub struct Planner<'p> {
    pub trees: Trees<'p>,
    pub index: &'p Index,
    pub options: &'p RestoreOptions,
    pub teller: &'p Teller<'p>,
    pub progress: &'p Progress,
    pub later: Later,
    /// The directories above the current path that are restored only if something below them is,
    /// each with how many names its path has.
    pub on_the_way: Vec<(usize, Node)>,
    /// Files that have several names, by device and inode.
    pub first_names: HashMap<(u64, u64), Arc<FileJob>>,
    pub batch: Vec<Part>,
    pub bytes: u64,
    /// Takes a batch; says whether more are wanted.
    pub send: &'p mut dyn FnMut(Vec<Part>) -> bool,
}

/// A path in the snapshot, from its root.
fn inside(path: &Path) -> Vec<u8> {
    let mut full = b"/".to_vec();
    full.extend_from_slice(path.as_os_str().as_bytes());
    full
}

impl Planner<'_> {
    /// Plans a directory and all that is below it. Their depth costs no stack.
    pub fn directory(&mut self, tree: Id, path: &Path) -> Result<(), SnapshotError> {
        let (mut path, mut levels) = (path.to_owned(), Vec::new());
        levels.extend(self.nodes(tree, &path)?);
        while let Some(level) = levels.last_mut() {
            let Some(node) = level.next() else {
                levels.pop();
                path.pop();
                continue;
            };
            path.push(std::ffi::OsStr::from_bytes(&node.name));
            let below = match self.node(node, &path) {
                Some(tree) => self.nodes(tree, &path)?,
                None => None,
            };
            match below {
                Some(level) => levels.push(level),
                None => drop(path.pop()),
            }
        }
        Ok(())
    }

    /// Returns what is in a directory, or nothing if it is lost. Its neighbours are not lost with
    /// it.
    fn nodes(&mut self, tree: Id, path: &Path) -> Result<Option<IntoIter<Node>>, SnapshotError> {
        match self.trees.load(tree) {
            Ok(tree) => Ok(Some(tree.nodes.into_iter())),
            Err(error @ (SnapshotError::Store { .. } | SnapshotError::List { .. })) => Err(error),
            Err(error) => {
                self.teller.error(path, &error);
                Ok(None)
            }
        }
    }

    /// Plans what has a name. Gives the tree of a directory, which is to be planned next.
    pub fn node(&mut self, node: Node, path: &Path) -> Option<Id> {
        let full = inside(path);
        let depth = full.iter().filter(|&&byte| byte == b'/').count();
        while self.on_the_way.pop_if(|(above, _)| *above >= depth).is_some() {}
        let (include, exclude): (&Patterns, &Patterns) =
            (&self.options.include, &self.options.exclude);
        let wanted = include.is_empty() || include.matches(&full);
        if !exclude.is_empty() && exclude.matches(&full) {
            return None;
        }
        let writes = !self.options.dry_run;
        match node.kind {
            NodeKind::Dir if wanted || include.may_match_below(&full) => {
                let tree = node.subtree.expect("a tree was refused that lacks it");
                if wanted {
                    self.reach(path);
                    self.later.directory_count += 1;
                    if writes {
                        self.later.directories.push(path, node);
                    }
                } else {
                    self.on_the_way.push((depth, node));
                }
                return Some(tree);
            }
            NodeKind::File if wanted => {
                self.reach(path);
                self.file(node, path.to_owned());
            }
            NodeKind::Symlink | NodeKind::Dev | NodeKind::Chardev | NodeKind::Fifo if wanted => {
                self.reach(path);
                self.progress.total_files.fetch_add(1, Ordering::Relaxed);
                if writes {
                    self.later.others.push((path.to_owned(), node));
                }
            }
            NodeKind::Socket | NodeKind::Irregular if wanted => {
                self.teller.warning(&format!("{}: there is no way to restore it", path.display()));
            }
            _ => {}
        }
        None
    }

    /// Has the directories restored that lead to something wanted: they get their attributes too.
    fn reach(&mut self, path: &Path) {
        if self.on_the_way.is_empty() {
            return;
        }
        // The path itself comes last, and the empty path of the target first.
        let mut places: Vec<&Path> = path.ancestors().collect();
        places.reverse();
        for (depth, node) in self.on_the_way.drain(..) {
            self.later.directory_count += 1;
            if !self.options.dry_run {
                self.later.directories.push(places[depth], node);
            }
        }
    }

    fn file(&mut self, node: Node, path: PathBuf) {
        let inode = (node.device_id, node.inode);
        let linked = node.links > 1 && node.inode != 0;
        self.progress.total_files.fetch_add(1, Ordering::Relaxed);
        if let Some(first) = self.first_names.get(&inode).filter(|_| linked) {
            if !self.options.dry_run {
                self.later.links.push((path, Arc::clone(first)));
            }
            return;
        }
        let blobs = node.blobs().to_vec();
        let sizes: Option<Vec<u64>> = blobs
            .iter()
            .map(|id| self.index.find(BlobKind::Data, id).map(|location| location.size()))
            .collect();
        let size = node.size;
        let file = Arc::new(FileJob::new(path, node));
        if linked {
            self.first_names.insert(inode, Arc::clone(&file));
        }
        let Some(sizes) = sizes else {
            file.fail();
            let missing = blobs.iter().find(|id| self.index.find(BlobKind::Data, id).is_none());
            let blob = *missing.expect("one had no size");
            let error = SnapshotError::Missing { blob, kind: BlobKind::Data.name() };
            return self.teller.error(&file.path, &error);
        };
        let sum: u64 = sizes.iter().sum();
        if sum != size {
            file.fail();
            let text = format!("its parts have {sum} bytes, and it had {size}");
            return self.teller.error(&file.path, &SnapshotError::Other(text));
        }
        self.progress.total_bytes.fetch_add(size, Ordering::Relaxed);
        self.parts(&file, &blobs, &sizes);
    }

    /// Adds a file to batches, a large one in several parts.
    fn parts(&mut self, file: &Arc<FileJob>, blobs: &[Id], sizes: &[u64]) {
        let (mut offset, mut first, mut len) = (0, 0, 0);
        let mut parts = Vec::new();
        for (at, size) in sizes.iter().enumerate() {
            len += size;
            if len >= BATCH {
                let blobs = blobs[first..=at].to_vec();
                parts.push((Part { file: Arc::clone(file), offset, blobs }, len));
                (offset, first, len) = (offset + len, at + 1, 0);
            }
        }
        if first < blobs.len() || parts.is_empty() {
            let blobs = blobs[first..].to_vec();
            parts.push((Part { file: Arc::clone(file), offset, blobs }, len));
        }
        file.expect(parts.len());
        for (part, len) in parts {
            self.batch.push(part);
            self.bytes += len;
            if self.bytes >= BATCH || self.batch.len() >= FILES {
                self.flush();
            }
        }
    }

    /// Hands the batch out.
    pub fn flush(&mut self) -> bool {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        batch.is_empty() || (self.send)(batch)
    }
}
