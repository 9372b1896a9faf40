//! A store whose passing errors are tried again.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{File, Kind, Store, StoreError};
use crate::id::Id;

/// Tries with a store that has never answered: its address may be wrong.
const UNKNOWN: usize = 3;
/// Tries after an answer that was too short: the file may be.
const SHORT: usize = 2;

/// Tries the operations of a store again when they fail.
pub(crate) struct Retrying {
    store: Box<dyn Store>,
    /// The store has answered once.
    answered: AtomicBool,
}

impl Retrying {
    pub(crate) fn new(store: Box<dyn Store>) -> Retrying {
        Retrying { store, answered: AtomicBool::new(false) }
    }

    /// The store, which tries once.
    pub(crate) fn once(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the number of further tries that may help.
    fn tries(&self, error: &StoreError) -> usize {
        match error {
            StoreError::Passing(_) if self.answered.load(Ordering::Relaxed) => usize::MAX,
            StoreError::Passing(_) => UNKNOWN,
            StoreError::Short { .. } => SHORT,
            // A directory's errors stay: a full disk, a right that is missing.
            StoreError::Io(_)
            | StoreError::NotFound
            | StoreError::Exists
            | StoreError::Refused(_)
            | StoreError::Address(_) => 0,
        }
    }

    fn again<T>(
        &self,
        what: &dyn std::fmt::Display,
        mut call: impl FnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let waits = self.store.waits();
        let mut tried = 0;
        loop {
            let error = match call() {
                Err(error) => error,
                done => {
                    self.answered.store(true, Ordering::Relaxed);
                    return done;
                }
            };
            if matches!(error, StoreError::NotFound | StoreError::Short { .. }) {
                self.answered.store(true, Ordering::Relaxed);
            }
            if tried >= self.tries(&error).min(waits.len()) {
                return Err(error);
            }
            self.store.failed(what, &error, waits[tried]);
            thread::sleep(waits[tried]);
            tried += 1;
        }
    }
}

impl Store for Retrying {
    fn create(&self) -> Result<(), StoreError> {
        self.again(&"the repository", || self.store.create())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.again(&file, || self.store.put(file, content))
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        self.again(&file, || {
            let content = self.store.get(file, range.clone())?;
            let wanted =
                range.as_ref().map_or(content.len() as u64, |range| range.end - range.start);
            match content.len() as u64 {
                got if got != wanted => Err(StoreError::Short { wanted, got }),
                _ => Ok(content),
            }
        })
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        self.again(&kind.directory(), || self.store.list(kind))
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        let mut tried = false;
        self.again(&file, || {
            let removed = self.store.remove(file);
            match removed {
                // The first try removed it, and its answer was lost.
                Err(StoreError::NotFound) if tried => Ok(()),
                removed => {
                    tried = true;
                    removed
                }
            }
        })
    }

    fn connections(&self) -> usize {
        self.store.connections()
    }
}
