//! Trees of somebody who knows the password and wants them to cost more than there is: stack,
//! memory, time.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use broadloom_engine::Registry;

use crate::backup::{BackupOptions, Progress, Report, Source, backup};
use crate::diff::diff;
use crate::id::Id;
use crate::node::{Mode, Node, NodeKind};
use crate::repository::{BlobKind, Compression, Entry, Index, Lock, Repository, Tools, hostname};
use crate::restore::hostile::saving;
use crate::restore::{RestoreOptions, restore};
use crate::snapshot::{Snapshot, Snapshots};
use crate::stats::{Count, stats};
use crate::store::{Directory, File, Kind, Store, StoreError};
use crate::time::Time;
use crate::tree::{Place, Tree, Trees};
use crate::walk::walk;
use crate::{SnapshotError, merge};

/// Levels of a tree that would need tens of megabytes of stack.
const LEVELS: usize = 30_000;
/// The stack of a thread.
const STACK: usize = 2 << 20;

/// Nothing is to be reported.
struct Never;

impl Report for Never {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        panic!("{}: {error}", path.display());
    }

    fn warning(&self, text: &str) {
        panic!("{text}");
    }
}

fn repository(store: impl Store + 'static) -> Arc<Repository> {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&broadloom_lanes::Cpu::detect()));
    let made = Repository::init(Box::new(store), &registry, b"password");
    Arc::new(made.expect("there is room"))
}

fn directory(name: &str, tree: Id) -> Node {
    let mut node = Node::new(name.into(), NodeKind::Dir);
    node.mode = Mode(1 << 31 | 0o755);
    (node.uid, node.gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    node.subtree = Some(tree);
    node
}

/// Saves directories of a name in one another, so many in each, and gives the outermost tree.
fn nested(repository: &Repository, levels: usize, names: &[&str]) -> Id {
    saving(repository, |save| {
        let mut tree = save(BlobKind::Tree, &Tree::default().to_blob());
        for _ in 0..levels {
            let nodes = names.iter().map(|name| directory(name, tree)).collect();
            tree = save(BlobKind::Tree, &Tree { nodes }.to_blob());
        }
        tree
    })
}

/// Runs a test with the stack of an ordinary thread.
fn on_small_stack(test: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, test);
        thread.expect("there are threads").join().expect("the test passes");
    });
}

#[test]
fn deep_trees_cost_no_stack() {
    let place = tempfile::tempdir().expect("there is room");
    let repository = repository(Directory::new(place.path().join("repository")));
    on_small_stack(|| {
        let [one, other] = ["a", "b"].map(|name| nested(&repository, LEVELS, &[name]));
        let longer = nested(&repository, LEVELS + 1, &["a"]);
        let index = repository.index().expect("it is whole");
        let mut trees = Trees::new(&repository, &index).expect("there is memory");
        let (mut visited, mut longest) = (0, 0);
        walk(&mut trees, one, b"", &mut |path, _| {
            (visited, longest) = (visited + 1, path.len());
            Ok(true)
        })
        .expect("it is whole");
        assert_eq!((visited, longest), (LEVELS, 2 * LEVELS));
        for count in [Count::RestoreSize, Count::FilesByContents, Count::RawData] {
            stats(&mut trees, &index, &[one], count).expect("it is whole");
        }
        for (second, told) in [(other, 2 * LEVELS), (longer, 1)] {
            let mut changes = 0;
            let found = diff(&mut trees, &index, (one, second), true, &mut |_, _, _| changes += 1);
            let found = found.expect("it is whole");
            assert_eq!(found.added.dirs as usize, told.div_ceil(2));
            assert!(changes >= told);
        }
        let options = RestoreOptions { dry_run: true, ..RestoreOptions::new("/nowhere".into()) };
        let root = Place::Tree(one);
        let done = restore(&repository, &root, &options, &Progress::default(), &Never);
        assert_eq!(done.expect("it is whole").directories as usize, LEVELS);
        let snapshot = |tree| {
            let text = format!("{{\"time\":\"2022-01-01T00:00:00Z\",\"tree\":\"{tree}\"}}");
            let snapshot: Snapshot = serde_json::from_str(&text).expect("it is one");
            let snapshot = Snapshot { time: Time::now(), hostname: hostname(), ..snapshot };
            repository.save_json(Kind::Snapshot, &snapshot).expect("there is room")
        };
        let lock = Lock::new(&repository, false).expect("nobody else locks it");
        let parts = [snapshot(one), snapshot(longer)];
        let merged = merge(&repository, &lock, &parts, Vec::new(), Vec::new());
        let merged = Snapshots::load(&repository, merged.expect("it is whole"));
        assert_eq!(merged.expect("it is there").file.tree, longer);
    });
}

#[test]
fn deep_directories_are_restored_and_saved() {
    // Deeper than the longest path that the system takes.
    let levels = 3000;
    let place = tempfile::tempdir().expect("there is room");
    let repository = repository(Directory::new(place.path().join("repository")));
    on_small_stack(|| {
        let tree = nested(&repository, levels, &["dd"]);
        let (target, progress) = (place.path().join("target"), Progress::default());
        let options = RestoreOptions::new(target.clone());
        let done = restore(&repository, &Place::Tree(tree), &options, &progress, &Never);
        assert_eq!(done.expect("it is whole").directories as usize, levels);
        let lock = Lock::new(&repository, false).expect("nobody else locks it");
        let saved = backup(
            &repository,
            Some(&lock),
            BackupOptions::new(Source::Paths(vec![target.clone()])),
            &progress,
            &Never,
        );
        let saved = saved.expect("there is room");
        assert!(!saved.incomplete && saved.dirs_new as usize > levels);
        let again = backup(
            &repository,
            Some(&lock),
            BackupOptions::new(Source::Paths(vec![target.clone()])),
            &progress,
            &Never,
        );
        assert!(again.expect("there is room").dirs_unmodified as usize > levels);
        // The standard library would open all directories at once to remove them.
        let removed = std::process::Command::new("rm").arg("-rf").arg(&target).status();
        assert!(removed.expect("there is rm").success());
    });
}

/// A directory that counts how often a pack is read.
struct Counting(Directory, Arc<AtomicUsize>);

impl Store for Counting {
    fn create(&self) -> Result<(), StoreError> {
        self.0.create()
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.0.put(file, content)
    }

    fn get(&self, file: File, range: Option<std::ops::Range<u64>>) -> Result<Vec<u8>, StoreError> {
        if matches!(file, File::Named(Kind::Pack, _)) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
        self.0.get(file, range)
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        self.0.list(kind)
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        self.0.remove(file)
    }
}

#[test]
fn zeros_that_are_packed_small_are_unpacked_few_at_a_time() {
    let place = tempfile::tempdir().expect("there is room");
    let reads = Arc::new(AtomicUsize::new(0));
    let repository = repository(Counting(Directory::new(place.path()), Arc::clone(&reads)));
    let ids: Vec<Id> = saving(&repository, |save| {
        let blob = |number: u8| {
            let mut blob = vec![0; 8 << 20];
            blob[0] = number;
            blob
        };
        (0..16).map(|number| save(BlobKind::Data, &blob(number))).collect()
    });
    let index = repository.index().expect("it is whole");
    assert!(index.packs().iter().all(|pack| pack.end < 1 << 20), "it is all in little space");
    let mut tools = Tools::new(Compression::Auto).expect("there is memory");
    let mut bytes = 0;
    let read = repository.blobs(&index, BlobKind::Data, &ids, &mut tools, |piece| {
        bytes += piece.content.len();
        Ok(())
    });
    read.expect("it is whole");
    assert_eq!((bytes, reads.load(Ordering::Relaxed)), (16 * (8 << 20), 4));
}

#[test]
fn blobs_have_a_bound() {
    let place = tempfile::tempdir().expect("there is room");
    let repository = repository(Directory::new(place.path()));
    let mut index = Index::default();
    let (id, pack) = (Id([1; 32]), Id([2; 32]));
    for (kind, raw) in [(BlobKind::Data, 200 << 20), (BlobKind::Tree, 2 << 30)] {
        index.add(pack, &[Entry { id, kind, offset: 0, length: 100, raw }]);
        let error = repository.blob(&index, kind, id).expect_err("it is too large");
        assert!(matches!(error, SnapshotError::DamagedBlob { .. }), "{error}");
        assert!(error.to_string().contains("valid: at most"), "{error}");
    }
    let mut trees = Trees::new(&repository, &index).expect("there is memory");
    assert!(matches!(trees.load(id), Err(SnapshotError::DamagedBlob { .. })));
}

#[test]
fn a_lock_has_a_bound() {
    let place = tempfile::tempdir().expect("there is room");
    let repository = repository(Directory::new(place.path()));
    let spaces = serde_json::Value::String(" ".repeat(2 << 20));
    let id = repository.save_json(Kind::Lock, &spaces).expect("there is room");
    let error = repository.text(Kind::Lock, id).expect_err("it is too large").to_string();
    assert!(error.contains("it decompresses to more than 1048576 bytes"), "{error}");
}
