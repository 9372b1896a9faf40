//! Directories whose nodes come in as threads complete them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::id::Id;
use crate::node::Node;

/// What the parent snapshot has in a directory's place.
pub struct Previous {
    /// The directory's own node; the tree of a snapshot has none.
    pub node: Option<Node>,
    /// Its tree.
    pub tree: Id,
    /// What the tree holds, in the order of names.
    pub nodes: Vec<Node>,
}

impl Previous {
    /// The node of a name.
    pub fn find(&self, name: &[u8]) -> Option<&Node> {
        let found = self.nodes.binary_search_by(|node| node.name[..].cmp(name));
        found.ok().map(|at| &self.nodes[at])
    }
}

/// A directory of which not all nodes are known.
pub struct Directory {
    /// The directory above, and the place there; the tree of a snapshot has none.
    pub parent: Option<(Arc<Directory>, usize)>,
    /// Its own node, without its tree.
    pub node: Option<Node>,
    /// What the parent snapshot has.
    pub previous: Option<Previous>,
    state: Mutex<DirectoryState>,
}

struct DirectoryState {
    nodes: Vec<Option<Node>>,
    /// Places without a node, and one more while places are still added.
    missing: usize,
}

impl Directory {
    /// A directory to which places are added until it is [sealed](Self::seal).
    pub fn new(
        parent: Option<(Arc<Directory>, usize)>,
        node: Option<Node>,
        previous: Option<Previous>,
    ) -> Arc<Directory> {
        let state = Mutex::new(DirectoryState { nodes: Vec::new(), missing: 1 });
        Arc::new(Directory { parent, node, previous, state })
    }

    /// Adds a place for a node that comes later.
    pub fn reserve(&self) -> usize {
        self.with(|state| {
            state.nodes.push(None);
            state.missing += 1;
            state.nodes.len() - 1
        })
    }

    /// Adds a node.
    pub fn push(&self, node: Node) {
        self.with(|state| state.nodes.push(Some(node)));
    }

    /// Puts a node in its place, or nothing if it could not be saved. Gives all nodes if that was
    /// the last.
    pub fn put(&self, place: usize, node: Option<Node>) -> Option<Vec<Node>> {
        self.with(|state| {
            state.nodes[place] = node;
            state.complete()
        })
    }

    /// Says that no more places are added. Gives all nodes if none is missing.
    pub fn seal(&self) -> Option<Vec<Node>> {
        self.with(DirectoryState::complete)
    }

    fn with<T>(&self, change: impl FnOnce(&mut DirectoryState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Directories that hold one another are dropped one by one, so that their depth costs no stack.
impl Drop for Directory {
    fn drop(&mut self) {
        let mut above = self.parent.take();
        while let Some(mut directory) = above.and_then(|(parent, _)| Arc::into_inner(parent)) {
            above = directory.parent.take();
        }
    }
}

impl DirectoryState {
    fn complete(&mut self) -> Option<Vec<Node>> {
        self.missing -= 1;
        (self.missing == 0).then(|| std::mem::take(&mut self.nodes).into_iter().flatten().collect())
    }
}
