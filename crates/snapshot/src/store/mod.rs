//! The place that holds a repository: a directory, a store of objects, a REST server, or whatever
//! implements [`Store`].

mod address;
mod directory;
mod limit;
#[cfg(feature = "object-stores")]
mod remote;
mod retry;

use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::id::Id;
use address::Address;
use limit::Limit;

pub use directory::Directory;
#[cfg(feature = "object-stores")]
pub use remote::{Objects, Rest};
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
    /// A refusal, which stays.
    #[error("{0}")]
    Refused(String),
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

    /// Returns the waiting time before each further try, after an error that may pass.
    fn waits(&self) -> &[Duration] {
        &WAITS
    }

    /// Is told of each try that failed, before the wait for the next one.
    fn failed(&self, _what: &dyn fmt::Display, _error: &StoreError, _wait: Duration) {}

    /// Returns the number of simultaneous calls that the store needs to be fast.
    fn connections(&self) -> usize {
        2
    }
}

/// Is told in words what is tried again, and why.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// How a store is used.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Most bytes a second that are written.
    pub upload: Option<NonZeroU64>,
    /// Most bytes a second that are read.
    pub download: Option<NonZeroU64>,
    /// How long a transfer over a network may stand still before it counts as lost.
    pub patience: Duration,
    /// Is told what is tried again.
    pub notice: Option<Notice>,
}

impl Default for Options {
    fn default() -> Options {
        Options { upload: None, download: None, patience: Duration::from_secs(60), notice: None }
    }
}

/// Bounds on what a store reads and writes, all its threads together.
#[derive(Debug, Default)]
struct Limits {
    upload: Option<Limit>,
    download: Option<Limit>,
}

impl Limits {
    fn new(options: &Options) -> Limits {
        Limits {
            upload: options.upload.map(Limit::new),
            download: options.download.map(Limit::new),
        }
    }
}

/// Opens the store at an address, as restic writes it: a path, `local:PATH`; with the feature
/// `object-stores` also `s3:HOST/BUCKET/PATH`, `gs:BUCKET:/PATH`, `azure:CONTAINER:/PATH`,
/// `rest:URL`, and the URLs `s3://BUCKET/PATH`, `gs://BUCKET/PATH`, `az://CONTAINER/PATH`,
/// `http(s)://HOST/PATH`.
///
/// # Errors
/// An address that names no store, and credentials that cannot be read.
pub fn open(address: &str, options: &Options) -> Result<Box<dyn Store>, StoreError> {
    match Address::parse(address)? {
        Address::Directory(path) => Ok(Box::new(Directory::new(path).limited(options))),
        #[cfg(feature = "object-stores")]
        place => remote::open(&place, options),
        #[cfg(not(feature = "object-stores"))]
        _ => Err(StoreError::Address(format!(
            "{:?} is no directory, and this program was built without the feature object-stores",
            address::masked(address)
        ))),
    }
}
