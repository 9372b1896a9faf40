//! Trees: directories, each a blob of JSON.

use std::fmt;
use std::sync::Arc;

use serde::de::{
    self, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;
use crate::id::Id;
use crate::json::to_json;
use crate::node::{Node, NodeKind, null_is_default};
use crate::repository::{BlobKind, Compression, Index, PackCache, Repository, Tools};

/// Bytes that a node of a tree has at least: a name, a type and three times, as restic writes them,
/// have more. In memory a node takes several times as many, so that a tree of shorter ones could
/// take many times its size.
const SHORTEST: usize = 64;
/// Nodes that a tree may have however short they are.
const SMALL: usize = 1 << 16;

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
        let most = SMALL.max(blob.len() / SHORTEST);
        let mut json = serde_json::Deserializer::from_slice(blob);
        let nodes = WholeTree(most).deserialize(&mut json).and_then(|nodes| {
            json.end()?;
            Ok(nodes)
        });
        let tree = Tree { nodes: nodes.map_err(|error| error.to_string())? };
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

/// Reads a tree of at most so many nodes.
struct WholeTree(usize);

impl<'de> DeserializeSeed<'de> for WholeTree {
    type Value = Vec<Node>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Node>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for WholeTree {
    type Value = Vec<Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tree")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Node>, A::Error> {
        let mut nodes = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "nodes" {
                map.next_value::<IgnoredAny>()?;
            } else if nodes.replace(map.next_value_seed(Nodes(self.0))?).is_some() {
                return Err(A::Error::duplicate_field("nodes"));
            }
        }
        Ok(nodes.unwrap_or_default())
    }
}

/// Reads at most so many nodes; `null` is none.
struct Nodes(usize);

impl<'de> DeserializeSeed<'de> for Nodes {
    type Value = Vec<Node>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Node>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nodes {
    type Value = Vec<Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes, or null")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Vec<Node>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Node>, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            if nodes.len() == self.0 {
                let most = self.0;
                return Err(A::Error::custom(format_args!(
                    "the tree has more nodes than its bytes allow; valid: at most {most}"
                )));
            }
            nodes.push(node);
        }
        Ok(nodes)
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
    fn a_tree_has_no_more_nodes_than_its_bytes_allow() {
        let tree = |count: usize, name: &str| {
            let node = format!("{{\"name\":\"{name}\",\"type\":\"file\"}}");
            format!("{{\"nodes\":[{}]}}", vec![node; count].join(",")).into_bytes()
        };
        assert_eq!(Tree::from_blob(&tree(SMALL, "a")).map(|tree| tree.nodes.len()), Ok(SMALL));
        let error = Tree::from_blob(&tree(SMALL + 1, "a")).expect_err("its nodes are short");
        assert!(error.contains("valid: at most 65536"), "{error}");
        let long = Tree::from_blob(&tree(SMALL + 1, &"a".repeat(40)));
        assert_eq!(long.map(|tree| tree.nodes.len()), Ok(SMALL + 1));
        assert!(Tree::from_blob(b"{\"nodes\":[],\"nodes\":[]}").is_err());
        assert!(Tree::from_blob(b"{\"nodes\":[]} {}").is_err());
    }

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
