//! Parts that were saved on their own, merged into what one backup of all makes.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use broadloom_snapshot::snapshot::Snapshots;
use broadloom_snapshot::tree::{Tree, Trees};
use broadloom_snapshot::{Id, Lock, Repository, SnapshotError, merge};

use crate::common::{repository, save, tree};

fn part(repository: &Arc<Repository>, path: &Path) -> Id {
    save(repository, path).unwrap().snapshot.expect("it was no dry run")
}

fn merged(repository: &Arc<Repository>, parts: &[Id]) -> Result<Id, SnapshotError> {
    let lock = Lock::new(repository, false)?;
    let (paths, tags) = (vec!["/all".to_owned()], vec!["whole".to_owned()]);
    merge(repository, &lock, parts, paths, tags)
}

/// The tree that a snapshot has of a directory.
fn at(repository: &Repository, snapshot: Id, path: &Path) -> (Id, Tree) {
    let snapshot = Snapshots::load(repository, snapshot).unwrap();
    let index = repository.index().unwrap();
    let mut trees = Trees::new(repository, &index).unwrap();
    let place = trees.at(snapshot.file.tree, path.as_os_str().as_bytes()).unwrap();
    let tree = place.tree().expect("it is a directory");
    (tree, trees.load(tree).unwrap())
}

#[test]
fn parts_become_the_tree_of_one_backup() {
    let (_, repository) = repository();
    let place = tree();
    let parts: Vec<Id> = ["d/deep/er", "empty", "d/same", "a", "d/deep/large"]
        .iter()
        .map(|name| part(&repository, &place.path().join(name)))
        .collect();
    let whole = part(&repository, place.path());
    let merged = merged(&repository, &parts).unwrap();
    let (expected, found) =
        (at(&repository, whole, place.path()), at(&repository, merged, place.path()));
    assert_eq!(expected, found);
    let snapshot = Snapshots::load(&repository, merged).unwrap().file;
    assert_eq!((snapshot.paths, snapshot.tags), (vec!["/all".into()], vec!["whole".into()]));
}

#[test]
fn the_later_of_two_counts() {
    let (_, repository) = repository();
    let place = tempfile::tempdir().unwrap();
    let at_name = |name: &str| place.path().join(name);
    fs::write(at_name("file"), "old").unwrap();
    fs::write(at_name("other"), "file").unwrap();
    fs::create_dir(at_name("directory")).unwrap();
    fs::write(at_name("directory/below"), "text").unwrap();
    let before = part(&repository, place.path());
    fs::write(at_name("file"), "new text").unwrap();
    fs::remove_file(at_name("other")).unwrap();
    fs::create_dir(at_name("other")).unwrap();
    fs::write(at_name("other/below"), "text").unwrap();
    fs::remove_dir_all(at_name("directory")).unwrap();
    fs::write(at_name("directory"), "file").unwrap();
    let after = part(&repository, place.path());
    for (parts, expected) in [([before, after], after), ([after, before], before)] {
        let merged = merged(&repository, &parts).unwrap();
        assert_eq!(at(&repository, merged, place.path()), at(&repository, expected, place.path()));
    }
}

#[test]
fn nothing_and_what_is_not_there_cannot_be_merged() {
    let (_, repository) = repository();
    assert!(matches!(merged(&repository, &[]), Err(SnapshotError::Selection(_))));
    let missing = merged(&repository, &[Id([7; 32])]).unwrap_err().to_string();
    assert!(missing.contains(&Id([7; 32]).to_string()), "{missing}");
}
