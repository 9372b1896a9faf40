//! Trees of somebody who knows the password and wants files elsewhere.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};

use broadloom_engine::Registry;

use super::{Crew, RestoreOptions, Restored, Teller, restore};
use crate::backup::{Progress, Report};
use crate::beneath::Temporary;
use crate::id::Id;
use crate::node::{Mode, Node, NodeKind};
use crate::repository::{BlobKind, Compression, Repository, Saver, Tools};
use crate::store::Directory;
use crate::time::Time;
use crate::tree::{Place, Tree};

struct Notes(Mutex<Vec<String>>);

impl Report for Notes {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        self.0.lock().expect("no thread panicked").push(format!("{}: {error}", path.display()));
    }

    fn warning(&self, text: &str) {
        self.0.lock().expect("no thread panicked").push(text.to_owned());
    }
}

/// What a restore could change of a file or directory that it has no business with.
fn state(path: &Path) -> (u32, i64, i64, u64, u32) {
    let it = fs::symlink_metadata(path).expect("it is there");
    (it.mode(), it.mtime(), it.mtime_nsec(), it.nlink(), it.uid())
}

/// Saves what a function hands over, as it is.
pub(crate) fn saving<T>(
    repository: &Repository,
    work: impl FnOnce(&mut dyn FnMut(BlobKind, &[u8]) -> Id) -> T,
) -> T {
    let index = repository.index().expect("it is whole");
    let (saver, packs) = Saver::new(repository, &index, Compression::Auto, false, 2);
    let (packs, mut tools) = (Mutex::new(packs), Tools::new(Compression::Auto).expect("memory"));
    let done = std::thread::scope(|scope| {
        saver.start(scope, &packs).expect("there are threads");
        let done = work(&mut |kind, blob| {
            saver.save(&mut tools, kind, &[blob]).expect("there is room")[0]
        });
        saver.close(&mut Tools::new(Compression::Auto).expect("memory"));
        done
    });
    saver.finish().expect("there is room");
    done
}

/// Saves blobs as they are.
fn save(repository: &Repository, blobs: &[(BlobKind, &[u8])]) -> Vec<Id> {
    saving(repository, |save| blobs.iter().map(|&(kind, blob)| save(kind, blob)).collect())
}

fn file(name: &[u8], content: Id, size: u64) -> Node {
    let mut node = Node::new(name.to_vec(), NodeKind::File);
    node.mode = Mode(0o644);
    (node.content, node.size) = (Some(vec![content]), size);
    node
}

fn link(name: &[u8], target: &Path) -> Node {
    let mut node = Node::new(name.to_vec(), NodeKind::Symlink);
    node.set_target(target.as_os_str().as_encoded_bytes().to_vec());
    node
}

fn directory(name: &[u8], tree: Id) -> Node {
    let mut node = Node::new(name.to_vec(), NodeKind::Dir);
    node.mode = Mode(1 << 31 | 0o755);
    node.subtree = Some(tree);
    node
}

#[test]
fn nothing_is_written_beside_the_target() {
    let place = tempfile::tempdir().expect("there is room");
    let at = |name: &str| place.path().join(name);
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let store = Box::new(Directory::new(at("repository")));
    let repository = Repository::init(store, &registry, b"password").expect("there is room");
    fs::create_dir(at("outside")).expect("it is ours");
    fs::write(at("outside/kept"), b"kept").expect("it is ours");
    let states = || [at("outside"), at("outside/kept")].map(|path| state(&path));
    let before = states();
    let content = save(&repository, &[(BlobKind::Data, b"evil")])[0];
    let tree = |nodes: Vec<Node>| Tree { nodes }.to_blob();
    let evil = tree(vec![file(b"evil", content, 4), file(b"kept", content, 4)]);
    let evil_id = save(&repository, &[(BlobKind::Tree, &evil)])[0];
    let run = |target: &str, nodes: Vec<Node>| -> (Restored, Vec<String>) {
        let root = save(&repository, &[(BlobKind::Tree, &tree(nodes))])[0];
        let (notes, progress) = (Notes(Mutex::default()), Progress::default());
        let options = RestoreOptions::new(at(target));
        let done = restore(&repository, &Place::Tree(root), &options, &progress, &notes);
        (done.expect("the repository is whole"), notes.0.into_inner().expect("no panic"))
    };
    let outside = at("outside");
    // A link, and a directory of its name.
    let nodes = vec![link(b"d", &outside), directory(b"d", evil_id)];
    let (done, notes) = run("one", nodes);
    assert!(done.errors > 0 && !notes.is_empty());
    // A link that was there before.
    fs::create_dir(at("two")).expect("it is ours");
    std::os::unix::fs::symlink(&outside, at("two/d")).expect("it is ours");
    let (done, notes) = run("two", vec![directory(b"d", evil_id)]);
    assert!(done.errors >= 3 && notes.iter().all(|note| note.starts_with('d')), "{notes:?}");
    // A file goes in the place of a link, not to where the link leads.
    fs::create_dir(at("three")).expect("it is ours");
    std::os::unix::fs::symlink(at("outside/kept"), at("three/f")).expect("it is ours");
    let (done, _) = run("three", vec![file(b"f", content, 4)]);
    assert_eq!((done.errors, done.files), (0, 1));
    assert_eq!(fs::read(at("three/f")).expect("it is there"), b"evil");
    // Names that are none.
    for name in [&b".."[..], b"../outside/evil", b"/outside", b"."] {
        let (done, notes) = run("four", vec![file(name, content, 4)]);
        assert_eq!((done.errors, done.files), (1, 0), "{notes:?}");
    }
    // A hard link to something that is a link here.
    let mut twice = file(b"a", content, 4);
    (twice.links, twice.inode) = (2, 7);
    let mut again = twice.clone();
    again.name = b"b".to_vec();
    let (done, _) = run("five", vec![twice, again]);
    assert_eq!((done.errors, done.files), (0, 2));
    // The same, where a link comes between the two.
    let mut twice = file(b"a", content, 4);
    (twice.links, twice.inode) = (2, 7);
    let mut again = twice.clone();
    again.name = b"b".to_vec();
    let between = link(b"b", &at("outside/kept"));
    run("six", vec![twice, between, again]);
    // Links have attributes of their own, which are not those of what they lead to.
    let mut linked = link(b"l", &at("outside/kept"));
    (linked.mode, linked.uid, linked.mtime) = (Mode(1 << 27 | 0o777), 12345, Time::default());
    let (done, notes) = run("seven", vec![linked]);
    assert_eq!((done.files, fs::read_link(at("seven/l")).ok()), (1, Some(at("outside/kept"))));
    assert!(notes.iter().all(|note| note.starts_with('l')), "{notes:?}");
    assert_eq!(states(), before);
    let names = fs::read_dir(&outside).expect("it is there").count();
    let kept = fs::read(at("outside/kept")).expect("it is there");
    assert_eq!((names, &kept[..]), (1, &b"kept"[..]));
}

#[test]
fn sizes_that_do_not_add_up_are_reported() {
    let place = tempfile::tempdir().expect("there is room");
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let store = Box::new(Directory::new(place.path().join("repository")));
    let repository = Repository::init(store, &registry, b"password").expect("there is room");
    let content = save(&repository, &[(BlobKind::Data, b"four")])[0];
    let nodes = vec![file(b"long", content, 5), file(b"lost", Id([9; 32]), 4)];
    let root = save(&repository, &[(BlobKind::Tree, &Tree { nodes }.to_blob())])[0];
    let notes = Notes(Mutex::default());
    let options = RestoreOptions::new(place.path().join("target"));
    let progress = Progress::default();
    let done = restore(&repository, &Place::Tree(root), &options, &progress, &notes);
    assert_eq!(done.expect("the repository is whole").errors, 2);
    let notes = notes.0.into_inner().expect("no panic");
    assert!(notes[0].contains("long: its parts have 4 bytes") && notes[1].contains("lost: "));
    assert_eq!(fs::read_dir(place.path().join("target")).expect("it is there").count(), 0);
}

#[test]
fn a_dry_run_keeps_nothing_for_later() {
    let place = tempfile::tempdir().expect("there is room");
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let store = Box::new(Directory::new(place.path().join("repository")));
    let repository = Repository::init(store, &registry, b"password").expect("there is room");
    let tree = |nodes: Vec<Node>| Tree { nodes }.to_blob();
    let root = saving(&repository, |save| {
        let content = save(BlobKind::Data, b"text");
        let mut linked = file(b"f", content, 4);
        (linked.links, linked.inode) = (2, 7);
        let nodes = vec![linked, link(b"l", Path::new("x"))];
        // Each level has twice the level below: 2^12 directories.
        (0..12).fold(save(BlobKind::Tree, &tree(nodes)), |below, _| {
            save(BlobKind::Tree, &tree(vec![directory(b"a", below), directory(b"b", below)]))
        })
    });
    let index = repository.index().expect("it is whole");
    let (notes, progress) = (Notes(Mutex::default()), Progress::default());
    let options = RestoreOptions { dry_run: true, ..RestoreOptions::new("/nowhere".into()) };
    let teller = Teller { to: &notes, errors: AtomicU64::new(0), ended: AtomicBool::new(false) };
    let crew = Crew {
        repository: &repository,
        index: &index,
        options: &options,
        teller: &teller,
        progress: &progress,
        names: &Temporary::new().expect("there are random bytes"),
        beneath: None,
    };
    let later = crew.files(&Place::Tree(root)).expect("it is whole");
    assert_eq!(later.directory_count, (1 << 13) - 2);
    let mut kept = later.links.len() + later.others.len();
    later.directories.backwards(|_, _| kept += 1);
    assert_eq!(kept, 0);
}
