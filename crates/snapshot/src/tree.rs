//! Trees: directories, each a blob of JSON.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;
use crate::id::Id;
use crate::json::to_json;
use crate::node::{Node, NodeKind, null_is_default};
use crate::repository::{BlobKind, Compression, Index, PackCache, Repository, Tools};

/// A directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// What it holds, in the order of the names' bytes.
    #[serde(default, deserialize_with = "null_is_default")]
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The blob.
    #[must_use]
    pub fn to_blob(&self) -> Vec<u8> {
        let mut text = to_json(self);
        text.push(b'\n');
        text
    }

    /// The tree of a blob.
    ///
    /// # Errors
    /// What is wrong, in words: what is no JSON of a tree, a name that leads elsewhere, a
    /// directory without a tree.
    pub fn from_blob(blob: &[u8]) -> Result<Tree, String> {
        let tree: Tree = serde_json::from_slice(blob).map_err(|error| error.to_string())?;
        for node in &tree.nodes {
            if let Some(reason) = wrong_name(&node.name) {
                return Err(reason);
            }
            if node.kind == NodeKind::Dir && node.subtree.is_none() {
                return Err(format!("the directory {} has no tree", shown(&node.name)));
            }
        }
        Ok(tree)
    }

    /// The node with a name.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<&Node> {
        // restic keeps the order, but nothing makes another writer keep it.
        match self.nodes.binary_search_by(|node| node.name[..].cmp(name)) {
            Ok(at) => Some(&self.nodes[at]),
            Err(_) => self.nodes.iter().find(|node| node.name == name),
        }
    }
}

/// Why a name would lead out of its directory.
fn wrong_name(name: &[u8]) -> Option<String> {
    let leads = matches!(name, b"" | b"." | b"..") || name.iter().any(|byte| b"/\0".contains(byte));
    leads.then(|| format!("{} is no name of a file", shown(name)))
}

/// A name for messages.
pub(crate) fn shown(name: &[u8]) -> String {
    format!("\"{}\"", crate::json::quote(name))
}

/// Reads trees, most of which lie close together.
pub struct Trees<'r> {
    repository: &'r Repository,
    index: &'r Index,
    cache: PackCache,
    tools: Tools,
}

impl<'r> Trees<'r> {
    /// A reader of a repository's trees.
    ///
    /// # Errors
    /// If zstd has no memory.
    pub fn new(repository: &'r Repository, index: &'r Index) -> Result<Trees<'r>, SnapshotError> {
        let (cache, tools) = (PackCache::default(), Tools::new(Compression::Auto)?);
        Ok(Trees { repository, index, cache, tools })
    }

    /// Reads a tree.
    ///
    /// # Errors
    /// What the store says, and damage.
    pub fn load(&mut self, id: Id) -> Result<Tree, SnapshotError> {
        let (cache, tools) = (&mut self.cache, &mut self.tools);
        let blob = self.repository.cached_blob(self.index, BlobKind::Tree, id, cache, tools)?;
        Tree::from_blob(&blob).map_err(|reason| SnapshotError::Tree { tree: id, reason })
    }

    /// The tree or the node at a path below a tree; an empty path is the tree itself.
    ///
    /// # Errors
    /// A path that is not there, and as [`load`](Self::load).
    pub fn at(&mut self, root: Id, path: &[u8]) -> Result<Place, SnapshotError> {
        let mut place = Place::Tree(root);
        let mut so_far = Vec::new();
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            so_far.push(b'/');
            so_far.extend_from_slice(name);
            let missing = || {
                let text = format!("{} is not in the snapshot", shown(&so_far));
                SnapshotError::Selection(text)
            };
            let tree = place.tree().ok_or_else(missing)?;
            let node = self.load(tree)?.find(name).cloned().ok_or_else(missing)?;
            place = Place::Node(Arc::new(node));
        }
        Ok(place)
    }
}

/// What a path leads to.
#[derive(Debug, Clone)]
pub enum Place {
    /// The tree of a snapshot.
    Tree(Id),
    /// Anything below it.
    Node(Arc<Node>),
}

impl Place {
    /// The tree, if it is a directory.
    #[must_use]
    pub fn tree(&self) -> Option<Id> {
        match self {
            Place::Tree(id) => Some(*id),
            Place::Node(node) => node.subtree.filter(|_| node.kind == NodeKind::Dir),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_the_bytes_of_restic() {
        assert_eq!(Tree::default().to_blob(), b"{\"nodes\":[]}\n");
        assert_eq!(Tree::from_blob(b"{\"nodes\":null}"), Ok(Tree::default()));
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["", ".", "..", "a/b", "a\0b", "../x"] {
            let tree = Tree { nodes: vec![Node::new(name.into(), NodeKind::File)] };
            assert!(Tree::from_blob(&tree.to_blob()).is_err(), "{name:?}");
        }
        let tree = Tree { nodes: vec![Node::new(b"d".to_vec(), NodeKind::Dir)] };
        assert!(Tree::from_blob(&tree.to_blob()).is_err());
    }
}
