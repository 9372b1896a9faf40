//! A repository in a store of objects.

use std::error::Error as _;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Runtime;

use super::super::{File, Kind, Notice, Store, StoreError};
use super::http::{Answer, brief};
use super::{CONNECTIONS, WAITS, notify};
use crate::id::Id;

/// Bytes of a part of an object. A part that is lost is sent again alone, and only parts are
/// copied.
const PART: usize = 8 << 20;
const NO_BUCKET: &str =
    "the bucket or container is not there; valid: the name of one that was made before";

/// Objects with a common prefix, in any store of the crate `object_store`.
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
    notice: Option<Notice>,
    /// What may help, after an error.
    hint: Option<&'static str>,
}

impl Objects {
    /// The repository below a prefix of a store.
    ///
    /// # Errors
    /// If the system gives no timer.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> Result<Objects, StoreError> {
        // Every call is driven by the thread that makes it.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Objects { store, prefix, runtime, notice: None, hint: None })
    }

    /// A repository in memory, for tests.
    ///
    /// # Errors
    /// If the system gives no timer.
    pub fn in_memory() -> Result<Objects, StoreError> {
        Objects::new(Arc::new(InMemory::new()), Path::default())
    }

    /// The same, with what is told of failures.
    pub(super) fn telling(self, notice: Option<Notice>, hint: Option<&'static str>) -> Objects {
        Objects { notice, hint, ..self }
    }

    fn path(&self, file: File) -> Path {
        let names = file.path();
        names.split('/').fold(self.prefix.clone(), |path, name| path.join(name))
    }

    async fn write(&self, path: &Path, content: &[u8]) -> Result<(), Error> {
        if content.len() <= PART {
            self.store.put(path, PutPayload::from(content.to_vec())).await?;
            return Ok(());
        }
        let mut upload = self.store.put_multipart(path).await?;
        let sent = async {
            for part in content.chunks(PART) {
                upload.put_part(PutPayload::from(part.to_vec())).await?;
            }
            upload.complete().await
        };
        let sent = sent.await;
        if sent.is_err() {
            // The error of the write is the one to report. Parts that stay are never seen.
            let _ = upload.abort().await;
        }
        sent.map(drop)
    }

    /// An error of the store, where `start` is the begin of the range that was asked for.
    fn error(&self, error: Error, start: u64, wanted: u64) -> StoreError {
        match (kind(error, start, wanted), self.hint) {
            (StoreError::Passing(text), Some(hint)) => StoreError::Passing(text + hint),
            (StoreError::Refused(text), Some(hint)) => StoreError::Refused(text + hint),
            (error, _) => error,
        }
    }
}

fn kind(error: Error, start: u64, wanted: u64) -> StoreError {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(answer) = inner.downcast_ref::<Answer>() {
            return match answer.error(start, wanted) {
                StoreError::NotFound => StoreError::Refused(NO_BUCKET.to_owned()),
                error => error,
            };
        }
        match inner.downcast_ref::<StoreError>() {
            Some(StoreError::Passing(text)) => return StoreError::Passing(brief(text)),
            Some(StoreError::Refused(text)) => return StoreError::Refused(brief(text)),
            _ => cause = inner.source(),
        }
    }
    match error {
        Error::NotFound { .. } => StoreError::NotFound,
        Error::AlreadyExists { .. } => StoreError::Exists,
        Error::PermissionDenied { .. }
        | Error::Unauthenticated { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::InvalidPath { .. }
        | Error::UnknownConfigurationKey { .. } => StoreError::Refused(brief(&error.to_string())),
        error => StoreError::Passing(brief(&error.to_string())),
    }
}

impl Store for Objects {
    /// Nothing: a bucket or container must be there, and prefixes need not be.
    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        let (path, wanted) = (self.path(file), content.len() as u64);
        let got = self.runtime.block_on(async {
            match self.write(&path, content).await {
                Err(Error::NotFound { .. }) => Err(StoreError::Refused(NO_BUCKET.to_owned())),
                Err(error) => Err(self.error(error, 0, wanted)),
                // A store that lost the end of a transfer is not believed.
                Ok(()) => match self.store.head(&path).await {
                    Err(Error::NotFound { .. }) => Ok(0),
                    Err(error) => Err(self.error(error, 0, wanted)),
                    Ok(object) => Ok(object.size),
                },
            }
        })?;
        match got == wanted {
            true => Ok(()),
            false => Err(StoreError::Passing(StoreError::Short { wanted, got }.to_string())),
        }
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        let path = self.path(file);
        let (start, wanted) =
            range.as_ref().map_or((0, 0), |range| (range.start, range.end - range.start));
        let content = self.runtime.block_on(async {
            match range {
                None => {
                    let object = self.store.get(&path).await?;
                    let wanted = object.meta.size;
                    Ok((object.bytes().await?, wanted))
                }
                Some(range) => Ok((self.store.get_range(&path, range).await?, wanted)),
            }
        });
        let (content, wanted) = content.map_err(|error| self.error(error, start, wanted))?;
        match content.len() as u64 {
            got if got != wanted => Err(StoreError::Short { wanted, got }),
            _ => Ok(content.into()),
        }
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        let prefix = self.prefix.clone().join(kind.directory());
        let listed = self.store.list(Some(&prefix)).try_collect::<Vec<_>>();
        let listed = self.runtime.block_on(listed).map_err(|error| match error {
            Error::NotFound { .. } => StoreError::Refused(NO_BUCKET.to_owned()),
            error => self.error(error, 0, 0),
        })?;
        let named = listed.iter().filter_map(|object| {
            let id = object.location.filename()?.parse().ok()?;
            Some((id, object.size))
        });
        Ok(named.collect())
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        let removed = self.runtime.block_on(self.store.delete(&self.path(file)));
        removed.map_err(|error| self.error(error, 0, 0))
    }

    fn waits(&self) -> &[Duration] {
        &WAITS
    }

    fn failed(&self, what: &dyn Display, error: &StoreError, wait: Duration) {
        notify(self.notice.as_ref(), what, error, wait);
    }

    fn connections(&self) -> usize {
        CONNECTIONS
    }
}
