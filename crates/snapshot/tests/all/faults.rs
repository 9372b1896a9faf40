//! Stores that fail, time out, and answer with half a file or a wrong one: tried again or reported,
//! never believed.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use broadloom_snapshot::backup::Progress;
use broadloom_snapshot::check::{CheckOptions, check};
use broadloom_snapshot::restore::{RestoreOptions, restore};
use broadloom_snapshot::snapshot::Snapshots;
use broadloom_snapshot::store::{File, Kind};
use broadloom_snapshot::tree::Place;
use broadloom_snapshot::{Repository, SnapshotError};

use crate::common::{self, Call, Memory, Notes, Wrong, repository, save, tree};

/// Errors that a check of all bytes finds.
fn errors(repository: &Repository) -> Vec<String> {
    let (found, threads) = (std::sync::Mutex::new(Vec::new()), std::num::NonZeroUsize::MIN);
    let options = CheckOptions { read_data: true, subset: None, threads };
    let checked = check(repository, &options, &Progress::default(), &|finding| {
        if let broadloom_snapshot::check::Finding::Error(text) = finding {
            found.lock().unwrap().push(text);
        }
    });
    let found = found.into_inner().unwrap();
    assert_eq!(checked.unwrap().errors, found.len() as u64);
    found
}

/// Restores the latest snapshot, and gives what was reported.
fn restored(repository: &Repository) -> Result<(tempfile::TempDir, Vec<String>), SnapshotError> {
    let target = tempfile::tempdir().unwrap();
    let latest =
        Snapshots::all(repository, &mut |error| panic!("{error}"))?.0.pop().expect("there is one");
    let notes = Notes::default();
    let options = RestoreOptions::new(target.path().to_owned());
    let place = Place::Tree(latest.file.tree);
    let done = restore(repository, &place, &options, &Progress::default(), &notes)?;
    let notes = notes.take();
    assert_eq!(done.errors, notes.len() as u64);
    Ok((target, notes))
}

fn same(one: &std::path::Path, other: &std::path::Path) -> bool {
    let status = std::process::Command::new("diff").arg("-r").args([one, other]).status();
    status.unwrap().success()
}

/// The first operation on each file, and the first list of each kind, goes wrong.
fn first_of_each(memory: &Memory, wrong: fn() -> Wrong) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, mut seen) = (Arc::clone(&count), HashSet::new());
    memory.spoil(move |call| {
        let what = match call {
            Call::Put(file) => format!("put {file}"),
            Call::Get(file) => format!("get {file}"),
            Call::Remove(file) => format!("remove {file}"),
            Call::List(kind) => format!("list {kind:?}"),
        };
        seen.insert(what).then(|| {
            counted.fetch_add(1, Ordering::Relaxed);
            wrong()
        })
    });
    count
}

#[test]
fn what_passes_is_tried_again() {
    let ((memory, repository), files) = (repository(), tree());
    for wrong in [|| Wrong::Passing, || Wrong::Half, || Wrong::Other(b"wrong".to_vec())] {
        let wrong: fn() -> Wrong = wrong;
        let count = first_of_each(&memory, wrong);
        save(&repository, files.path()).unwrap();
        let (target, notes) = restored(&repository).unwrap();
        assert_eq!(notes, Vec::<String>::new());
        let inside = files.path().strip_prefix("/").unwrap();
        assert!(same(files.path(), &target.path().join(inside)));
        assert!(count.load(Ordering::Relaxed) >= 8);
        memory.heal();
        assert_eq!(errors(&repository), Vec::<String>::new());
    }
}

#[test]
fn a_backup_that_cannot_write_leaves_no_snapshot() {
    let ((memory, repository), files) = (repository(), tree());
    for kind in [Kind::Pack, Kind::Index, Kind::Snapshot] {
        memory.spoil(move |call| match call {
            Call::Put(File::Named(of, _)) if *of == kind => Some(Wrong::Full),
            _ => None,
        });
        let failed = save(&repository, files.path()).unwrap_err().to_string();
        assert!(failed.contains(kind.directory()) && failed.contains("full"), "{failed}");
        memory.heal();
        assert_eq!(repository.list(Kind::Snapshot).unwrap(), []);
        assert_eq!(repository.list(Kind::Lock).unwrap(), []);
        assert_eq!(errors(&repository), Vec::<String>::new());
    }
    let saved = save(&repository, files.path()).unwrap();
    // The packs of the last try were listed in an index: they are used. The tree of the directory
    // above may be new, because other tests change that directory.
    assert_eq!((saved.data_blobs, saved.files_new), (0, 5));
}

#[test]
fn packs_come_before_indexes_and_snapshots_come_last() {
    let ((memory, repository), files) = (repository(), tree());
    save(&repository, files.path()).unwrap();
    let rank = |file: &File| match file {
        File::Named(Kind::Pack, _) => Some(0),
        File::Named(Kind::Index, _) => Some(1),
        File::Named(Kind::Snapshot, _) => Some(2),
        _ => None,
    };
    let ranks: Vec<i32> = memory.puts().iter().filter_map(rank).collect();
    assert!(ranks.is_sorted() && ranks.contains(&0) && ranks.ends_with(&[1, 2]), "{ranks:?}");
}

#[test]
fn files_whose_parts_are_lost_are_named_and_the_others_restored() {
    let ((memory, repository), files) = (repository(), tree());
    save(&repository, files.path()).unwrap();
    std::fs::write(files.path().join("late"), b"late text").unwrap();
    let before = memory.files();
    save(&repository, files.path()).unwrap();
    // A new pack holds only what is new: trees are in one of their own.
    let new = memory.files().into_iter().filter(|file| !before.contains(file));
    let packs: Vec<File> = new.filter(|file| matches!(file, File::Named(Kind::Pack, _))).collect();
    let smallest = packs.into_iter().min_by_key(|&file| memory.content(file).len()).unwrap();
    memory.change(smallest, |bytes| bytes[20] ^= 1);
    let (target, notes) = restored(&repository).unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("late: blob ") && notes[0].contains(&smallest.to_string()));
    let inside = target.path().join(files.path().strip_prefix("/").unwrap());
    assert!(!inside.join("late").exists());
    std::fs::remove_file(files.path().join("late")).unwrap();
    assert!(same(files.path(), &inside));
}

#[test]
fn a_flipped_bit_is_found_wherever_it_is() {
    let ((memory, repository), files) = (repository(), tree());
    save(&repository, files.path()).unwrap();
    let all = memory.files();
    assert!(all.len() >= 6);
    for file in all {
        let whole = memory.content(file);
        let last = whole.len() - 1;
        for at in [0, 16, whole.len() / 2, last] {
            memory.change(file, |bytes| bytes[at] ^= 1 << (at % 8));
            if file == File::Config {
                let store = Box::new(memory.clone());
                let opened = Repository::open(store, &common::registry(), b"password");
                let Err(error) = opened else { panic!("the config was believed") };
                assert!(error.to_string().contains("config is damaged"), "{error}");
                memory.change(file, |bytes| bytes[at] ^= 1 << (at % 8));
                break;
            }
            let found = errors(&repository);
            let named = found.iter().any(|text| text.contains(&file.to_string()));
            assert!(named, "{file}, byte {at}: {found:?}");
            memory.change(file, |bytes| bytes[at] ^= 1 << (at % 8));
        }
        memory.delete(file);
        let lost = match file {
            // Without its key the repository opens no more; a snapshot that is gone is forgotten.
            File::Config | File::Named(Kind::Key | Kind::Snapshot, _) => true,
            _ => !errors(&repository).is_empty(),
        };
        assert!(lost, "{file} is gone");
        memory.insert(file, whole);
    }
    assert_eq!(errors(&repository), Vec::<String>::new());
}

#[test]
fn every_byte_counts() {
    let ((memory, repository), files) = (repository(), tempfile::tempdir().unwrap());
    std::fs::write(files.path().join("a"), b"text").unwrap();
    save(&repository, files.path()).unwrap();
    let mut bytes = 0;
    // The config is read when a repository is opened, which another test does.
    for file in memory.files().into_iter().filter(|file| *file != File::Config) {
        for at in 0..memory.content(file).len() {
            memory.change(file, |content| content[at] ^= 1 << (at % 8));
            let found = errors(&repository);
            let named = found.iter().any(|text| text.contains(&file.to_string()));
            assert!(named, "{file}, byte {at}: {found:?}");
            memory.change(file, |content| content[at] ^= 1 << (at % 8));
            bytes += 1;
        }
    }
    assert!(bytes > 1000, "only {bytes} bytes");
    assert_eq!(errors(&repository), Vec::<String>::new());
}

#[test]
fn files_that_are_longer_than_they_can_be_are_not_read() {
    let (memory, repository) = repository();
    save(&repository, tree().path()).unwrap();
    let is_pack = |file: &File| matches!(file, File::Named(Kind::Pack, _));
    // The longest has data; nobody looks for a tree there.
    let packs = memory.files().into_iter().filter(is_pack);
    let pack = packs.max_by_key(|file| memory.content(*file).len()).unwrap();
    let listed = memory.content(pack).len();
    // Zeros that nobody looks at take no memory.
    let long = (256 << 20) + 1;
    let snapshot = File::Named(Kind::Snapshot, broadloom_snapshot::Id([7; 32]));
    memory.insert(snapshot, vec![0; long]);
    memory.insert(pack, vec![0; long]);
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    memory.spoil(move |call| {
        let is_long = matches!(call, Call::Get(file) if *file == pack || *file == snapshot);
        counted.fetch_add(is_long.into(), Ordering::Relaxed);
        // Whoever reads it all the same gets little.
        is_long.then(|| Wrong::Other(Vec::new()))
    });
    let found = errors(&repository);
    let says = |text: &str| found.iter().any(|error| error.contains(text));
    let told = format!("{pack} is damaged: it has {long} bytes, its index lists {listed}");
    assert!(says(&told), "{found:?}");
    let told = format!("{snapshot} is damaged: it has {long} bytes; valid: at most 268435456");
    assert!(says(&told), "{found:?}");
    assert_eq!(reads.load(Ordering::Relaxed), 0, "{found:?}");
}
