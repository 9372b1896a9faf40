//! A token in a directory: a file that says what the token is, and a file for each object.
//!
//! Files are written beside their place, synced and renamed, so that nobody sees half of one. A
//! lock file lets one process at a time write; readers need no lock. Private objects are sealed
//! under the token's key, which is in the token's file twice: sealed under the PIN of the security
//! officer and under the user's.

mod locks;
mod pins;
mod records;
mod seal;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use broadloom::Registry;
use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::attribute::{Attribute, Attributes};
use crate::memory::Outcome;
use crate::object::Object;
use crate::random;
use locks::{Lock, Locks};
pub use pins::{MOST_TRIES, Role, Token};
use records::Writer;
pub use seal::SealingKey;

/// A token's directory.
pub struct Store {
    directory: PathBuf,
    locks: Locks,
}

/// What tells a version of a file from the one before.
pub type Stamp = (u64, u64, SystemTime);

/// Numbers of records in an object's file: attributes as they are, and sealed.
const PLAIN: u64 = 1;
const SEALED: u64 = 2;

/// What names of files begin with that are not at their place yet.
const NEW: &str = ".new-";

/// The error of the device, or of a full one.
fn fault(error: io::Error) -> CK_RV {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => CKR_DEVICE_MEMORY,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => CKR_TOKEN_WRITE_PROTECTED,
        _ => CKR_DEVICE_ERROR,
    }
}

impl Store {
    /// The token at a directory, which need not be there yet.
    pub fn new(directory: PathBuf) -> Store {
        Store { locks: Locks::new(&directory), directory }
    }

    fn objects(&self) -> PathBuf {
        self.directory.join("objects")
    }

    /// Lets one thread of one process at a time write.
    fn lock(&self) -> Outcome<Lock<'_>> {
        DirBuilder::new().recursive(true).mode(0o700).create(self.objects()).map_err(fault)?;
        self.locks.write().map_err(fault)
    }

    /// Tells other processes that this one has a session, until [`Store::depart`].
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`.
    pub fn attend(&self) -> Outcome {
        self.locks.attend().map_err(fault)
    }

    /// Ends what [`Store::attend`] has begun.
    pub fn depart(&self) {
        self.locks.depart();
    }

    /// The token; `None` if there is none yet.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`: its file cannot be read, or was damaged.
    pub fn token(&self) -> Outcome<Option<Token>> {
        match fs::read(self.directory.join("token")) {
            Ok(file) => Token::read(&file).map(Some).ok_or(CKR_DEVICE_ERROR),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(_) => Err(CKR_DEVICE_ERROR),
        }
    }

    fn write_token(&self, token: &Token) -> Outcome {
        replace(&self.directory.join("token"), token.write().bytes())
    }

    /// Makes the token anew: with this label, without objects, without a PIN of the user.
    ///
    /// # Errors
    /// `CKR_SESSION_EXISTS` where this or another process has a session; `CKR_PIN_INCORRECT` and
    /// `CKR_PIN_LOCKED` where there is a token with another PIN.
    pub fn initialize(&self, registry: &Registry, pin: &[u8], label: [u8; 32]) -> Outcome {
        DirBuilder::new().recursive(true).mode(0o700).create(self.objects()).map_err(fault)?;
        let _nobody = self.locks.alone().map_err(fault)?.ok_or(CKR_SESSION_EXISTS)?;
        if self.token()?.is_some() {
            self.login(registry, Role::Officer, pin)?;
        }
        let token = Token::new(registry, pin, label)?;
        let lock = self.lock()?;
        self.sweep(&lock);
        // The old objects can be read no more once the new key is there. So they go first.
        for (name, _) in self.list()? {
            fs::remove_file(self.objects().join(name)).map_err(fault)?;
        }
        self.write_token(&token)
    }

    /// The token's key, for a PIN that is right. Counts wrong ones.
    ///
    /// # Errors
    /// `CKR_PIN_INCORRECT`, `CKR_PIN_LOCKED`, `CKR_USER_PIN_NOT_INITIALIZED`,
    /// `CKR_TOKEN_NOT_RECOGNIZED` where there is no token.
    pub fn login(&self, registry: &Registry, role: Role, pin: &[u8]) -> Outcome<SealingKey> {
        // The guess is counted before it is checked, so that a process that is killed in between
        // gains nothing.
        let token = self.change(|token| token.count_try(role))?;
        let key = token.open(registry, role, pin)?;
        self.change(|token| {
            token.forget_tries(role);
            Ok(())
        })?;
        Ok(key)
    }

    /// Gives a role another PIN.
    ///
    /// # Errors
    /// `CKR_TOKEN_NOT_RECOGNIZED` where there is no token.
    pub fn set_pin(
        &self,
        registry: &Registry,
        role: Role,
        pin: &[u8],
        key: &SealingKey,
    ) -> Outcome {
        let sealed = pins::Sealed::new(registry, role, pin, key)?;
        self.change(|token| {
            token.set(role, sealed);
            Ok(())
        })?;
        Ok(())
    }

    /// Changes the token's file, whatever other processes do.
    fn change(&self, change: impl FnOnce(&mut Token) -> Outcome) -> Outcome<Token> {
        let lock = self.lock()?;
        self.sweep(&lock);
        let mut token = self.token()?.ok_or(CKR_TOKEN_NOT_RECOGNIZED)?;
        let before = token.clone();
        change(&mut token)?;
        if token != before {
            self.write_token(&token)?;
        }
        Ok(token)
    }

    /// Removes what processes have left that were killed while they wrote. Whoever writes holds the
    /// lock, so that nobody is about to rename what is there now. What cannot be removed does no
    /// harm.
    fn sweep(&self, _lock: &Lock<'_>) {
        for folder in [&self.directory, &self.objects()] {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let is_left =
                |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(NEW);
            for entry in entries.filter(is_left) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The names of all objects, with what tells their versions apart.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`.
    pub fn list(&self) -> Outcome<Vec<(String, Stamp)>> {
        let entries = match fs::read_dir(self.objects()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fault(error)),
        };
        let mut list = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fault)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // What begins otherwise was not renamed to its place.
            if name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                match entry.metadata() {
                    Ok(metadata) => {
                        let modified = metadata.modified().map_err(fault)?;
                        list.push((name, (metadata.ino(), metadata.len(), modified)));
                    }
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(fault(error)),
                }
            }
        }
        list.sort();
        Ok(list)
    }

    /// An object; `None` where it is private and there is no key, and where it is gone.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`: its file cannot be read, or was damaged.
    pub fn read(
        &self,
        registry: &Registry,
        name: &str,
        key: Option<&SealingKey>,
    ) -> Outcome<Option<Attributes>> {
        let file = match fs::read(self.objects().join(name)) {
            Ok(file) => Zeroizing::new(file),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(error)),
        };
        let parts = records::read(&file).ok_or(CKR_DEVICE_ERROR)?;
        let opened;
        let plain = match (records::find(&parts, PLAIN), records::find(&parts, SEALED), key) {
            (Some(plain), None, _) => plain,
            (None, Some(sealed), Some(key)) => {
                opened = key.open(registry, name, sealed).ok_or(CKR_DEVICE_ERROR)?;
                &opened
            }
            (None, Some(_), None) => return Ok(None),
            _ => return Err(CKR_DEVICE_ERROR),
        };
        let list = records::read(plain).ok_or(CKR_DEVICE_ERROR)?;
        let list: Vec<Attribute> = list
            .into_iter()
            .map(|(id, value)| (id as CK_ATTRIBUTE_TYPE, Zeroizing::new(value.to_vec())))
            .collect();
        Ok(Some(Attributes::of_template(list).map_err(|_| CKR_DEVICE_ERROR)?))
    }

    /// Writes an object. One that is private needs the token's key. Returns what tells the version
    /// apart.
    ///
    /// # Errors
    /// `CKR_USER_NOT_LOGGED_IN` without the key; `CKR_DEVICE_ERROR`, `CKR_DEVICE_MEMORY`.
    pub fn write(
        &self,
        registry: &Registry,
        name: &str,
        attributes: &Attributes,
        key: Option<&SealingKey>,
    ) -> Outcome<Stamp> {
        let lock = self.lock()?;
        self.write_locked(&lock, registry, name, attributes, key)
    }

    /// Changes an object, whatever other processes do: nobody else writes between the reading and
    /// the writing. Returns the object, and what tells the version apart.
    ///
    /// # Errors
    /// `CKR_OBJECT_HANDLE_INVALID` where it is gone, or private and there is no key; as
    /// [`Store::write`].
    pub fn revise(
        &self,
        registry: &Registry,
        name: &str,
        key: Option<&SealingKey>,
        change: impl FnOnce(&Attributes) -> Outcome<Object>,
    ) -> Outcome<(Object, Stamp)> {
        let lock = self.lock()?;
        let before = self.read(registry, name, key)?.ok_or(CKR_OBJECT_HANDLE_INVALID)?;
        let object = change(&before)?;
        let stamp = self.write_locked(&lock, registry, name, &object.attributes, key)?;
        Ok((object, stamp))
    }

    fn write_locked(
        &self,
        _lock: &Lock<'_>,
        registry: &Registry,
        name: &str,
        attributes: &Attributes,
        key: Option<&SealingKey>,
    ) -> Outcome<Stamp> {
        let mut plain = Writer::new();
        for (id, value) in attributes.iter() {
            plain.put(id, value);
        }
        let mut file = Writer::new();
        if attributes.is(CKA_PRIVATE) {
            let key = key.ok_or(CKR_USER_NOT_LOGGED_IN)?;
            file.put(SEALED, &key.seal(registry, name, plain.bytes())?);
        } else {
            file.put(PLAIN, plain.bytes());
        }
        let path = self.objects().join(name);
        replace(&path, file.bytes())?;
        let metadata = fs::metadata(path).map_err(fault)?;
        Ok((metadata.ino(), metadata.len(), metadata.modified().map_err(fault)?))
    }

    /// Removes an object. One that is gone already is no error.
    ///
    /// # Errors
    /// `CKR_DEVICE_ERROR`.
    pub fn remove(&self, name: &str) -> Outcome {
        let _lock = self.lock()?;
        match fs::remove_file(self.objects().join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(fault(error)),
            _ => sync(&self.objects()),
        }
    }
}

/// Puts a file in place of another, or where there was none.
fn replace(path: &Path, bytes: &[u8]) -> Outcome {
    let folder = path.parent().ok_or(CKR_DEVICE_ERROR)?;
    let beside = folder.join(format!("{NEW}{}", random::name::<8>()?));
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        // It may not be there; what matters is the first error.
        let _ = fs::remove_file(&beside);
        fault(error)
    })?;
    sync(folder)
}

/// Makes the names in a folder last.
fn sync(folder: &Path) -> Outcome {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folder: &Path) -> Store {
        Store::new(folder.join("slot"))
    }

    #[test]
    fn what_killed_processes_have_left_goes_with_the_next_login() {
        let (registry, folder) = (broadloom::registry(), tempfile::tempdir().expect("a folder"));
        let store = of(folder.path());
        assert_eq!(store.initialize(&registry, b"1234", [b' '; 32]), Ok(()));
        let left = [store.directory.join(".new-0123"), store.objects().join(".new-4567")];
        left.iter().for_each(|path| fs::write(path, b"half of a file").expect("a file"));
        assert!(store.login(&registry, Role::Officer, b"1234").is_ok());
        assert!(left.iter().all(|path| !path.exists()), "{left:?}");
    }
}
