//! Several snapshots made into one, whose tree has the files of all.
//!
//! Parts of a large backup are saved on their own, by several processes or machines. Their trees
//! are merged afterwards: no file is read again.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoValues;
use std::sync::Mutex;
use std::thread;

use crate::error::SnapshotError;
use crate::id::Id;
use crate::node::{Node, NodeKind};
use crate::repository::{
    BlobKind, Compression, Lock, Repository, Saver, Tools, hostname, username,
};
use crate::snapshot::{Snapshot, Snapshots};
use crate::store::Kind;
use crate::time::Time;
use crate::tree::{Tree, Trees};

/// Makes a snapshot of several, and gives its name. `paths` and `tags` describe it.
///
/// A directory that several of them have gets the names of all. Where two have another file of the
/// same name, the later one of the list counts.
///
/// # Errors
/// A list without snapshots, and what the repository says.
pub fn merge(
    repository: &Repository,
    lock: &Lock,
    snapshots: &[Id],
    paths: Vec<String>,
    tags: Vec<String>,
) -> Result<Id, SnapshotError> {
    let load = |&id: &Id| Ok(Snapshots::load(repository, id)?.file.tree);
    let roots = snapshots.iter().map(load).collect::<Result<Vec<Id>, SnapshotError>>()?;
    if roots.is_empty() {
        return Err(SnapshotError::Selection("there is no snapshot to merge".to_owned()));
    }
    let index = repository.index()?;
    let (saver, packs) = Saver::new(repository, &index, Compression::Auto, false, 2);
    let packs = Mutex::new(packs);
    let (trees, tools) = (Trees::new(repository, &index)?, Tools::new(Compression::Auto)?);
    let mut merger = Merger { saver: &saver, trees, tools };
    let root = thread::scope(|scope| {
        let root = saver.start(scope, &packs).and_then(|()| merger.merged(roots));
        saver.close(&mut merger.tools);
        root
    });
    let saved = saver.finish();
    let tree = root?;
    saved?;
    lock.check()?;
    let snapshot = Snapshot {
        time: Time::now(),
        parent: None,
        tree,
        paths,
        hostname: hostname(),
        username: username(),
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        excludes: Vec::new(),
        tags,
        original: None,
        program_version: format!("broadloom {}", env!("CARGO_PKG_VERSION")),
    };
    repository.save_json(Kind::Snapshot, &snapshot)
}

struct Merger<'m> {
    saver: &'m Saver<'m>,
    trees: Trees<'m>,
    tools: Tools,
}

/// A directory whose tree is being merged.
struct Level {
    /// What is left to merge: a node of each name, and the trees that it has.
    rest: IntoValues<Vec<u8>, (Node, Vec<Id>)>,
    /// What is merged.
    nodes: Vec<Node>,
    /// The node whose trees are merged in the level above.
    waiting: Option<Node>,
}

/// What the trees of a directory become.
enum Merging {
    /// This tree, which they all are.
    Known(Id),
    /// What is made of them.
    Begun(Box<Level>),
}

impl Merger<'_> {
    /// The tree that has what all trees have. A later one counts more. Their depth costs no stack.
    fn merged(&mut self, trees: Vec<Id>) -> Result<Id, SnapshotError> {
        let (mut levels, mut next) = (Vec::<Level>::new(), self.begun(trees)?);
        loop {
            match next {
                Merging::Begun(level) => levels.push(*level),
                Merging::Known(tree) => {
                    let Some(level) = levels.last_mut() else { return Ok(tree) };
                    let mut node = level.waiting.take().expect("its trees were merged");
                    node.subtree = Some(tree);
                    level.nodes.push(node);
                }
            }
            next = loop {
                let level = levels.last_mut().expect("a level is left as long as no tree is known");
                match level.rest.next() {
                    Some((node, below)) if below.is_empty() => level.nodes.push(node),
                    Some((node, below)) => {
                        level.waiting = Some(node);
                        break self.begun(below)?;
                    }
                    None => {
                        let nodes = std::mem::take(&mut level.nodes);
                        levels.pop();
                        let blob = Tree { nodes }.to_blob();
                        let ids = self.saver.save(&mut self.tools, BlobKind::Tree, &[&blob])?;
                        break Merging::Known(ids[0]);
                    }
                }
            };
        }
    }

    /// Begins to merge trees, of which there is at least one.
    fn begun(&mut self, mut trees: Vec<Id>) -> Result<Merging, SnapshotError> {
        let last = trees.pop().expect("a directory has a tree");
        trees.retain(|&tree| tree != last);
        if trees.is_empty() {
            return Ok(Merging::Known(last));
        }
        trees.push(last);
        let mut names: BTreeMap<Vec<u8>, (Node, Vec<Id>)> = BTreeMap::new();
        for tree in trees {
            for node in self.trees.load(tree)?.nodes {
                let below = node.subtree.filter(|_| node.kind == NodeKind::Dir);
                match names.get_mut(&node.name) {
                    Some((known, trees)) => {
                        match below {
                            Some(tree) => trees.push(tree),
                            // A file in the place of a directory ends it.
                            None => trees.clear(),
                        }
                        *known = node;
                    }
                    None => {
                        names.insert(node.name.clone(), (node, below.into_iter().collect()));
                    }
                }
            }
        }
        let (rest, nodes) = (names.into_values(), Vec::new());
        Ok(Merging::Begun(Box::new(Level { rest, nodes, waiting: None })))
    }
}
