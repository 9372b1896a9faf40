//! What is left out of a backup.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};

use crate::pattern::Patterns;

/// What begins a file that says that its directory is a cache (bford.info/cachedir).
const CACHE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// The name of that file.
const CACHE_NAME: &[u8] = b"CACHEDIR.TAG";

/// A file whose presence leaves the directory out that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Its name.
    pub name: Vec<u8>,
    /// The bytes that it begins with; without any, its name is enough.
    pub header: Vec<u8>,
}

impl Marker {
    /// Returns `true` if a directory with some names has the file.
    fn is_in(&self, directory: BorrowedFd<'_>, names: &BTreeSet<Vec<u8>>) -> bool {
        names.contains(&self.name)
            && (self.header.is_empty() || begins_with(directory, &self.name, &self.header))
    }
}

/// What is left out.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Paths that are left out.
    pub excludes: Patterns,
    /// Directories that say that they are caches are left out, but for the file that says so.
    pub exclude_caches: bool,
    /// Directories that have such a file are left out, but for that file.
    pub exclude_if_present: Vec<Marker>,
    /// Longer files are left out.
    pub exclude_larger_than: Option<u64>,
    /// Only the file systems of the targets are saved.
    pub one_file_system: bool,
}

impl Filter {
    /// Returns `true` if a path is left out.
    pub(super) fn excludes(&self, absolute: &[u8], stat: &Stat) -> bool {
        let is_file = stat.st_mode & 0o170_000 == 0o100_000;
        let is_long = |most| is_file && stat.st_size as u64 > most;
        self.exclude_larger_than.is_some_and(is_long) || self.excludes.matches(absolute)
    }

    /// The only name of a directory that stays, if the directory is left out for that name.
    pub(super) fn only(
        &self,
        directory: BorrowedFd<'_>,
        names: &BTreeSet<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let marked = self.exclude_if_present.iter().find(|marker| marker.is_in(directory, names));
        let cache = self.exclude_caches
            && names.contains(CACHE_NAME)
            && begins_with(directory, CACHE_NAME, CACHE);
        let marked = marked.map(|marker| marker.name.clone());
        marked.or_else(|| cache.then(|| CACHE_NAME.to_vec()))
    }
}

/// Returns `true` if a name in a directory is a regular file that begins with some bytes. A link is
/// not followed, and nobody waits for the other end of a pipe.
fn begins_with(directory: BorrowedFd<'_>, name: &[u8], start: &[u8]) -> bool {
    let is_file = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    // To open a device may do something, so that it is looked at first.
    if !statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(is_file) {
        return false;
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let Ok(file) = openat(directory, name, flags, Mode::empty()) else { return false };
    let mut there = vec![0; start.len()];
    fstat(&file).is_ok_and(is_file)
        && File::from(file).read_exact(&mut there).is_ok()
        && there == start
}
