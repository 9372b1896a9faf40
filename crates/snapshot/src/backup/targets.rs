//! What is to be saved, as a tree: `/a/b` and `/a/c` share the directory `a`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::error::SnapshotError;

/// A name in the tree.
#[derive(Debug, PartialEq, Eq)]
pub enum Target {
    /// All that is there.
    Whole(PathBuf),
    /// A directory, of which only some names are saved.
    Part(PathBuf, Targets),
}

/// Names, in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Targets(pub BTreeMap<Vec<u8>, Target>);

impl Targets {
    /// The tree of some paths. A path without a name of its own (`.`, `/`, `..`) stands for the
    /// names in it; one that cannot be listed is reported and left out.
    pub fn new(
        paths: &[PathBuf],
        report: &mut dyn FnMut(&Path, io::Error),
    ) -> Result<Targets, SnapshotError> {
        let mut targets = Targets::default();
        for path in paths {
            let path = clean(path);
            if names(&path).is_empty() {
                let read = |entry: io::Result<fs::DirEntry>| entry.map(|entry| entry.file_name());
                let entries: io::Result<Vec<OsString>> =
                    fs::read_dir(&path).and_then(|entries| entries.map(read).collect());
                match entries {
                    Ok(entries) => {
                        entries.iter().try_for_each(|name| targets.add(&path.join(name)))?;
                    }
                    Err(error) => report(&path, error),
                }
            } else {
                targets.add(&path)?;
            }
        }
        Ok(targets)
    }

    fn add(&mut self, path: &Path) -> Result<(), SnapshotError> {
        let names = names(path);
        let mut targets = self;
        for (depth, name) in names.iter().enumerate() {
            let up = names.len() - 1 - depth;
            let place = path.ancestors().nth(up).expect("a name for each component");
            let slot = targets.0.entry(name.clone());
            if up == 0 {
                let whole = Target::Whole(path.to_owned());
                match slot.or_insert(Target::Whole(path.to_owned())) {
                    Target::Whole(other) | Target::Part(other, _) if other != path => {
                        return Err(clash(other, path));
                    }
                    target => *target = whole,
                }
                return Ok(());
            }
            match slot.or_insert_with(|| Target::Part(place.to_owned(), Targets::default())) {
                Target::Whole(other) | Target::Part(other, _) if other != place => {
                    return Err(clash(other, place));
                }
                Target::Whole(_) => return Ok(()),
                Target::Part(_, below) => targets = below,
            }
        }
        Ok(())
    }
}

fn clash(one: &Path, other: &Path) -> SnapshotError {
    let text = format!(
        "{} and {} have the same place in a snapshot; valid: absolute paths",
        one.display(),
        other.display()
    );
    SnapshotError::Other(text)
}

/// The names of a path, without what leads up or to the root.
fn names(path: &Path) -> Vec<Vec<u8>> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.as_bytes().to_vec()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

/// The path without `.`, and with each `..` behind a name taken together with the name, as Go does.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match cleaned.components().next_back() {
                Some(Component::Normal(_)) => {
                    cleaned.pop();
                }
                Some(Component::RootDir) => {}
                _ => cleaned.push(".."),
            },
            component => cleaned.push(component),
        }
    }
    if cleaned.as_os_str().is_empty() {
        cleaned.push(".");
    }
    cleaned
}

/// The path from the root, as a snapshot names it.
pub fn absolute(path: &Path) -> Result<PathBuf, SnapshotError> {
    let absolute = std::path::absolute(path);
    Ok(clean(&absolute.map_err(|error| SnapshotError::path(path, error))?))
}

/// The names of a stream's path in a snapshot, from the root.
pub fn stream_names(path: &str) -> Result<Vec<String>, SnapshotError> {
    let names = names(&clean(&Path::new("/").join(path)));
    if names.is_empty() || path.contains('\0') {
        let text = format!("the stream has the name {path:?}; valid: such as dump.sql or a/b");
        return Err(SnapshotError::Other(text));
    }
    Ok(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// A path from the root, joined with a name.
pub fn below(path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = path.to_vec();
    if joined.last() != Some(&b'/') {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_share_their_directories() {
        let paths = ["/a/b", "/a/./c/", "/a/b/x", "/d/../e"].map(PathBuf::from);
        let targets = |paths: &[PathBuf]| Targets::new(paths, &mut |_, _| panic!("all are there"));
        let tree = targets(&paths).expect("they are a tree");
        let Some(Target::Part(path, below)) = tree.0.get(&b"a"[..]) else { panic!("no part") };
        assert_eq!(path, Path::new("/a"));
        assert_eq!(below.0.get(&b"b"[..]), Some(&Target::Whole("/a/b".into())));
        assert_eq!(below.0.get(&b"c"[..]), Some(&Target::Whole("/a/c".into())));
        assert_eq!(tree.0.get(&b"e"[..]), Some(&Target::Whole("/e".into())));
        let upward = targets(&[PathBuf::from("../x/y")]).expect("it is a tree");
        let Some(Target::Part(path, _)) = upward.0.get(&b"x"[..]) else { panic!("no part") };
        assert_eq!(path, Path::new("../x"));
        assert!(targets(&["/a/b", "a/b"].map(PathBuf::from)).is_err());
    }

    #[test]
    fn streams_have_paths_from_the_root() {
        for (given, names) in [
            ("dump", &["dump"][..]),
            ("/dump", &["dump"]),
            ("a/b", &["a", "b"]),
            ("./a//b/", &["a", "b"]),
            ("../x/../y", &["y"]),
        ] {
            assert_eq!(stream_names(given).expect("it has a name"), names, "{given}");
        }
        for given in ["", "/", ".", "..", "a/..", "a\0b"] {
            let error = stream_names(given).expect_err("it has no name").to_string();
            assert!(error.contains(&format!("{given:?}")), "{error}");
        }
    }
}
