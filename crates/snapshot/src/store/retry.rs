//! A store whose passing errors are tried again.

use std::ops::Range;
use std::thread;

use super::{File, Kind, Store, StoreError};
use crate::id::Id;

/// Tries the operations of a store again when they fail.
pub(crate) struct Retrying(pub Box<dyn Store>);

/// Whether another try may help.
fn passes(error: &StoreError) -> bool {
    match error {
        StoreError::Short { .. } | StoreError::Passing(_) => true,
        // A directory's errors stay: a full disk, a right that is missing.
        StoreError::Io(_) | StoreError::NotFound | StoreError::Exists | StoreError::Address(_) => {
            false
        }
    }
}

impl Retrying {
    fn again<T>(&self, mut call: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        for &wait in self.0.waits() {
            match call() {
                Err(error) if passes(&error) => thread::sleep(wait),
                done => return done,
            }
        }
        call()
    }
}

impl Store for Retrying {
    fn create(&self) -> Result<(), StoreError> {
        self.again(|| self.0.create())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        self.again(|| self.0.put(file, content))
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        self.again(|| {
            let content = self.0.get(file, range.clone())?;
            let wanted =
                range.as_ref().map_or(content.len() as u64, |range| range.end - range.start);
            match content.len() as u64 {
                got if got != wanted => Err(StoreError::Short { wanted, got }),
                _ => Ok(content),
            }
        })
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        self.again(|| self.0.list(kind))
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        let mut tried = false;
        self.again(|| {
            let removed = self.0.remove(file);
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
}
