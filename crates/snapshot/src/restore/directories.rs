//! Directories whose attributes are set last: a deep tree has long paths, which have most in common
//! with their neighbours.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::node::Node;

/// Directories with their nodes, in the order in which they were added.
#[derive(Default)]
pub struct Directories {
    /// The path that was added last.
    last: Vec<u8>,
    list: Vec<Directory>,
}

struct Directory {
    node: Node,
    /// Bytes that the path has in common with the next one.
    shared: usize,
    /// The bytes behind them.
    rest: Box<[u8]>,
}

impl Directories {
    /// Adds a directory.
    pub fn push(&mut self, path: &Path, node: Node) {
        let path = path.as_os_str().as_bytes();
        let same = self.last.iter().zip(path).take_while(|(old, new)| old == new).count();
        if let Some(before) = self.list.last_mut() {
            (before.shared, before.rest) = (same, self.last[same..].into());
        }
        self.last.truncate(same);
        self.last.extend_from_slice(&path[same..]);
        self.list.push(Directory { node, shared: 0, rest: Box::default() });
    }

    /// Visits the directories backwards: each one after those that were added later.
    pub fn backwards(&self, mut visit: impl FnMut(&Path, &Node)) {
        let mut path = self.last.clone();
        for (behind, directory) in self.list.iter().rev().enumerate() {
            if behind > 0 {
                path.truncate(directory.shared);
                path.extend_from_slice(&directory.rest);
            }
            visit(Path::new(OsStr::from_bytes(&path)), &directory.node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodeKind;

    #[test]
    fn directories_come_back_in_reverse() {
        let mut directories = Directories::default();
        let paths = ["a", "a/b", "a/b/c", "a/d", "ab", "", "x/y/z"];
        for path in paths {
            directories.push(Path::new(path), Node::new(path.into(), NodeKind::Dir));
        }
        let mut back = Vec::new();
        directories.backwards(|path, node| {
            assert_eq!(path.as_os_str().as_bytes(), node.name);
            back.push(path.to_str().expect("it is text").to_owned());
        });
        back.reverse();
        assert_eq!(back, paths);
    }
}
