//! What a new file takes over from the one it is made of: owner, mode, ACL, times.

use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use broadloom_program::access::{Access, PERMISSIONS};
use broadloom_program::target::Existing;

use super::opened::Opened;

/// The mode of a file, and what a new one made of it would have, where that is not the same.
pub fn lost_mode(source: &Metadata) -> Option<(u32, u32)> {
    let mode = source.mode() & 0o7777;
    (mode & !PERMISSIONS != 0).then_some((mode, mode & PERMISSIONS))
}

/// Gives `target`, which is to be at that place, the owner, the mode, the ACL and the times of
/// `source`; another time of modification where there is one. Where it replaces a file, it grants
/// nobody more than that file did.
///
/// # Errors
/// If the system refuses the mode or the times.
pub fn copy(
    source: &Opened,
    modified: Option<SystemTime>,
    target: &File,
    (path, existing): (&Path, Existing),
) -> io::Result<()> {
    let mut access = Access::of(&source.file, &source.metadata)?;
    if existing == Existing::Replace
        && let Some(replaced) = Access::at(path)?
    {
        access = access.limited_to(&replaced);
    }
    let accessed = source.metadata.accessed()?;
    let modified = modified.map_or_else(|| source.metadata.modified(), Ok)?;
    target.set_times(FileTimes::new().set_accessed(accessed).set_modified(modified))?;
    // Last: once the file is another's, the system may let us do nothing more to it.
    access.give(target)
}
