//! What differs between two snapshots.

use std::collections::HashSet;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::repository::{BlobKind, Index};
use crate::tree::Trees;

/// How something differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is only in the second.
    Added,
    /// It is only in the first.
    Removed,
    /// Its content differs.
    Content,
    /// Its attributes differ, and its content does not.
    Attributes,
    /// It is something else.
    Kind,
}

impl Change {
    /// restic's letter.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Change::Added => '+',
            Change::Removed => '-',
            Change::Content => 'M',
            Change::Attributes => 'U',
            Change::Kind => 'T',
        }
    }
}

/// What is only in one of two snapshots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OneSide {
    /// Files.
    pub files: u64,
    /// Directories.
    pub dirs: u64,
    /// Anything else.
    pub others: u64,
    /// Blobs of data.
    pub data_blobs: u64,
    /// Trees.
    pub tree_blobs: u64,
    /// Bytes of these blobs.
    pub bytes: u64,
}

/// How much differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Differences {
    /// Files that are in both and differ in content.
    pub changed_files: u64,
    /// What only the second has.
    pub added: OneSide,
    /// What only the first has.
    pub removed: OneSide,
}

struct Comparison<'c, 't> {
    trees: &'c mut Trees<'t>,
    tell: &'c mut dyn FnMut(Change, &[u8], NodeKind),
    attributes: bool,
    differences: Differences,
    blobs: [HashSet<(BlobKind, Id)>; 2],
}

/// Compares two trees, and tells what differs. `attributes`: also where only they do.
///
/// # Errors
/// What the store says, and damage.
pub fn diff(
    trees: &mut Trees<'_>,
    index: &Index,
    (first, second): (Id, Id),
    attributes: bool,
    tell: &mut dyn FnMut(Change, &[u8], NodeKind),
) -> Result<Differences, SnapshotError> {
    let mut comparison = Comparison {
        trees,
        tell,
        attributes,
        differences: Differences::default(),
        blobs: Default::default(),
    };
    comparison.trees_differ(first, second, b"")?;
    let [only_first, only_second] = comparison.blobs;
    let mut differences = comparison.differences;
    for (side, one, other) in [
        (&mut differences.removed, &only_first, &only_second),
        (&mut differences.added, &only_second, &only_first),
    ] {
        for &(kind, id) in one.difference(other) {
            match kind {
                BlobKind::Data => side.data_blobs += 1,
                BlobKind::Tree => side.tree_blobs += 1,
            }
            side.bytes += index.find(kind, &id).map_or(0, |location| location.size());
        }
    }
    Ok(differences)
}

fn path_of(path: &[u8], node: &Node) -> Vec<u8> {
    let mut path = path.to_vec();
    path.push(b'/');
    path.extend_from_slice(&node.name);
    path
}

impl Comparison<'_, '_> {
    fn trees_differ(&mut self, first: Id, second: Id, path: &[u8]) -> Result<(), SnapshotError> {
        for (side, id) in [first, second].into_iter().enumerate() {
            self.blobs[side].insert((BlobKind::Tree, id));
        }
        if first == second {
            return Ok(());
        }
        let (first, second) = (self.trees.load(first)?, self.trees.load(second)?);
        let (mut left, mut right) = (first.nodes.iter().peekable(), second.nodes.iter().peekable());
        loop {
            let (old, new) = match (left.peek(), right.peek()) {
                (None, None) => return Ok(()),
                (Some(old), Some(new)) if old.name == new.name => (left.next(), right.next()),
                (Some(old), Some(new)) if old.name < new.name => (left.next(), None),
                (Some(_), None) => (left.next(), None),
                _ => (None, right.next()),
            };
            match (old, new) {
                (Some(old), Some(new)) => self.nodes_differ(old, new, &path_of(path, new))?,
                (Some(old), None) => self.only(0, old, &path_of(path, old))?,
                (None, Some(new)) => self.only(1, new, &path_of(path, new))?,
                (None, None) => return Ok(()),
            }
        }
    }

    fn nodes_differ(&mut self, old: &Node, new: &Node, path: &[u8]) -> Result<(), SnapshotError> {
        for (side, node) in [old, new].into_iter().enumerate() {
            self.blobs[side].extend(node.blobs().iter().map(|id| (BlobKind::Data, *id)));
        }
        let differs = if old.kind != new.kind {
            Some(Change::Kind)
        } else if old.kind == NodeKind::File && old.content != new.content {
            self.differences.changed_files += 1;
            Some(Change::Content)
        } else if self.attributes && !old.same_attributes(new) {
            Some(Change::Attributes)
        } else {
            None
        };
        if let Some(change) = differs {
            (self.tell)(change, path, new.kind);
        }
        match (old.subtree, new.subtree) {
            (Some(first), Some(second)) => self.trees_differ(first, second, path),
            (Some(tree), None) => self.below(0, tree, path),
            (None, Some(tree)) => self.below(1, tree, path),
            (None, None) => Ok(()),
        }
    }

    /// What only one side has.
    fn only(&mut self, side: usize, node: &Node, path: &[u8]) -> Result<(), SnapshotError> {
        let differences = &mut self.differences;
        let (count, change) = match side {
            0 => (&mut differences.removed, Change::Removed),
            _ => (&mut differences.added, Change::Added),
        };
        match node.kind {
            NodeKind::File => count.files += 1,
            NodeKind::Dir => count.dirs += 1,
            _ => count.others += 1,
        }
        (self.tell)(change, path, node.kind);
        self.blobs[side].extend(node.blobs().iter().map(|id| (BlobKind::Data, *id)));
        node.subtree.map_or(Ok(()), |tree| self.below(side, tree, path))
    }

    fn below(&mut self, side: usize, tree: Id, path: &[u8]) -> Result<(), SnapshotError> {
        self.blobs[side].insert((BlobKind::Tree, tree));
        for node in self.trees.load(tree)?.nodes {
            self.only(side, &node, &path_of(path, &node))?;
        }
        Ok(())
    }
}
