//! What can go wrong.

use std::io;
use std::path::PathBuf;

use broadloom_engine::{JobError, OpenError, TransformError};

use crate::id::Id;
use crate::store::{File, StoreError};

/// Why a repository or a snapshot cannot be used, made or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The place that holds the repository failed.
    #[error("{file}: {error}")]
    Store {
        /// What was asked for.
        file: File,
        /// Why it failed.
        #[source]
        error: StoreError,
    },
    /// A list of the repository's files failed.
    #[error("{what} cannot be listed: {error}")]
    List {
        /// What was to be listed.
        what: &'static str,
        /// Why it failed.
        #[source]
        error: StoreError,
    },
    /// There is a repository already.
    #[error("there is a repository already")]
    Exists,
    /// There is no repository.
    #[error("there is no repository: it has no file \"config\"; valid: one that `init` made")]
    NoRepository,
    /// There is a file where a repository has its configuration, and no key that opens it.
    #[error("it has no key in \"keys\": it is no repository, or it lost its keys")]
    NoKeys,
    /// No key opens with the password.
    #[error("the password is wrong, or no key is for it ({0} keys were tried)")]
    Password(usize),
    /// The repository has another format.
    #[error("the repository has format version {0}; valid: 1 and 2")]
    Version(u32),
    /// A file of the repository is not what was written there.
    #[error("{file} is damaged: {reason}")]
    Damaged {
        /// The file.
        file: File,
        /// What is wrong with it.
        reason: String,
    },
    /// A blob is not what was written.
    #[error("blob {blob} in {file} is damaged: {reason}")]
    DamagedBlob {
        /// The blob.
        blob: Id,
        /// The pack that holds it.
        file: File,
        /// What is wrong with it.
        reason: String,
    },
    /// No index lists a blob.
    #[error("the {kind} blob {blob} is in no index: the repository is not complete")]
    Missing {
        /// The blob.
        blob: Id,
        /// `data` or `tree`.
        kind: &'static str,
    },
    /// A tree holds something impossible.
    #[error("tree {tree} is damaged: {reason}")]
    Tree {
        /// The tree.
        tree: Id,
        /// What is wrong with it.
        reason: String,
    },
    /// The repository is locked.
    #[error(
        "the repository is locked {how} (lock {lock}); `broadloom snapshot unlock` removes locks \
         whose process is gone"
    )]
    Locked {
        /// The lock.
        lock: Id,
        /// How, by whom, and since when.
        how: String,
    },
    /// A name that no snapshot has, or several have.
    #[error("{0}")]
    Selection(String),
    /// No source of a backup is there.
    #[error("no file or directory that was to be saved is there; no snapshot is made")]
    NoSource,
    /// Nothing of a backup's sources is left to save.
    #[error(
        "nothing is left to save: everything was excluded, was empty or could not be read; no \
         snapshot is made"
    )]
    Empty,
    /// A file of the machine.
    #[error("{}: {error}", path.display())]
    Path {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        #[source]
        error: io::Error,
    },
    /// A job of the engine failed.
    #[error("encryption failed: {0}")]
    Job(#[from] JobError),
    /// A session could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A key has a length that no transform takes.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// The system gave no random bytes.
    #[error("the system gave no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl SnapshotError {
    /// Returns `true` if one file of the repository is to blame, so that others may be whole: not
    /// for a store that cannot be asked.
    pub(crate) fn is_of_one_file(&self) -> bool {
        match self {
            SnapshotError::Damaged { .. } => true,
            SnapshotError::Store { error, .. } => {
                !matches!(error, StoreError::Passing(_) | StoreError::Refused(_))
            }
            _ => false,
        }
    }

    /// A path's error.
    pub(crate) fn path(path: impl Into<PathBuf>, error: impl Into<io::Error>) -> SnapshotError {
        SnapshotError::Path { path: path.into(), error: error.into() }
    }

    /// A damaged file.
    pub(crate) fn damaged(file: File, reason: impl Into<String>) -> SnapshotError {
        SnapshotError::Damaged { file, reason: reason.into() }
    }
}
