//! Files that appear under their name when they are complete, or not at all.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::stale::{self, PREFIX, RANDOM};

/// All temporary files of the process. The lock is held while a file is made or renamed, so that
/// the signal handler finds every file that it must remove.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is being written, beside the place it will have. Dropped before it is
/// [placed](Target::place), it leaves nothing. Its lock tells other processes that it is not
/// [stale].
pub struct Target {
    file: Option<NamedTempFile>,
}

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and that is an error.
    Keep,
    /// It is replaced.
    Replace,
}

impl Target {
    /// A file that will be at `path`, or beside it, and is readable and writable for its owner
    /// alone until somebody [sets](File::set_permissions) more than that.
    ///
    /// # Errors
    /// If there can be no file in that directory.
    pub fn create(path: &Path) -> io::Result<Target> {
        Target::with_mode(path, 0o600)
    }

    /// The same with the permissions that new files have.
    ///
    /// # Errors
    /// If there can be no file in that directory.
    pub fn create_usual(path: &Path) -> io::Result<Target> {
        Target::with_mode(path, 0o666)
    }

    fn with_mode(path: &Path, mode: u32) -> io::Result<Target> {
        let directory = directory_of(path);
        stale::remove(directory);
        let directory = from_root(directory);
        let mut pending = pending();
        // Opened here, so that an error is the system's alone, without a name that nobody knows.
        let open = |path: &Path| {
            let file = File::options().write(true).create_new(true).mode(mode).open(path)?;
            stale::hold(&file).map(|()| file)
        };
        let file =
            tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).make_in(&directory, open)?;
        pending.push(file.path().to_owned());
        Ok(Target { file: Some(file) })
    }

    /// The file to write to.
    pub fn file(&self) -> &File {
        self.file.as_ref().expect("it is there until it is placed").as_file()
    }

    /// Gives the file its name, in the directory that it was made for, and gives it back.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if something has that name and is to be
    /// [kept](Existing::Keep), or what the system says. The file is gone then.
    pub fn place(mut self, path: &Path, existing: Existing) -> io::Result<File> {
        let mut pending = pending();
        let file = self.file.take().expect("it is placed once");
        let temporary = file.path().to_owned();
        let placed = match existing {
            Existing::Keep => file.persist_noclobber(path),
            Existing::Replace => file.persist(path),
        };
        forget(&mut pending, &temporary);
        placed.map_err(|error| error.error)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let mut pending = pending();
            forget(&mut pending, file.path());
            drop(file);
        }
    }
}

/// The directory that a path is in.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The path from the root on, where there is one: else `tempfile` asks the system for the working
/// directory for each file. The program never changes it.
fn from_root(directory: &Path) -> Cow<'_, Path> {
    static WORKING: LazyLock<Option<PathBuf>> = LazyLock::new(|| std::env::current_dir().ok());
    match &*WORKING {
        Some(working) if directory.is_relative() => working.join(directory).into(),
        _ => directory.into(),
    }
}

/// Removes all temporary files, and keeps others from being made for as long as the program then
/// lasts.
pub(crate) fn remove_pending() {
    let mut pending = pending();
    for path in pending.drain(..) {
        // It is all that can be done; there is nobody left who could be told.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(pending);
}

/// Files mostly get their places in the order in which they were made.
fn forget(pending: &mut Vec<PathBuf>, path: &Path) {
    if let Some(place) = pending.iter().position(|pending| pending == path) {
        pending.remove(place);
    }
}

fn pending() -> MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("it is there");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("it can be read").file_name();
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_placed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a");
        let target = Target::create(&path).expect("it can be made");
        target.file().write_all(b"new").expect("it can be written");
        assert!(!path.exists());
        target.place(&path, Existing::Keep).expect("nothing is there");
        assert_eq!(fs::read(&path).expect("it is there"), b"new");
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn what_is_there_stays_unless_it_is_to_be_replaced() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a");
        fs::write(&path, "old").expect("it can be written");
        let refused = Target::create(&path).expect("it can be made").place(&path, Existing::Keep);
        assert_eq!(refused.expect_err("it is there").kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("it is there"), b"old");
        Target::create(&path)
            .expect("it can be made")
            .place(&path, Existing::Replace)
            .expect("it may");
        assert_eq!(fs::read(&path).expect("it is there"), b"");
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn a_file_that_is_not_placed_leaves_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        drop(Target::create(&directory.path().join("a")).expect("it can be made"));
        assert!(names(directory.path()).is_empty());
    }
}
