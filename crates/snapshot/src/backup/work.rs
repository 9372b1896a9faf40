//! What the threads of a backup share.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::attributes::Describer;
use super::directory::{Directory, Previous};
use super::queue::Queue;
use super::{Progress, Report};
use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::Node;
use crate::repository::{BlobKind, Compression, Saver, Tools};
use crate::tree::Tree;

/// Files and directories, by what the parent snapshot has in their places.
#[derive(Default)]
pub struct Counts {
    pub files_new: AtomicU64,
    pub files_changed: AtomicU64,
    pub files_unmodified: AtomicU64,
    pub dirs_new: AtomicU64,
    pub dirs_changed: AtomicU64,
    pub dirs_unmodified: AtomicU64,
    /// Bytes of all files.
    pub bytes: AtomicU64,
}

/// The threads' common ground.
pub struct BackupWork<'w> {
    pub saver: &'w Saver<'w>,
    pub queue: Queue,
    pub describer: Describer,
    pub compression: Compression,
    pub counts: Counts,
    pub progress: &'w Progress,
    pub to: &'w dyn Report,
    /// Something could not be read.
    pub incomplete: AtomicBool,
    /// Something is saved beside the directories that lead to the sources.
    pub has_saved: AtomicBool,
    pub root: Mutex<Option<Id>>,
}

impl BackupWork<'_> {
    /// Reports what could not be read.
    pub fn report(&self, path: &Path, error: io::Error) {
        self.incomplete.store(true, Ordering::Relaxed);
        self.to.error(path, &error);
    }

    /// Notes that a source, or something in one, is saved.
    pub fn note_saved(&self) {
        self.has_saved.store(true, Ordering::Relaxed);
    }

    pub fn set_root(&self, id: Id) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
    }

    pub fn root(&self) -> Option<Id> {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Saves a directory. One that holds the same as before is there already. A snapshot's tree
    /// comes last, and is refused if nothing of the sources is in it.
    pub fn save_tree(
        &self,
        tools: &mut Tools,
        directory: &Directory,
        nodes: Vec<Node>,
    ) -> Result<Id, SnapshotError> {
        if directory.parent.is_none() && !self.has_saved.load(Ordering::Relaxed) {
            return Err(SnapshotError::Empty);
        }
        let same = |previous: &&Previous| previous.nodes == nodes;
        if let Some(previous) = directory.previous.as_ref().filter(same) {
            return Ok(previous.tree);
        }
        let blob = Tree { nodes }.to_blob();
        Ok(self.saver.save(tools, BlobKind::Tree, &[&blob])?[0])
    }

    pub fn count_directory(&self, directory: &Directory, node: &Node) {
        let previous = directory.previous.as_ref().and_then(|previous| previous.node.as_ref());
        let count = match previous {
            None => &self.counts.dirs_new,
            Some(previous) if previous == node => &self.counts.dirs_unmodified,
            Some(_) => &self.counts.dirs_changed,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
