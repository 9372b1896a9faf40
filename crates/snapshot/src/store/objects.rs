//! A repository in a store of objects.

use std::ops::Range;
use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, PutPayload};
use tokio::runtime::Runtime;
use url::Url;

use super::{File, Kind, Store, StoreError};
use crate::id::Id;

/// Threads that drive transfers. They wait more than they work.
const THREADS: usize = 2;

/// Objects with a common prefix, in any store of the crate `object_store`.
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
}

impl Objects {
    /// The repository below a prefix of a store.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> Result<Objects, StoreError> {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(THREADS).enable_all().build()?;
        Ok(Objects { store, prefix, runtime })
    }

    /// A repository in memory, for tests.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn in_memory() -> Result<Objects, StoreError> {
        Objects::new(Arc::new(InMemory::new()), Path::default())
    }

    /// The store that an address names: restic's `s3:HOST/BUCKET/PREFIX`, `gs:BUCKET:/PREFIX` and
    /// `azure:CONTAINER:/PREFIX`, and the URLs `s3://`, `gs://` and `az://`. `None` for the path of
    /// a directory.
    ///
    /// # Errors
    /// An address that looks like another place than a directory and is none that is known.
    pub fn parse(address: &str) -> Result<Option<Objects>, StoreError> {
        let wrong = |reason: String| StoreError::Address(format!("{address:?}: {reason}"));
        let Some((url, endpoint)) = translated(address) else {
            if super::is_remote(address) {
                let valid = "valid: a directory, s3:HOST/BUCKET/PATH, gs:BUCKET:/PATH or \
                    azure:CONTAINER:/PATH";
                return Err(wrong(valid.to_owned()));
            }
            return Ok(None);
        };
        let url = Url::parse(&url).map_err(|error| wrong(error.to_string()))?;
        // Options by the names that the ecosystem's tools read from the environment.
        let mut options: Vec<(String, String)> = std::env::vars()
            .filter(|(name, _)| {
                ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|prefix| name.starts_with(prefix))
            })
            .map(|(name, value)| (name.to_lowercase(), value))
            .collect();
        if let Some(endpoint) = endpoint {
            if endpoint.starts_with("http:") {
                options.push(("aws_allow_http".to_owned(), "true".to_owned()));
            }
            options.push(("aws_endpoint".to_owned(), endpoint));
        }
        let known = object_store::parse_url_opts(&url, options);
        let (store, prefix) = known.map_err(|error| wrong(error.to_string()))?;
        Objects::new(Arc::from(store), prefix).map(Some)
    }

    fn path(&self, file: File) -> Path {
        let names = file.path();
        names.split('/').fold(self.prefix.clone(), |path, name| path.child(name))
    }
}

/// The URL and the endpoint of an address.
fn translated(address: &str) -> Option<(String, Option<String>)> {
    if ["s3://", "gs://", "az://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Some((address.to_owned(), None));
    }
    if let Some(rest) = address.strip_prefix("s3:") {
        let (scheme, rest) = rest.split_once("://").unwrap_or(("https", rest));
        let (host, path) = rest.split_once('/').filter(|(_, path)| !path.is_empty())?;
        return Some((format!("s3://{path}"), Some(format!("{scheme}://{host}"))));
    }
    [("gs:", "gs"), ("azure:", "az")].into_iter().find_map(|(prefix, scheme)| {
        let (bucket, path) = address.strip_prefix(prefix)?.split_once(':')?;
        Some((format!("{scheme}://{bucket}/{}", path.trim_start_matches('/')), None))
    })
}

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> StoreError {
        use object_store::Error;
        match error {
            Error::NotFound { .. } => StoreError::NotFound,
            Error::AlreadyExists { .. } => StoreError::Exists,
            Error::PermissionDenied { .. }
            | Error::Unauthenticated { .. }
            | Error::NotSupported { .. }
            | Error::InvalidPath { .. }
            | Error::UnknownConfigurationKey { .. } => StoreError::Refused(error.to_string()),
            error => StoreError::Passing(error.to_string()),
        }
    }
}

impl Store for Objects {
    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&self, file: File, content: Vec<u8>) -> Result<(), StoreError> {
        let (path, len) = (self.path(file), content.len() as u64);
        self.runtime.block_on(async {
            self.store.put(&path, PutPayload::from(content)).await?;
            // A store that lost the end of a transfer is not believed.
            match self.store.head(&path).await?.size {
                got if got != len => Err(StoreError::Short { wanted: len, got }),
                _ => Ok(()),
            }
        })
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        let path = self.path(file);
        let content = self.runtime.block_on(async {
            match range {
                None => self.store.get(&path).await?.bytes().await,
                Some(range) => self.store.get_range(&path, range).await,
            }
        })?;
        Ok(content.into())
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        let prefix = self.prefix.child(kind.directory());
        let listed = self.store.list(Some(&prefix)).try_collect::<Vec<_>>();
        let listed = self.runtime.block_on(listed)?;
        let named = listed.iter().filter_map(|object| {
            let id = object.location.filename()?.parse().ok()?;
            Some((id, object.size))
        });
        Ok(named.collect())
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        let path = self.path(file);
        Ok(self.runtime.block_on(self.store.delete(&path))?)
    }
}
