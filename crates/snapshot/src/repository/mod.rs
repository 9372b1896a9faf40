//! A repository: files of a store, encrypted, under names by content.

mod blobs;
mod buffers;
mod crypto;
mod index;
mod keyfile;
mod keys;
mod lock;
mod pack;
mod saver;
mod tools;

use std::fs;

use broadloom_chunking::Polynomial;
use broadloom_engine::{Processor, Registry};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::SnapshotError;
use crate::id::Id;
use crate::json::to_json;
use crate::store::{File, Kind, Retrying, Store, StoreError};
use keyfile::KeyFile;
use keys::Search;

pub(crate) use blobs::PackCache;
pub use blobs::Piece;
pub(crate) use crypto::{Cryptor, OVERHEAD};
use index::IndexFile;
pub use index::{Index, Listed, Location};
pub use lock::{Lock, Remover, unlock};
pub use pack::{BlobKind, Entry};
pub(crate) use pack::{Pack, header_length, parse_header};
pub(crate) use saver::Saver;
use tools::decompress;
pub use tools::{Compression, Tools};

/// Most bytes that a JSON file may decompress to: an index lists 50,000 blobs in 12 MB.
pub(crate) const MOST_JSON: usize = 256 << 20;
/// Most bytes that a lock may decompress to.
const MOST_LOCK: usize = 1 << 20;
/// What begins a JSON file that is compressed.
const COMPRESSED: u8 = 2;

/// The file `config`.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Config {
    version: u32,
    id: Id,
    chunker_polynomial: String,
}

/// Bytes of the stack that are wiped behind what makes or opens keys.
const STACK: usize = 64 << 10;

/// Does what works with keys, and wipes the stack below: a value that is moved leaves its bytes
/// where it was made.
fn wiping_stack<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn below<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let made = below(work);
    zeroize::zeroize_stack::<STACK>();
    made
}

/// A repository whose password was right.
pub struct Repository {
    store: Retrying,
    cryptor: Cryptor,
    config: Config,
    polynomial: Polynomial,
}

impl Repository {
    /// Makes a repository of format 2.
    ///
    /// # Errors
    /// [`SnapshotError::Exists`] if there is one; what the store says.
    pub fn init(
        store: Box<dyn Store>,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Repository, SnapshotError> {
        wiping_stack(|| Repository::make(store, registry, password))
    }

    fn make(
        store: Box<dyn Store>,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Repository, SnapshotError> {
        let store = Retrying::new(store);
        let failed = |error| SnapshotError::Store { file: File::Config, error };
        match store.get(File::Config, None) {
            Ok(_) => return Err(SnapshotError::Exists),
            Err(StoreError::NotFound) => {}
            Err(error) => return Err(failed(error)),
        }
        // A config that was never written, with keys: another init may be under way.
        let keys = store.list(Kind::Key);
        match keys {
            Ok(keys) if keys.is_empty() => {}
            Ok(_) => return Err(SnapshotError::Exists),
            Err(error) => return Err(SnapshotError::List { what: "keys", error }),
        }
        store.create().map_err(failed)?;
        let mut id = [0; 32];
        getrandom::fill(&mut id)?;
        let polynomial = random_polynomial()?;
        let chunker_polynomial = polynomial.to_string();
        let config = Config { version: 2, id: Id(id), chunker_polynomial };
        let keys = crypto::Keys::random()?;
        let who = (username(), hostname());
        let key = to_json(&KeyFile::new(registry, &keys, password, who)?);
        let cryptor = Cryptor::new(registry, &keys)?;
        let mut processor = Processor::new();
        let name = cryptor.hash(&mut processor, &key)?;
        let key_file = File::Named(Kind::Key, name);
        let put = |file, bytes: &[u8]| {
            store.put(file, bytes).map_err(|error| SnapshotError::Store { file, error })
        };
        put(key_file, &key)?;
        put(File::Config, &cryptor.seal(&mut processor, &to_json(&config))?)?;
        Ok(Repository { store, cryptor, config, polynomial })
    }

    /// Opens a repository with a password.
    ///
    /// # Errors
    /// No repository, a wrong password, another format; what the store says.
    pub fn open(
        store: Box<dyn Store>,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Repository, SnapshotError> {
        wiping_stack(|| Repository::find(store, registry, password))
    }

    fn find(
        store: Box<dyn Store>,
        registry: &Registry,
        password: &[u8],
    ) -> Result<Repository, SnapshotError> {
        let store = Retrying::new(store);
        let config = match store.get(File::Config, None) {
            Ok(config) => config,
            Err(StoreError::NotFound) => return Err(SnapshotError::NoRepository),
            Err(error) => return Err(SnapshotError::Store { file: File::Config, error }),
        };
        let mut search = Search::new(&store, registry)?;
        while let Some(keys) = search.next(registry, password)? {
            let cryptor = Cryptor::new(registry, &keys)?;
            let damaged = |reason: &str| SnapshotError::damaged(File::Config, reason);
            let mut opened = cryptor.open(&mut Processor::new(), config.clone())?;
            if opened.is_none() {
                let config = store.get(File::Config, None);
                let config =
                    config.map_err(|error| SnapshotError::Store { file: File::Config, error })?;
                opened = cryptor.open(&mut Processor::new(), config)?;
            }
            let Some(config) = opened else {
                // The key may be another repository's, which has the same password.
                search.blame(damaged("it does not authenticate"));
                continue;
            };
            let config: Config =
                serde_json::from_slice(&config).map_err(|error| damaged(&error.to_string()))?;
            if !(1..=2).contains(&config.version) {
                return Err(SnapshotError::Version(config.version));
            }
            let polynomial = config.chunker_polynomial.parse();
            let polynomial = polynomial.map_err(|error| {
                damaged(&format!("its polynomial {:?}: {error}", config.chunker_polynomial))
            })?;
            return Ok(Repository { store, cryptor, config, polynomial });
        }
        Err(search.failure())
    }

    /// The repository's ID, in hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> Id {
        self.config.id
    }

    /// The format's version: 1 or 2. Only version 2 compresses.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.config.version
    }

    /// Returns the polynomial that decides where files are cut.
    #[must_use]
    pub fn polynomial(&self) -> Polynomial {
        self.polynomial
    }

    /// Returns what works with the keys.
    pub(crate) fn cryptor(&self) -> &Cryptor {
        &self.cryptor
    }

    /// Writes a file that is sealed already.
    pub(crate) fn put(&self, file: File, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.store.put(file, bytes).map_err(|error| SnapshotError::Store { file, error })
    }

    /// Reads a file, or a part of it.
    pub(crate) fn get(
        &self,
        file: File,
        range: Option<std::ops::Range<u64>>,
    ) -> Result<Vec<u8>, SnapshotError> {
        self.store.get(file, range).map_err(|error| SnapshotError::Store { file, error })
    }

    /// The files of a kind with their lengths, in the order of their names.
    pub(crate) fn list_lengths(&self, kind: Kind) -> Result<Vec<(Id, u64)>, SnapshotError> {
        let what = kind.directory();
        let files = self.store.list(kind);
        let mut files = files.map_err(|error| SnapshotError::List { what, error })?;
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// The files of a kind, in the order of their names.
    ///
    /// # Errors
    /// What the store says.
    pub fn list(&self, kind: Kind) -> Result<Vec<Id>, SnapshotError> {
        Ok(self.list_lengths(kind)?.into_iter().map(|(id, _)| id).collect())
    }

    /// Removes a file.
    pub(crate) fn remove(&self, file: File) -> Result<(), SnapshotError> {
        self.store.remove(file).map_err(|error| SnapshotError::Store { file, error })
    }

    /// Removes a file if the store does so at once: for a process that is about to end.
    pub(crate) fn remove_now(&self, file: File) {
        // Nobody is left to be told.
        let _ = self.store.once().remove(file);
    }

    /// Returns the number of simultaneous calls that the store needs to be fast.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.store.connections()
    }

    /// Writes a JSON file, sealed, and gives its name.
    pub(crate) fn save_json(
        &self,
        kind: Kind,
        value: &impl Serialize,
    ) -> Result<Id, SnapshotError> {
        let mut text = to_json(value);
        if self.config.version > 1 {
            let mut compressed = vec![COMPRESSED];
            zstd::stream::copy_encode(&text[..], &mut compressed, 0)
                .map_err(|error| SnapshotError::Other(format!("zstd: {error}")))?;
            text = compressed;
        }
        let mut processor = Processor::new();
        let sealed = self.cryptor.seal(&mut processor, &text)?;
        let id = self.cryptor.hash(&mut processor, &sealed)?;
        self.put(File::Named(kind, id), &sealed)?;
        Ok(id)
    }

    /// Reads the text of a JSON file: its name, its tag and its compression are checked.
    ///
    /// # Errors
    /// What the store says, and damage.
    pub(crate) fn load_text(&self, kind: Kind, id: Id) -> Result<Vec<u8>, SnapshotError> {
        let file = File::Named(kind, id);
        let damaged = |reason: &str| SnapshotError::damaged(file, reason);
        let mut processor = Processor::new();
        let mut sealed = self.get(file, None)?;
        if self.cryptor.hash(&mut processor, &sealed)? != id {
            // A transfer can go wrong on the way: the file is read once more before it is blamed.
            sealed = self.get(file, None)?;
            if self.cryptor.hash(&mut processor, &sealed)? != id {
                return Err(damaged("its SHA-256 is not its name"));
            }
        }
        let text = self.cryptor.open(&mut processor, sealed)?;
        let text = text.ok_or_else(|| damaged("it does not authenticate"))?;
        match text.first() {
            Some(&COMPRESSED) => {
                let most = if kind == Kind::Lock { MOST_LOCK } else { MOST_JSON };
                let text = decompress(&text[1..], most);
                text.map_err(|reason| damaged(&reason))
            }
            Some(b'{' | b'[') => Ok(text),
            _ => Err(damaged("it is neither JSON nor compressed JSON")),
        }
    }

    /// The text of a file, for people: of a key, which is not sealed, as it lies there.
    ///
    /// # Errors
    /// What the store says, and damage.
    pub fn text(&self, kind: Kind, id: Id) -> Result<Vec<u8>, SnapshotError> {
        match kind {
            Kind::Key => self.get(File::Named(kind, id), None),
            kind => self.load_text(kind, id),
        }
    }

    /// Reads a JSON file.
    pub(crate) fn load_json<T: DeserializeOwned>(
        &self,
        kind: Kind,
        id: Id,
    ) -> Result<T, SnapshotError> {
        let text = self.load_text(kind, id)?;
        serde_json::from_slice(&text)
            .map_err(|error| SnapshotError::damaged(File::Named(kind, id), error.to_string()))
    }

    /// The text of `config`.
    #[must_use]
    pub fn config_text(&self) -> Vec<u8> {
        to_json(&self.config)
    }

    /// Reads all index files.
    ///
    /// # Errors
    /// What the store says, and damage.
    pub fn index(&self) -> Result<Index, SnapshotError> {
        let mut index = Index::default();
        for id in self.list(Kind::Index)? {
            self.load_index(id, &mut index)?;
        }
        Ok(index)
    }

    /// Reads an index file.
    pub(crate) fn load_index(&self, id: Id, to: &mut Index) -> Result<(), SnapshotError> {
        let file: IndexFile = self.load_json(Kind::Index, id)?;
        for (pack, entries) in file.packs() {
            to.add(pack, &entries);
        }
        Ok(())
    }
}

fn random_polynomial() -> Result<Polynomial, SnapshotError> {
    let mut failed = None;
    let polynomial = Polynomial::from_random(&mut || {
        let mut bytes = [0; 8];
        if let Err(error) = getrandom::fill(&mut bytes) {
            failed = Some(error);
            // Any polynomial will do now: none is used.
            return 0x25_b468_838d_cb75;
        }
        u64::from_le_bytes(bytes)
    });
    failed.map_or(Ok(polynomial), |error| Err(error.into()))
}

/// The machine's name.
#[must_use]
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The user's name: from the list of users, or the user's number.
#[must_use]
pub fn username() -> String {
    let uid = rustix::process::getuid().as_raw();
    crate::backup::users::Names::users().name(uid).unwrap_or_else(|| uid.to_string())
}

/// The lists of users and groups are small files.
pub(crate) fn read_list(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
