//! Files that are made and wait for their places, so that they reach the disk together.
//!
//! A source is removed only once the disk holds what was made of it. To wait for the disk for every
//! small file would take longer than to compress it, so several files share one wait.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use broadloom_program::descriptors::raise;
use broadloom_program::identity::Identity;
use broadloom_program::target::{Existing, Target, directory_of};
use rustix::fs::syncfs;
use rustix::io::Errno;

use super::Coded;

/// Most files that wait, as far as there are [descriptors] for them.
const MOST_FILES: usize = 1024;

/// Most descriptors that the program asks the system for, and how many it takes for granted.
const DESCRIPTORS: std::ops::RangeInclusive<usize> = 64..=8192;

/// Files wait until they have this many bytes, sources and what was made of them together: until
/// then the disk holds both.
const ENOUGH_BYTES: u64 = 64 << 20;

/// Most files that are written to disk one by one, and not with all that their file systems hold.
const FEW: usize = 2;

/// What tells whether a file is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    identity: Identity,
    len: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    /// The state of what has this metadata.
    pub fn of(metadata: &Metadata) -> FileState {
        FileState {
            identity: Identity::of(metadata),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns `true` if a path stands for the file, or for a symbolic link that leads to it.
    pub fn is_at(&self, path: &Path) -> bool {
        self.identity.is_at(path)
    }

    /// The same, where `len` bytes were read.
    #[must_use]
    pub fn with_len(self, len: u64) -> FileState {
        FileState { len, ..self }
    }

    /// Describes in words what is different now.
    pub fn difference(&self, now: &FileState) -> Option<String> {
        let what = if self.identity != now.identity {
            return Some("its name stands for another file by now".to_owned());
        } else if self.len != now.len {
            format!("it had {} bytes, and then {}", self.len, now.len)
        } else if self.modified != now.modified {
            "it was modified".to_owned()
        } else if self.changed != now.changed {
            "its contents, mode, owner, links or times were changed".to_owned()
        } else {
            return None;
        };
        Some(format!("file changed while it was read: {what}"))
    }
}

/// A file that was read, by its name.
pub struct SourceFile {
    /// Its name.
    pub path: PathBuf,
    /// What the name stood for: the file, or a symbolic link that leads to it.
    pub name: Identity,
    /// The file's state when it was opened.
    pub state: FileState,
}

impl SourceFile {
    /// Refuses a name that stands for anything but the file that was read, as it was then.
    ///
    /// # Errors
    /// What is different, in words.
    pub fn refuse_changed(&self) -> io::Result<()> {
        let metadata = fs::symlink_metadata(&self.path)?;
        let name = Identity::of(&metadata);
        let state = match metadata.is_symlink() {
            true => FileState::of(&fs::metadata(&self.path)?),
            false => FileState::of(&metadata),
        };
        let state = if name == self.name { state } else { FileState { identity: name, ..state } };
        self.state.difference(&state).map_or(Ok(()), |text| Err(io::Error::other(text)))
    }
}

/// A file beside its place.
pub struct Beside {
    /// The file.
    pub target: Target,
    /// Its place.
    pub path: PathBuf,
    /// What becomes of a file that is there.
    pub existing: Existing,
}

impl Beside {
    /// Returns `true` if another file is at the place and is to be replaced. One that is to be kept
    /// makes the placing fail.
    pub fn replaces(&self) -> bool {
        self.existing == Existing::Replace && fs::symlink_metadata(&self.path).is_ok()
    }
}

/// A file that is made of a source, and waits.
pub struct Made {
    /// The source.
    pub source: SourceFile,
    /// The file.
    pub file: Beside,
    /// Its index.
    pub index: Option<Beside>,
    /// What came of coding.
    pub coded: Coded,
}

impl Made {
    fn files(&self) -> impl Iterator<Item = &File> {
        [Some(&self.file), self.index.as_ref()].into_iter().flatten().map(|file| file.target.file())
    }
}

/// Returns how many files the program may have open, after it has asked the system for more.
pub fn descriptors() -> usize {
    let (least, most) = (*DESCRIPTORS.start(), *DESCRIPTORS.end());
    usize::try_from(raise(most as u64)).unwrap_or(most).clamp(least, most)
}

/// Files that wait together.
pub struct Batch {
    made: Vec<Made>,
    bytes: u64,
    /// Most files that may wait.
    most: usize,
}

impl Batch {
    /// One for a program that may have so many files open, each with an index.
    pub fn new(descriptors: usize) -> Batch {
        Batch { made: Vec::new(), bytes: 0, most: (descriptors / 4).min(MOST_FILES) }
    }

    /// Adds a file.
    pub fn push(&mut self, made: Made) {
        self.bytes += made.coded.input + made.coded.output;
        self.made.push(made);
    }

    /// Returns `true` if the files have waited enough.
    pub fn is_full(&self) -> bool {
        self.made.len() >= self.most || self.bytes >= ENOUGH_BYTES
    }

    /// Returns `true` if no file waits.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Returns `true` if a file is the source of one that waits.
    pub fn holds(&self, identity: Identity) -> bool {
        self.made.iter().any(|made| made.source.state.identity == identity)
    }

    /// Takes all files out, with their contents on disk.
    ///
    /// # Errors
    /// If the system cannot write them; they are as they were.
    pub fn take(&mut self) -> (Vec<Made>, io::Result<()>) {
        self.bytes = 0;
        let made = std::mem::take(&mut self.made);
        let synced = sync(&made.iter().flat_map(Made::files).collect::<Vec<_>>());
        (made, synced)
    }
}

/// Waits until the disk holds these files.
fn sync(files: &[&File]) -> io::Result<()> {
    if files.len() <= FEW {
        return files.iter().try_for_each(|file| file.sync_all());
    }
    sync_file_systems(files)
}

/// Waits until the disk holds all that was written to the file systems of these files.
fn sync_file_systems(files: &[&File]) -> io::Result<()> {
    let mut devices = HashSet::new();
    for file in files {
        if devices.insert(file.metadata()?.dev()) {
            syncfs(file)?;
        }
    }
    Ok(())
}

/// Waits until the disk holds the names of files that have their places.
///
/// # Errors
/// If the system cannot write them.
pub fn sync_names(placed: &[(&Path, &File)]) -> io::Result<()> {
    let mut directories: Vec<&Path> = placed.iter().map(|(path, _)| directory_of(path)).collect();
    directories.dedup();
    if directories.len() <= FEW {
        // A directory that may be written to but not read cannot be opened.
        let opened: io::Result<Vec<File>> = directories.into_iter().map(File::open).collect();
        if let Ok(opened) = opened {
            return opened.iter().try_for_each(|directory| match directory.sync_all() {
                // The file system writes names by itself.
                Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => Ok(()),
                synced => synced,
            });
        }
    }
    sync_file_systems(&placed.iter().map(|&(_, file)| file).collect::<Vec<_>>())
}
