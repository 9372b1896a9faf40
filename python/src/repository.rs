//! Repositories of restic's format, for data sets that are saved in parts.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use broadloom_snapshot::backup::{BackupOptions, Parent, Progress, Report, Source, backup};
use broadloom_snapshot::snapshot::{Selection, Snapshots};
use broadloom_snapshot::{Id, Lock, SnapshotError, forget, merge, store, unlock};
use pyo3::exceptions::{PyBlockingIOError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::engine::{REGISTRY, with_secrets};
use crate::{arguments, error};

/// A repository that is open. Each method that writes holds a lock of restic's.
#[pyclass(frozen, module = "broadloom._broadloom")]
pub struct Repository(Arc<broadloom_snapshot::Repository>);

#[pymethods]
impl Repository {
    /// Opens the repository in a directory; with `create`, makes one where there is none.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        address: &str,
        password: &Bound<'_, PyAny>,
        create: bool,
    ) -> PyResult<Repository> {
        let password = arguments::key(password)?;
        let place = || store::open(address, &store::Options::default()).map_err(error::value);
        let open = || {
            match broadloom_snapshot::Repository::open(place()?, &REGISTRY, &password) {
                Err(SnapshotError::NoRepository) if create => {
                    broadloom_snapshot::Repository::init(place()?, &REGISTRY, &password)
                }
                opened => opened,
            }
            .map_err(raise)
        };
        let repository = py.detach(|| with_secrets(open))?;
        Ok(Repository(Arc::new(repository)))
    }

    /// Saves files as a snapshot: its name, and the paths that could not be saved, with reasons.
    #[pyo3(signature = (paths, *, tags, parent, threads, memory))]
    fn backup(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        tags: Vec<String>,
        parent: Option<&str>,
        threads: Option<isize>,
        memory: usize,
    ) -> PyResult<(String, Vec<(PathBuf, String)>)> {
        let mut options = BackupOptions::new(Source::Paths(paths));
        options.tags = tags;
        options.parent = parent
            .map_or(Ok(Parent::None), |id| id.parse().map(Parent::Snapshot))
            .map_err(error::value)?;
        options.threads = NonZeroUsize::new(arguments::threads(threads)?).expect("at least 1");
        options.memory = memory;
        let failed = Failed::default();
        let done = py.detach(|| {
            let lock = Lock::new(&self.0, false)?;
            backup(&self.0, Some(&lock), options, &Progress::default(), &failed)
        });
        let snapshot = done.map_err(raise)?.snapshot.expect("it is no dry run");
        Ok((snapshot.to_string(), failed.0.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Makes one snapshot of several, and gives its name.
    #[pyo3(signature = (snapshots, *, paths, tags))]
    fn merge(
        &self,
        py: Python<'_>,
        snapshots: Vec<String>,
        paths: Vec<String>,
        tags: Vec<String>,
    ) -> PyResult<String> {
        let parts = ids(&snapshots)?;
        let merged = py.detach(|| {
            let lock = Lock::new(&self.0, false)?;
            merge(&self.0, &lock, &parts, paths, tags)
        });
        Ok(merged.map_err(raise)?.to_string())
    }

    /// The snapshots that have a tag, oldest first.
    fn tagged(&self, py: Python<'_>, tag: String) -> PyResult<Vec<String>> {
        let selection = Selection { tags: vec![vec![tag]], ..Selection::default() };
        let mut snapshots = py.detach(|| Snapshots::all(&self.0)).map_err(raise)?;
        snapshots.retain(&selection);
        Ok(snapshots.0.iter().map(|snapshot| snapshot.id.to_string()).collect())
    }

    /// Removes locks whose process is gone, and snapshots. What only they need stays until restic
    /// prunes it.
    fn forget(&self, py: Python<'_>, snapshots: Vec<String>) -> PyResult<()> {
        let gone = ids(&snapshots)?;
        let done = py.detach(|| {
            unlock(&self.0, false)?;
            let _lock = Lock::new(&self.0, true)?;
            forget::forget(&self.0, &gone)
        });
        done.map_err(raise)
    }
}

fn ids(texts: &[String]) -> PyResult<Vec<Id>> {
    texts.iter().map(|text| text.parse().map_err(error::value)).collect()
}

/// `ValueError` for what the caller can mend, `BlockingIOError` for a lock, `OSError` for the rest.
fn raise(error: SnapshotError) -> PyErr {
    let message = error.to_string();
    match error {
        SnapshotError::Locked { .. } => PyBlockingIOError::new_err(message),
        SnapshotError::Exists
        | SnapshotError::NoRepository
        | SnapshotError::NoKeys
        | SnapshotError::Password(_)
        | SnapshotError::Selection(_)
        | SnapshotError::Version(_) => PyValueError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// Keeps which files could not be saved. What else is worth to be known changes no result.
#[derive(Default)]
struct Failed(Mutex<Vec<(PathBuf, String)>>);

impl Report for Failed {
    fn error(&self, path: &Path, error: &dyn std::error::Error) {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.push((path.to_owned(), error.to_string()));
    }

    fn warning(&self, _: &str) {}
}
