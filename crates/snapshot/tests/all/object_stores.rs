//! Repositories in stores of objects and at REST servers, which fail, stall, and answer with half
//! an object or a wrong one: tried again or reported, never believed.
#![cfg(feature = "object-stores")]

mod faulty;
mod rest_server;

use std::collections::HashSet;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use broadloom_snapshot::backup::Progress;
use broadloom_snapshot::check::{CheckOptions, Finding, check};
use broadloom_snapshot::restore::{RestoreOptions, restore};
use broadloom_snapshot::snapshot::Snapshots;
use broadloom_snapshot::store::{File, Kind, Objects, Options, Rest, Store, StoreError};
use broadloom_snapshot::tree::Place;
use broadloom_snapshot::{Id, Lock, Repository, SnapshotError};

use self::faulty::{Faulty, Wrong};
use self::rest_server::{Server, Trouble};
use crate::common::{Notes, noise, registry, save, tree};

/// A store that waits only a little before it tries again, and what it tried again.
struct Quick<S>(S, Arc<Mutex<Vec<String>>>);

impl<S> Quick<S> {
    fn new(store: S) -> Quick<S> {
        Quick(store, Arc::default())
    }
}

impl<S: Store> Store for Quick<S> {
    fn create(&self) -> Result<(), StoreError> {
        self.0.create()
    }
    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.0.put(file, content)
    }
    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        self.0.get(file, range)
    }
    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        self.0.list(kind)
    }
    fn remove(&self, file: File) -> Result<(), StoreError> {
        self.0.remove(file)
    }
    fn waits(&self) -> &[Duration] {
        const { &[Duration::from_millis(1); 5] }
    }
    fn failed(&self, what: &dyn Display, error: &StoreError, _: Duration) {
        self.1.lock().unwrap().push(format!("{what}: {error}"));
    }
    fn connections(&self) -> usize {
        self.0.connections()
    }
}

fn pack(number: u8) -> File {
    File::Named(Kind::Pack, Id([number; 32]))
}

/// What every store does.
fn behaves(store: &dyn Store) {
    store.create().unwrap();
    assert!(matches!(store.get(pack(7), None), Err(StoreError::NotFound)));
    assert!(matches!(store.get(File::Config, None), Err(StoreError::NotFound)));
    assert_eq!(store.list(Kind::Pack).unwrap(), []);
    store.put(pack(7), b"0123456789").unwrap();
    store.put(pack(7), b"0123456789").unwrap();
    assert_eq!(store.get(pack(7), None).unwrap(), b"0123456789");
    assert_eq!(store.get(pack(7), Some(3..6)).unwrap(), b"345");
    for range in [5..20, 30..40] {
        let error = store.get(pack(7), Some(range)).unwrap_err();
        assert!(matches!(error, StoreError::Short { .. } | StoreError::Passing(_)), "{error}");
    }
    // In several parts.
    let large = noise(20_000_000, 3);
    store.put(pack(8), &large).unwrap();
    assert!(store.get(pack(8), None).unwrap() == large);
    assert!(store.get(pack(8), Some(9_000_000..9_000_100)).unwrap() == large[9_000_000..9_000_100]);
    let mut listed = store.list(Kind::Pack).unwrap();
    listed.sort_unstable();
    assert_eq!(listed, [(Id([7; 32]), 10), (Id([8; 32]), 20_000_000)]);
    assert_eq!(store.list(Kind::Index).unwrap(), []);
    store.put(File::Config, b"config").unwrap();
    assert_eq!(store.get(File::Config, None).unwrap(), b"config");
    for file in [pack(7), pack(8), File::Config] {
        store.remove(file).unwrap();
        assert!(matches!(store.get(file, None), Err(StoreError::NotFound)));
    }
    assert_eq!(store.list(Kind::Pack).unwrap(), []);
}

/// Errors that a check of all bytes finds.
fn errors(repository: &Repository) -> Vec<String> {
    let found = Mutex::new(Vec::new());
    let threads = NonZeroUsize::new(3).unwrap();
    let options = CheckOptions { read_data: true, subset: None, threads };
    check(repository, &options, &Progress::default(), &|finding| {
        if let Finding::Error(text) = finding {
            found.lock().unwrap().push(text);
        }
    })
    .unwrap();
    found.into_inner().unwrap()
}

/// Restores the latest snapshot, and compares.
fn restores(repository: &Repository, files: &Path) {
    let target = tempfile::tempdir().unwrap();
    let latest =
        Snapshots::all(repository, &mut |error| panic!("{error}")).unwrap().0.pop().unwrap();
    let options = RestoreOptions::new(target.path().to_owned());
    let (place, notes) = (Place::Tree(latest.file.tree), Notes::default());
    let done = restore(repository, &place, &options, &Progress::default(), &notes).unwrap();
    assert_eq!((done.files, notes.take()), (5, Vec::<String>::new()));
    let inside = target.path().join(files.strip_prefix("/").unwrap());
    let diff = std::process::Command::new("diff").arg("-r").args([files, &inside]).status();
    assert!(diff.unwrap().success());
}

/// Makes a repository, saves files twice, and reads them with what `open` gives.
fn round_trip(open: impl Fn() -> Box<dyn Store>) {
    let files = tree();
    let repository = Arc::new(Repository::init(open(), &registry(), b"password").unwrap());
    let again = Repository::init(open(), &registry(), b"password");
    assert!(matches!(again, Err(SnapshotError::Exists)));
    save(&repository, files.path()).unwrap();
    let again = save(&repository, files.path()).unwrap();
    assert_eq!((again.files_unmodified, again.data_blobs), (5, 0));
    let other = Arc::new(Repository::open(open(), &registry(), b"password").unwrap());
    restores(&other, files.path());
    assert_eq!(errors(&other), Vec::<String>::new());
    // Locks of one process stand in the way of another.
    let shared = Lock::new(&repository, false).unwrap();
    let both = Lock::new(&other, false).unwrap();
    let excluded = Lock::new(&other, true);
    assert!(matches!(excluded, Err(SnapshotError::Locked { .. })));
    drop((shared, both));
    let alone = Lock::new(&other, true).unwrap();
    assert!(matches!(Lock::new(&repository, false), Err(SnapshotError::Locked { .. })));
    drop(alone);
    assert_eq!(other.list(Kind::Lock).unwrap(), []);
}

#[test]
fn objects_are_files() {
    behaves(&Objects::in_memory().unwrap());
    let store: Arc<dyn object_store::ObjectStore> = Arc::new(object_store::memory::InMemory::new());
    round_trip(|| Box::new(Objects::new(Arc::clone(&store), "some/path".into()).unwrap()));
}

#[test]
fn objects_that_fail_are_tried_again_and_half_or_wrong_ones_never_believed() {
    let files = tree();
    for wrong in [Wrong::Fails, Wrong::Half, Wrong::Other] {
        let faulty = Arc::new(Faulty::new());
        let open = || Quick::new(Objects::new(faulty.clone(), "path".into()).unwrap());
        // The first operation of each kind on each object goes wrong.
        faulty.spoil(Some(wrong));
        let store = open();
        let tried = Arc::clone(&store.1);
        let made = Repository::init(Box::new(store), &registry(), b"password").unwrap();
        let repository = Arc::new(made);
        save(&repository, files.path()).unwrap();
        faulty.spoil(Some(wrong));
        let other = Repository::open(Box::new(open()), &registry(), b"password").unwrap();
        restores(&other, files.path());
        assert!(faulty.spoiled() >= 12, "{wrong:?}: {}", faulty.spoiled());
        if wrong != Wrong::Other {
            let tried = tried.lock().unwrap();
            let parts = ["config: ", "data/", "index/", "snapshots/", "locks/", "keys/"];
            let told = |part: &&str| tried.iter().any(|text| text.starts_with(*part));
            assert_eq!(parts.iter().filter(|part| !told(part)).count(), 0, "{tried:?}");
        }
        faulty.spoil(None);
        assert_eq!(errors(&repository), Vec::<String>::new());
    }
}

#[test]
fn parts_of_large_objects_that_fail_are_sent_again() {
    let faulty = Arc::new(Faulty::new());
    let store = Objects::new(faulty.clone(), "path".into()).unwrap();
    let large = noise(20_000_000, 9);
    faulty.spoil(Some(Wrong::Fails));
    // At its begin, at a part, at its end: an object that is not whole is not there.
    for _ in 0..3 {
        assert!(matches!(store.put(pack(1), &large), Err(StoreError::Passing(_))));
        assert_eq!(faulty.len(pack(1)), None);
    }
    // When its length is asked for.
    assert!(matches!(store.put(pack(1), &large), Err(StoreError::Passing(_))));
    store.put(pack(1), &large).unwrap();
    assert_eq!(faulty.len(pack(1)), Some(20_000_000));
}

#[test]
fn a_rest_server_holds_a_repository() {
    let server = Server::start();
    let options = Options::default();
    let store = |login: &str| {
        let url = server.url(login);
        broadloom_snapshot::store::open(&url, &options).unwrap()
    };
    behaves(&*store("user:p%40ss@"));
    round_trip(|| store("user:p%40ss@"));
    for login in ["", "user:secret@"] {
        let error = Repository::open(store(login), &registry(), b"password");
        let Err(error) = error else { panic!("the server takes {login:?}") };
        assert!(error.to_string().contains("401") && !error.to_string().contains("secret"));
    }
}

#[test]
fn a_rest_server_that_fails_or_stalls_is_asked_again() {
    let files = tree();
    for trouble in [Trouble::Fault, Trouble::Cut, Trouble::Stall, Trouble::Half] {
        let server = Server::start();
        let url = server.url("user:p%40ss@");
        let mut options = Options::default();
        // Only of a server that stalls is the end of the patience waited for; of others, busy
        // machines are slow to answer.
        if trouble == Trouble::Stall {
            options.patience = Duration::from_millis(500);
        }
        let open = || Quick::new(Rest::new(url.strip_prefix("rest:").unwrap(), &options).unwrap());
        let store = open();
        let tried = Arc::clone(&store.1);
        let mut seen = HashSet::new();
        // The first request of each kind for each file goes wrong, or, since each waits for the
        // client's patience to end, for each kind of file.
        server.spoil(move |method, path| {
            let names = if trouble == Trouble::Stall { 3 } else { 4 };
            let place: Vec<&str> = path.split('/').take(names).collect();
            seen.insert(format!("{method} {}", place.join("/"))).then_some(trouble)
        });
        let made = Repository::init(Box::new(store), &registry(), b"password").unwrap();
        let repository = Arc::new(made);
        save(&repository, files.path()).unwrap();
        restores(&repository, files.path());
        let tried = tried.lock().unwrap().len();
        assert!(tried >= 8, "{trouble:?}: {tried}");
        server.heal();
        assert_eq!(errors(&repository), Vec::<String>::new());
    }
}

#[test]
fn a_good_file_stays_whatever_is_said_of_its_length() {
    let server = Server::start();
    let url = server.url("user:p%40ss@");
    let store = Rest::new(url.strip_prefix("rest:").unwrap(), &Options::default()).unwrap();
    let removed = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&removed);
    server.spoil(move |method, _| {
        *counted.lock().unwrap() += usize::from(method == "DELETE");
        (method == "HEAD").then_some(Trouble::Lie)
    });
    store.put(pack(7), b"0123456789").unwrap();
    assert_eq!(store.get(pack(7), None).unwrap(), b"0123456789");
    assert_eq!(*removed.lock().unwrap(), 0);
    // A file of which half was lost is still found out.
    server.spoil(|method, _| (method == "POST").then_some(Trouble::Half));
    assert!(matches!(store.put(pack(8), b"0123456789"), Err(StoreError::Passing(_))));
    assert!(matches!(store.get(pack(8), None), Err(StoreError::NotFound)));
}

#[test]
fn a_store_that_does_not_answer_is_given_up() {
    let server = Server::start();
    let url = server.url("user:p%40ss@");
    server.spoil(|_, _| Some(Trouble::Fault));
    let store =
        Quick::new(Rest::new(url.strip_prefix("rest:").unwrap(), &Options::default()).unwrap());
    let failed = Repository::open(Box::new(store), &registry(), b"password");
    let Err(error) = failed else { panic!("it is open") };
    assert_eq!(error.to_string(), "config: the server answers 503 Service Unavailable: overloaded");
    // An address that never answered may be wrong: one try and three more.
    assert_eq!(server.requests(), 4);
}
