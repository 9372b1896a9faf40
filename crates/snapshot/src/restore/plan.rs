//! What is to be restored: directories, files in batches, links, and the rest.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// What is restored after all files.
#[derive(Default)]
pub struct Later {
    /// Directories, each behind the one it is in.
    pub directories: Vec<(PathBuf, Node)>,
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
    /// Plans a directory.
    pub fn directory(&mut self, tree: Id, path: &Path) -> Result<(), SnapshotError> {
        let tree = match self.trees.load(tree) {
            Ok(tree) => tree,
            // The directory is lost, its neighbours are not.
            Err(error @ (SnapshotError::Store { .. } | SnapshotError::List { .. })) => {
                return Err(error);
            }
            Err(error) => {
                self.teller.error(path, &error);
                return Ok(());
            }
        };
        for node in tree.nodes {
            let path = path.join(std::ffi::OsStr::from_bytes(&node.name));
            self.node(node, path)?;
        }
        Ok(())
    }

    /// Plans what has a name.
    pub fn node(&mut self, node: Node, path: PathBuf) -> Result<(), SnapshotError> {
        let full = inside(&path);
        let (include, exclude): (&Patterns, &Patterns) =
            (&self.options.include, &self.options.exclude);
        let wanted = include.is_empty() || include.matches(&full);
        if !exclude.is_empty() && exclude.matches(&full) {
            return Ok(());
        }
        match node.kind {
            NodeKind::Dir if wanted || include.may_match_below(&full) => {
                let tree = node.subtree.expect("a tree was refused that lacks it");
                if wanted {
                    self.later.directories.push((path.clone(), node));
                }
                self.directory(tree, &path)?;
            }
            NodeKind::File if wanted => self.file(node, path),
            NodeKind::Symlink | NodeKind::Dev | NodeKind::Chardev | NodeKind::Fifo if wanted => {
                self.progress.total_files.fetch_add(1, Ordering::Relaxed);
                self.later.others.push((path, node));
            }
            NodeKind::Socket | NodeKind::Irregular if wanted => {
                self.teller.warning(&format!("{}: there is no way to restore it", path.display()));
            }
            _ => {}
        }
        Ok(())
    }

    fn file(&mut self, node: Node, path: PathBuf) {
        let inode = (node.device_id, node.inode);
        let linked = node.links > 1 && node.inode != 0;
        self.progress.total_files.fetch_add(1, Ordering::Relaxed);
        if let Some(first) = self.first_names.get(&inode).filter(|_| linked) {
            self.later.links.push((path, Arc::clone(first)));
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
