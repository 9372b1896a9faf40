//! What is left out of a backup.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::fs::Stat;

use crate::pattern::Patterns;

/// What begins a file that says that its directory is a cache (bford.info/cachedir).
const CACHE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// The name of that file.
const CACHE_NAME: &[u8] = b"CACHEDIR.TAG";

/// What is left out.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Paths that are left out.
    pub excludes: Patterns,
    /// Directories that say that they are caches are left out, but for the file that says so.
    pub exclude_caches: bool,
    /// Directories that have a file of such a name are left out, but for that file.
    pub exclude_if_present: Vec<Vec<u8>>,
    /// Longer files are left out.
    pub exclude_larger_than: Option<u64>,
    /// Only the file systems of the targets are saved.
    pub one_file_system: bool,
}

impl Filter {
    /// Whether a path is left out.
    pub(super) fn excludes(&self, absolute: &[u8], stat: &Stat) -> bool {
        let is_file = stat.st_mode & 0o170_000 == 0o100_000;
        let is_long = |most| is_file && stat.st_size as u64 > most;
        self.exclude_larger_than.is_some_and(is_long) || self.excludes.matches(absolute)
    }

    /// The only name of a directory that stays, if the directory is left out for that name.
    pub(super) fn only(&self, path: &Path, names: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
        let marked = self.exclude_if_present.iter().find(|name| names.contains(*name));
        let is_cache = || {
            let mut start = vec![0; CACHE.len()];
            let file = File::open(super::worker::joined(path, CACHE_NAME));
            file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == CACHE
        };
        let cache = self.exclude_caches && names.contains(CACHE_NAME) && is_cache();
        marked.cloned().or_else(|| cache.then(|| CACHE_NAME.to_vec()))
    }
}
