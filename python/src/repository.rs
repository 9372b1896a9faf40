//! Repositories of restic's format, for data sets that are saved in parts.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broadloom_snapshot::backup::{BackupOptions, Parent, Progress, Report, Source, backup};
use broadloom_snapshot::snapshot::{Selection, Snapshots};
use broadloom_snapshot::{Id, Lock, SnapshotError, forget, merge, store, unlock};
use pyo3::exceptions::{PyBlockingIOError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::engine::{REGISTRY, with_secrets};
use crate::{arguments, error};

/// The identity of a snapshot, if one was made, and the paths that could not be saved, each with
/// the reason.
type Saved = (Option<String>, Vec<(PathBuf, String)>);

/// A repository that is open. Each method that writes holds a lock of restic's.
#[pyclass(frozen, module = "broadloom._broadloom")]
pub struct Repository {
    open: Arc<broadloom_snapshot::Repository>,
    kept: Mutex<Kept>,
}

/// The lock that several backups hold together.
#[derive(Default)]
struct Kept {
    /// The lock of the next backup stays for those after it.
    keeps: bool,
    lock: Option<Arc<Lock>>,
}

impl Repository {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock that is kept, or a new one. To take one lasts a fifth of a second.
    fn lock(&self) -> Result<Arc<Lock>, SnapshotError> {
        let mut kept = self.kept();
        if let Some(lock) = &kept.lock {
            return Ok(Arc::clone(lock));
        }
        let lock = Arc::new(Lock::new(&self.open, false)?);
        kept.lock = kept.keeps.then(|| Arc::clone(&lock));
        Ok(lock)
    }
}

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
        Ok(Repository { open: Arc::new(repository), kept: Mutex::default() })
    }

    /// Keeps the lock of the next backup for all after it, or gives up the one that is kept.
    fn keep_lock(&self, py: Python<'_>, keeps: bool) {
        py.detach(|| {
            let given_up = {
                let mut kept = self.kept();
                kept.keeps = keeps;
                kept.lock.take_if(|_| !keeps)
            };
            drop(given_up);
        });
    }

    /// Saves files as a snapshot: its name, and the paths that could not be saved, with reasons.
    /// There is no snapshot if none of them could be saved.
    #[pyo3(signature = (paths, *, tags, parent, threads, memory))]
    fn backup(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        tags: Vec<String>,
        parent: Option<&str>,
        threads: Option<isize>,
        memory: usize,
    ) -> PyResult<Saved> {
        let mut options = BackupOptions::new(Source::Paths(paths));
        options.tags = tags;
        options.parent = parent
            .map_or(Ok(Parent::None), |id| id.parse().map(Parent::Snapshot))
            .map_err(error::value)?;
        options.threads = NonZeroUsize::new(arguments::threads(threads)?).expect("at least 1");
        options.memory = memory;
        let failed = Failed::default();
        let done = py.detach(|| {
            let lock = self.lock()?;
            backup(&self.open, Some(&lock), options, &Progress::default(), &failed)
        });
        let failed = failed.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let snapshot = match done {
            Ok(summary) => Some(summary.snapshot.expect("it is no dry run").to_string()),
            Err(SnapshotError::NoSource | SnapshotError::Empty) if !failed.is_empty() => None,
            Err(error) => {
                // It may be the lock that no longer counts: the next attempt takes another one.
                py.detach(|| {
                    let given_up = self.kept().lock.take();
                    drop(given_up);
                });
                return Err(raise(error));
            }
        };
        Ok((snapshot, failed))
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
            let lock = self.lock()?;
            merge(&self.open, &lock, &parts, paths, tags)
        });
        Ok(merged.map_err(raise)?.to_string())
    }

    /// The snapshots that have a tag, oldest first.
    fn tagged(&self, py: Python<'_>, tag: String) -> PyResult<Vec<String>> {
        let selection = Selection { tags: vec![vec![tag]], ..Selection::default() };
        // A part whose snapshot cannot be read has no tag: it is saved again.
        let all = || Snapshots::all(&self.open, &mut |_| {});
        let mut snapshots = py.detach(all).map_err(raise)?;
        snapshots.retain(&selection);
        Ok(snapshots.0.iter().map(|snapshot| snapshot.id.to_string()).collect())
    }

    /// Removes locks whose process is gone, and snapshots. What only they need stays until restic
    /// prunes it.
    fn forget(&self, py: Python<'_>, snapshots: Vec<String>) -> PyResult<()> {
        let gone = ids(&snapshots)?;
        let done = py.detach(|| {
            unlock(&self.open, false)?;
            let _lock = Lock::new(&self.open, true)?;
            forget::forget(&self.open, &gone)
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
