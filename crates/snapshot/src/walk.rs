//! Walks through the trees of snapshots.

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::tree::Trees;

/// Gets a path and what is there; says of a directory whether to go into it.
pub type Visit<'v> = dyn FnMut(&[u8], &Node) -> Result<bool, SnapshotError> + 'v;

/// Visits all that is below a tree, each directory before what is in it.
///
/// # Errors
/// What the store says, damage, and what `visit` says.
pub fn walk(
    trees: &mut Trees<'_>,
    root: Id,
    path: &[u8],
    visit: &mut Visit<'_>,
) -> Result<(), SnapshotError> {
    for node in trees.load(root)?.nodes {
        let mut path = path.to_vec();
        path.push(b'/');
        path.extend_from_slice(&node.name);
        let deeper = visit(&path, &node)?;
        if let (NodeKind::Dir, Some(tree), true) = (node.kind, node.subtree, deeper) {
            walk(trees, tree, &path, visit)?;
        }
    }
    Ok(())
}
