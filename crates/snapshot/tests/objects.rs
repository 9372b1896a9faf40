//! Repositories in stores of objects: in memory, and on a server that speaks S3 where
//! `BROADLOOM_S3` has its address (the script `cloud` starts one).

#![cfg(feature = "cloud")]

mod common;

use std::sync::Arc;

use broadloom_snapshot::backup::Progress;
use broadloom_snapshot::restore::{RestoreOptions, restore};
use broadloom_snapshot::snapshot::Snapshots;
use broadloom_snapshot::store::{File, Kind, Objects, Store, StoreError, open};
use broadloom_snapshot::tree::Place;
use broadloom_snapshot::{Id, Repository};
use common::{Notes, registry, save, tree};

/// What every store does.
fn behaves(store: &dyn Store) {
    let file = File::Named(Kind::Pack, Id([7; 32]));
    assert!(matches!(store.get(file, None), Err(StoreError::NotFound)));
    store.put(file, b"0123456789".to_vec()).unwrap();
    assert_eq!(store.get(file, None).unwrap(), b"0123456789");
    assert_eq!(store.get(file, Some(3..6)).unwrap(), b"345");
    assert_eq!(store.list(Kind::Pack).unwrap(), [(Id([7; 32]), 10)]);
    assert_eq!(store.list(Kind::Index).unwrap(), []);
    store.put(File::Config, b"config".to_vec()).unwrap();
    assert_eq!(store.get(File::Config, None).unwrap(), b"config");
    store.remove(file).unwrap();
    assert_eq!(store.list(Kind::Pack).unwrap(), []);
    store.remove(File::Config).unwrap();
}

/// Saves and restores some files.
fn round_trip(store: Box<dyn Store>) {
    let files = tree();
    let repository = Repository::init(store, &registry(), b"password").unwrap();
    let repository = Arc::new(repository);
    save(&repository, files.path()).unwrap();
    let again = save(&repository, files.path()).unwrap();
    assert_eq!((again.files_unmodified, again.added), (5, 0));
    let target = tempfile::tempdir().unwrap();
    let latest = Snapshots::all(&repository).unwrap().0.pop().unwrap();
    let options = RestoreOptions::new(target.path().to_owned());
    let (place, notes) = (Place::Tree(latest.file.tree), Notes::default());
    let done = restore(&repository, &place, &options, &Progress::default(), &notes).unwrap();
    assert_eq!((done.files, done.errors), (5, 0));
    let inside = target.path().join(files.path().strip_prefix("/").unwrap());
    let diff = std::process::Command::new("diff").arg("-r").args([files.path(), &inside]).status();
    assert!(diff.unwrap().success());
}

#[test]
fn objects_are_files() {
    behaves(&Objects::in_memory().unwrap());
    round_trip(Box::new(Objects::in_memory().unwrap()));
}

#[test]
fn a_server_of_s3_holds_a_repository() {
    let Some(address) = std::env::var_os("BROADLOOM_S3") else {
        eprintln!("BROADLOOM_S3 is not set: no server was asked");
        return;
    };
    let address = address.into_string().unwrap();
    behaves(&*open(&format!("{address}/behaves")).unwrap());
    round_trip(open(&format!("{address}/repository")).unwrap());
    println!("{address} holds a repository");
}

#[test]
fn addresses_are_those_of_restic() {
    for right in ["s3:s3.amazonaws.com/bucket/path", "s3:http://localhost:9000/bucket"] {
        assert!(Objects::parse(right).unwrap().is_some(), "{right}");
    }
    for path in ["/backup", "backup/here", "./s3"] {
        assert!(Objects::parse(path).unwrap().is_none(), "{path}");
    }
    for wrong in ["ftp://host/x", "file:///backup", "s3:bucket", "sftp:host:/x", "rest:http://x/"] {
        let Err(error) = Objects::parse(wrong) else { panic!("{wrong} is a store") };
        assert!(error.to_string().contains(wrong), "{error}");
    }
}
