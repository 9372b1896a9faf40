//! Temporary files that a killed program left behind, and their removal.
//!
//! A [target](crate::target::Target) holds a lock on its temporary file for as long as it lives,
//! and the system drops the lock when the process ends, however it ends. A temporary file without a
//! lock is therefore stale.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use rustix::fs::{OFlags, fstatfs};
use rustix::process::geteuid;

use crate::identity::Identity;

/// How the names of temporary files begin. The dot hides them from listings.
pub const PREFIX: &str = ".broadloom-";

/// Random letters and digits that follow.
pub const RANDOM: usize = 6;

/// Most names of a directory that are looked at, so that a huge directory costs milliseconds.
const MOST_NAMES: usize = 1 << 16;

/// The file systems on which a lock is seen by every process that can reach the file, as `statfs`
/// tells them: ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs, overlayfs. Elsewhere the
/// living process may be on another machine.
const LOCAL: [i64; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
    0x794c_7630,
];

/// The directories that were looked at already.
static SEEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// Whether the command line names a temporary file: then they are what the user works on.
static NAMED: LazyLock<bool> = LazyLock::new(|| {
    let prefix = PREFIX.as_bytes();
    let names =
        |argument: &OsStr| argument.as_bytes().windows(prefix.len()).any(|window| window == prefix);
    std::env::args_os().skip(1).any(|argument| names(&argument))
});

/// Returns `true` if a path has the name of a temporary file.
pub fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
    name.strip_prefix(PREFIX.as_bytes()).is_some_and(|random| {
        random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Takes the lock of a new temporary file.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where another process took the file for a stale one first:
/// another name is to be tried.
pub fn hold(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::AlreadyExists.into()),
        // The file system has no locks. No process can then take the file for a stale one.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    match file.metadata()?.nlink() {
        0 => Err(io::ErrorKind::AlreadyExists.into()),
        _ => Ok(()),
    }
}

/// Removes the stale temporary files of this user in a directory, at most once in a run. Errors are
/// not reported: the next run tries again.
pub fn remove(directory: &Path) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !*NAMED && seen.insert(directory.to_owned()) && is_local(directory) {
        let entries = fs::read_dir(directory).into_iter().flatten().take(MOST_NAMES).flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| is_temporary(path)) {
            let _ = remove_stale(&path);
        }
    }
}

fn is_local(directory: &Path) -> bool {
    let kind = File::open(directory).and_then(|file| Ok(fstatfs(file)?.f_type));
    kind.is_ok_and(|kind| LOCAL.contains(&kind))
}

/// Removes a file that is ours, regular, has no other name and is locked by nobody.
fn remove_stale(path: &Path) -> io::Result<()> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let file = File::options().read(true).custom_flags(flags as i32).open(path)?;
    let metadata = file.metadata()?;
    let ours = metadata.uid() == geteuid().as_raw();
    if metadata.is_file() && ours && metadata.nlink() == 1 && file.try_lock().is_ok() {
        // The lock is held from here on: its maker can neither have kept the file nor rename it.
        if Identity::of(&fs::symlink_metadata(path)?) == Identity::of(&metadata) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_names_of_temporary_files_are_theirs() {
        for name in [".broadloom-abc123", "d/.broadloom-ABCxyz"] {
            assert!(is_temporary(Path::new(name)), "{name}");
        }
        for name in [".broadloom-abc12", ".broadloom-abc1234", ".broadloom-abc.gz", "broadloom", ""]
        {
            assert!(!is_temporary(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        for name in [".broadloom-stale1", ".broadloom-living", ".broadloom-linked", "other"] {
            fs::write(path(name), name).expect("it can be written");
        }
        fs::hard_link(path(".broadloom-linked"), path("link")).expect("it can be made");
        symlink("other", path(".broadloom-soft12")).expect("it can be made");
        let living = File::open(path(".broadloom-living")).expect("it is there");
        hold(&living).expect("nobody holds it");
        remove(place.path());
        let names = || {
            let entries = fs::read_dir(place.path()).expect("it is there");
            let mut names: Vec<_> =
                entries.map(|entry| entry.expect("it can be read").file_name()).collect();
            names.sort();
            names
        };
        let kept = [".broadloom-linked", ".broadloom-living", ".broadloom-soft12", "link", "other"];
        assert_eq!(names(), kept);
        // Once in a run: a second look would cost every file of a directory one.
        drop(living);
        remove(place.path());
        assert_eq!(names(), kept);
        remove_stale(&path(".broadloom-living")).expect("nobody holds it now");
        assert_eq!(names().len(), kept.len() - 1);
    }

    #[test]
    fn a_file_that_was_taken_for_stale_is_not_used() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join(".broadloom-abcdef");
        let file = File::create(&path).expect("it can be made");
        let other = File::open(&path).expect("it is there");
        other.try_lock().expect("nobody holds it");
        let lost = hold(&file).expect_err("another process holds it");
        assert_eq!(lost.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_file(&path).expect("it is there");
        drop(other);
        let lost = hold(&file).expect_err("it is gone");
        assert_eq!(lost.kind(), io::ErrorKind::AlreadyExists);
    }
}
