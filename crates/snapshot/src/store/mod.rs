//! The place that holds a repository: a directory, or whatever implements [`Store`].

mod directory;
mod retry;

use std::fmt;
use std::io;
use std::ops::Range;
use std::time::Duration;

use crate::id::Id;

pub use directory::Directory;
pub(crate) use retry::Retrying;

/// Waits before the second and later tries.
const WAITS: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(15),
];

/// What a file of a repository is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The repository's key, encrypted with a password.
    Key,
    /// A lock.
    Lock,
    /// A snapshot.
    Snapshot,
    /// Where blobs are.
    Index,
    /// Blobs.
    Pack,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] = [Kind::Key, Kind::Lock, Kind::Snapshot, Kind::Index, Kind::Pack];

    /// The directory of the repository that holds files of the kind.
    #[must_use]
    pub fn directory(self) -> &'static str {
        match self {
            Kind::Key => "keys",
            Kind::Lock => "locks",
            Kind::Snapshot => "snapshots",
            Kind::Index => "index",
            Kind::Pack => "data",
        }
    }
}

/// A file of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum File {
    /// The repository's format and ID.
    Config,
    /// Every other file: its name is the SHA-256 of its content.
    Named(Kind, Id),
}

impl File {
    /// Its path in the repository, with `/` between names.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            File::Config => "config".to_owned(),
            File::Named(Kind::Pack, id) => {
                let name = id.to_string();
                format!("data/{}/{name}", &name[..2])
            }
            File::Named(kind, id) => format!("{}/{id}", kind.directory()),
        }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

/// Why a store did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is not there.
    #[error("it is not there")]
    NotFound,
    /// The file is there already.
    #[error("it is there already")]
    Exists,
    /// The file has fewer bytes than were asked for.
    #[error("it has {got} bytes where {wanted} were expected")]
    Short {
        /// Bytes that were expected.
        wanted: u64,
        /// Bytes that came.
        got: u64,
    },
    /// The store's own error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// An error that may pass: of a network, or of a server.
    #[error("{0}")]
    Passing(String),
    /// An address that names no store.
    #[error("{0}")]
    Address(String),
}

/// Files of a repository, each written once, whole or not at all.
pub trait Store: Send + Sync {
    /// Makes what the store needs before a first file: directories.
    ///
    /// # Errors
    /// What the store says.
    fn create(&self) -> Result<(), StoreError>;

    /// Writes a file. When this returns, the file survives a loss of power, as far as the store
    /// can tell.
    ///
    /// # Errors
    /// What the store says. The file is then not there, or whole.
    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError>;

    /// Reads a file, or a range of its bytes.
    ///
    /// # Errors
    /// What the store says; [`StoreError::Short`] if the file ends before the range.
    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError>;

    /// The files of a kind, with their lengths. Names that are no IDs are left out.
    ///
    /// # Errors
    /// What the store says.
    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError>;

    /// Removes a file.
    ///
    /// # Errors
    /// What the store says.
    fn remove(&self, file: File) -> Result<(), StoreError>;

    /// How long to wait before each further try, after an error that may pass.
    fn waits(&self) -> &[Duration] {
        &WAITS
    }
}

/// Opens the store at an address: the path of a directory, or `local:PATH`.
///
/// # Errors
/// An address that names no directory, and what the store says.
pub fn open(address: &str) -> Result<Box<dyn Store>, StoreError> {
    let wrong = |text: String| Err(StoreError::Address(text));
    if let Some(path) = address.strip_prefix("local:") {
        return Ok(Box::new(Directory::new(path)));
    }
    if address.is_empty() {
        return wrong("the address of the repository is empty".to_owned());
    }
    // Addresses of restic that are no paths are refused, rather than to make a directory of such a
    // name.
    let schemes = ["s3:", "gs:", "azure:", "rest:", "sftp:", "b2:", "swift:", "rclone:"];
    if address.contains("://") || schemes.iter().any(|scheme| address.starts_with(scheme)) {
        return wrong(format!("{address:?} is no directory; valid: the path of one"));
    }
    Ok(Box::new(Directory::new(address)))
}
