//! A repository in memory, in a store whose answers can be spoiled.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use broadloom_engine::Registry;
use broadloom_lanes::Cpu;
use broadloom_snapshot::backup::{BackupOptions, Progress, Report, Source, Summary, backup};
use broadloom_snapshot::store::{File, Kind, Store, StoreError};
use broadloom_snapshot::{Id, Repository, SnapshotError};
pub use broadloom_testing::noise;

/// What is done wrong, or `None`.
pub type Fault = Box<dyn FnMut(&Call) -> Option<Wrong> + Send>;

/// An operation of the store.
#[derive(Debug)]
pub enum Call {
    Put(File),
    Get(File),
    List(Kind),
    Remove(File),
}

/// What a store does wrong.
pub enum Wrong {
    /// It fails, as a network does.
    Passing,
    /// It fails for good.
    Full,
    /// It answers with the first half.
    Half,
    /// It answers with something else.
    Other(Vec<u8>),
}

#[derive(Default)]
struct StoreState {
    files: HashMap<File, Vec<u8>>,
    fault: Option<Fault>,
    puts: Vec<File>,
}

/// Files in memory, shared by all clones.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<StoreState>>);

impl Memory {
    fn with<T>(&self, change: impl FnOnce(&mut StoreState) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    pub fn spoil(&self, fault: impl FnMut(&Call) -> Option<Wrong> + Send + 'static) {
        self.with(|state| state.fault = Some(Box::new(fault)));
    }

    pub fn heal(&self) {
        self.with(|state| state.fault = None);
    }

    pub fn files(&self) -> Vec<File> {
        self.with(|state| state.files.keys().copied().collect())
    }

    pub fn change(&self, file: File, change: impl FnOnce(&mut Vec<u8>)) {
        self.with(|state| change(state.files.get_mut(&file).unwrap()));
    }

    pub fn content(&self, file: File) -> Vec<u8> {
        self.with(|state| state.files[&file].clone())
    }

    pub fn delete(&self, file: File) {
        self.with(|state| state.files.remove(&file).unwrap());
    }

    pub fn insert(&self, file: File, content: Vec<u8>) {
        self.with(|state| state.files.insert(file, content));
    }

    /// The files that were written, in order.
    pub fn puts(&self) -> Vec<File> {
        self.with(|state| state.puts.clone())
    }
}

fn fault(state: &mut StoreState, call: &Call) -> Result<Option<Wrong>, StoreError> {
    match state.fault.as_mut().and_then(|fault| fault(call)) {
        Some(Wrong::Passing) => Err(StoreError::Passing("the connection was lost".to_owned())),
        Some(Wrong::Full) => Err(std::io::Error::other("the disk is full").into()),
        wrong => Ok(wrong),
    }
}

impl Store for Memory {
    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.with(|state| {
            fault(state, &Call::Put(file))?;
            state.files.insert(file, content.to_vec());
            state.puts.push(file);
            Ok(())
        })
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        self.with(|state| {
            let wrong = fault(state, &Call::Get(file))?;
            let content = state.files.get(&file).ok_or(StoreError::NotFound)?;
            let content = match range {
                None => content.clone(),
                Some(range) => {
                    let part = content.get(range.start as usize..range.end as usize);
                    let (wanted, got) = (range.end, content.len() as u64);
                    part.ok_or(StoreError::Short { wanted, got })?.to_vec()
                }
            };
            Ok(match wrong {
                Some(Wrong::Half) => content[..content.len() / 2].to_vec(),
                Some(Wrong::Other(other)) => other,
                _ => content,
            })
        })
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        self.with(|state| {
            fault(state, &Call::List(kind))?;
            let named = state.files.iter().filter_map(|(file, content)| match file {
                File::Named(of, id) if *of == kind => Some((*id, content.len() as u64)),
                _ => None,
            });
            Ok(named.collect())
        })
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        self.with(|state| {
            fault(state, &Call::Remove(file))?;
            state.files.remove(&file).map(drop).ok_or(StoreError::NotFound)
        })
    }

    fn waits(&self) -> &[Duration] {
        const { &[Duration::ZERO, Duration::from_millis(1)] }
    }
}

pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_factory(broadloom_native::factory(&Cpu::detect()));
    registry
}

/// A new repository in memory.
pub fn repository() -> (Memory, Arc<Repository>) {
    let memory = Memory::default();
    let made = Repository::init(Box::new(memory.clone()), &registry(), b"password").unwrap();
    (memory, Arc::new(made))
}

/// Keeps what is reported.
#[derive(Default)]
pub struct Notes(pub Mutex<Vec<String>>);

impl Notes {
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Report for Notes {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        self.0.lock().unwrap().push(format!("{}: {error}", path.display()));
    }

    fn warning(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// Saves a path, under a lock as the command does.
pub fn save(repository: &Arc<Repository>, path: &Path) -> Result<Summary, SnapshotError> {
    save_with(repository, path, |_| {})
}

pub fn save_with(
    repository: &Arc<Repository>,
    path: &Path,
    change: impl FnOnce(&mut BackupOptions),
) -> Result<Summary, SnapshotError> {
    let lock = broadloom_snapshot::Lock::new(repository, false)?;
    let mut options = BackupOptions::new(Source::Paths(vec![PathBuf::from(path)]));
    change(&mut options);
    backup(repository, Some(&lock), options, &Progress::default(), &Notes::default())
}

/// Some files: empty, small, with equal parts, of several chunks.
pub fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::create_dir_all(at("d/deep/er")).unwrap();
    std::fs::write(at("empty"), b"").unwrap();
    std::fs::write(at("a"), b"text").unwrap();
    std::fs::write(at("d/same"), b"text").unwrap();
    std::fs::write(at("d/deep/large"), noise(3_000_000, 1)).unwrap();
    std::fs::write(at("d/deep/er/zeros"), vec![0; 2_000_000]).unwrap();
    place
}
