//! Walks through the trees of snapshots.

use std::vec::IntoIter;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::tree::Trees;

/// Gets a path and what is there; says of a directory whether to go into it.
pub type Visit<'v> = dyn FnMut(&[u8], &Node) -> Result<bool, SnapshotError> + 'v;

/// A directory on the way to what is visited.
struct Level {
    /// What is still to be visited there.
    nodes: IntoIter<Node>,
    /// The length of its path in bytes.
    path: usize,
}

/// Visits all that is below a tree, each directory before what is in it. The depth of a tree costs
/// memory, but no stack.
///
/// # Errors
/// What the store says, damage, and what `visit` says.
pub fn walk(
    trees: &mut Trees<'_>,
    root: Id,
    path: &[u8],
    visit: &mut Visit<'_>,
) -> Result<(), SnapshotError> {
    let mut path = path.to_vec();
    let mut levels = vec![Level { nodes: trees.load(root)?.nodes.into_iter(), path: path.len() }];
    while let Some(level) = levels.last_mut() {
        path.truncate(level.path);
        let Some(node) = level.nodes.next() else {
            levels.pop();
            continue;
        };
        path.push(b'/');
        path.extend_from_slice(&node.name);
        let deeper = visit(&path, &node)?;
        if let (NodeKind::Dir, Some(tree), true) = (node.kind, node.subtree, deeper) {
            levels.push(Level { nodes: trees.load(tree)?.nodes.into_iter(), path: path.len() });
        }
    }
    Ok(())
}
