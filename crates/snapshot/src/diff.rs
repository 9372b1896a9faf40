//! What differs between two snapshots.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::iter::Peekable;
use std::vec::IntoIter;

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
    comparison.run(first, second)?;
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

/// A directory of both sides on the way to what is compared; it may be on one side alone.
struct Level {
    old: Peekable<IntoIter<Node>>,
    new: Peekable<IntoIter<Node>>,
    /// The length of its path in bytes.
    path: usize,
}

impl Level {
    /// Takes the next name's nodes out: of the old side, of the new one, or of both.
    fn next(&mut self) -> (Option<Node>, Option<Node>) {
        let order = match (self.old.peek(), self.new.peek()) {
            (Some(old), Some(new)) => old.name.cmp(&new.name),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match order {
            Ordering::Equal => (self.old.next(), self.new.next()),
            Ordering::Less => (self.old.next(), None),
            Ordering::Greater => (None, self.new.next()),
        }
    }
}

impl Comparison<'_, '_> {
    /// Compares two trees, and all that is below them. Their depth costs no stack.
    fn run(&mut self, first: Id, second: Id) -> Result<(), SnapshotError> {
        let (mut path, mut levels) = (Vec::new(), Vec::new());
        levels.extend(self.level([Some(first), Some(second)], 0)?);
        while let Some(level) = levels.last_mut() {
            path.truncate(level.path);
            let (old, new) = level.next();
            let Some(either) = new.as_ref().or(old.as_ref()) else {
                levels.pop();
                continue;
            };
            path.push(b'/');
            path.extend_from_slice(&either.name);
            match (&old, &new) {
                (Some(old), Some(new)) => self.nodes_differ(old, new, &path),
                (Some(_), None) => self.only(0, either, &path),
                _ => self.only(1, either, &path),
            }
            let trees = [old, new].map(|node| node.and_then(|node| node.subtree));
            levels.extend(self.level(trees, path.len())?);
        }
        Ok(())
    }

    /// The level of the trees of a name; `None` where there are none, or the same.
    fn level(
        &mut self,
        trees: [Option<Id>; 2],
        path: usize,
    ) -> Result<Option<Level>, SnapshotError> {
        for (blobs, tree) in self.blobs.iter_mut().zip(trees) {
            blobs.extend(tree.map(|id| (BlobKind::Tree, id)));
        }
        if trees[0] == trees[1] {
            return Ok(None);
        }
        let mut nodes = |tree: Option<Id>| -> Result<_, SnapshotError> {
            let nodes = tree.map_or(Ok(Vec::new()), |id| Ok(self.trees.load(id)?.nodes));
            nodes.map(|nodes| nodes.into_iter().peekable())
        };
        Ok(Some(Level { old: nodes(trees[0])?, new: nodes(trees[1])?, path }))
    }

    fn nodes_differ(&mut self, old: &Node, new: &Node, path: &[u8]) {
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
    }

    /// Reports what only one side has.
    fn only(&mut self, side: usize, node: &Node, path: &[u8]) {
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
    }
}
