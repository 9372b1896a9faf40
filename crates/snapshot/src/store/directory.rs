//! A repository in a directory.

use std::fs::{self, File as Handle};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;

use super::limit::Limited;
use super::{File, Kind, Limits, Options, Store, StoreError};
use crate::id::Id;

/// Most bytes of a file that is no pack: it is read whole.
const MOST: u64 = 256 << 20;

/// A directory of a file system.
#[derive(Debug)]
pub struct Directory {
    root: PathBuf,
    /// Numbers temporary files.
    next: AtomicU64,
    limits: Limits,
}

impl Directory {
    /// The repository in a directory, which need not be there before [`Store::create`].
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Directory {
        Directory { root: root.into(), next: AtomicU64::new(0), limits: Limits::default() }
    }

    /// The same, with bounds on what it reads and writes in a second.
    #[must_use]
    pub fn limited(self, options: &Options) -> Directory {
        Directory { limits: Limits::new(options), ..self }
    }

    fn path(&self, file: File) -> PathBuf {
        self.root.join(file.path())
    }

    /// A name beside the file that no other writer uses. restic ignores and `list` skips it.
    fn beside(&self, target: &Path) -> PathBuf {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        target.with_file_name(format!("{name}-tmp-{}-{number}", std::process::id()))
    }

    /// The files of a directory; of `data`, those of the directories in it.
    fn add(&self, directory: &Path, deeper: bool, to: &mut Vec<(Id, u64)>) -> io::Result<()> {
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            if deeper && entry.file_type()?.is_dir() {
                self.add(&entry.path(), false, to)?;
            } else if let Some(id) = name.to_str().and_then(|name| name.parse().ok()) {
                match entry.metadata() {
                    Ok(metadata) => to.push((id, metadata.len())),
                    // Another process has removed it.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

impl From<rustix::io::Errno> for StoreError {
    fn from(error: rustix::io::Errno) -> StoreError {
        StoreError::Io(error.into())
    }
}

/// Opens a regular file, and gives its length. A pipe of its name, for which `open` would wait, is
/// an error.
fn regular(path: &Path) -> io::Result<(Handle, u64)> {
    let flags = OFlags::NONBLOCK.bits() as i32;
    let handle = Handle::options().read(true).custom_flags(flags).open(path)?;
    let metadata = handle.metadata()?;
    match metadata.is_file() {
        true => Ok((handle, metadata.len())),
        false => Err(io::Error::other("it is no regular file")),
    }
}

fn missing(error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::NotFound,
        _ => StoreError::Io(error),
    }
}

impl Store for Directory {
    fn create(&self) -> Result<(), StoreError> {
        fs::create_dir_all(&self.root)?;
        for kind in Kind::ALL {
            let path = self.root.join(kind.directory());
            fs::create_dir_all(&path)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
        }
        for first in 0..=255u8 {
            let path = self.root.join(format!("data/{first:02x}"));
            fs::create_dir_all(&path)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
        }
        Ok(())
    }

    fn put(&self, file: File, content: &[u8]) -> Result<(), StoreError> {
        let target = self.path(file);
        let beside = self.beside(&target);
        let open = || Handle::options().write(true).create_new(true).mode(0o400).open(&beside);
        let directory = target.parent().expect("it is below the root");
        let written = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound && directory != self.root => {
                // A repository that restic made, or that was copied, may lack empty directories.
                fs::create_dir(directory).and_then(|()| open())
            }
            opened => opened,
        };
        let written = written.and_then(|mut handle| {
            match &self.limits.upload {
                None => handle.write_all(content)?,
                limit => {
                    io::copy(&mut Limited { inner: content, limit: limit.as_ref() }, &mut handle)?;
                }
            }
            handle.sync_all()
        });
        let named = written.and_then(|()| {
            fs::rename(&beside, &target)?;
            Handle::open(directory)?.sync_all()
        });
        if named.is_err() {
            // The error of the write is the one to report.
            let _ = fs::remove_file(&beside);
        }
        Ok(named?)
    }

    fn get(&self, file: File, range: Option<Range<u64>>) -> Result<Vec<u8>, StoreError> {
        let (mut handle, length) = regular(&self.path(file)).map_err(missing)?;
        if length > MOST && !matches!(file, File::Named(Kind::Pack, _)) {
            let text = format!("it has {length} bytes; valid: at most {MOST}");
            return Err(io::Error::other(text).into());
        }
        let mut content = Vec::new();
        let limit = self.limits.download.as_ref();
        match range {
            None => {
                Limited { inner: handle, limit }.read_to_end(&mut content)?;
            }
            Some(range) => {
                let wanted = range.end - range.start;
                content.reserve_exact(wanted as usize);
                handle.seek(SeekFrom::Start(range.start))?;
                Limited { inner: handle.take(wanted), limit }.read_to_end(&mut content)?;
                if content.len() as u64 != wanted {
                    return Err(StoreError::Short { wanted, got: content.len() as u64 });
                }
            }
        }
        Ok(content)
    }

    fn list(&self, kind: Kind) -> Result<Vec<(Id, u64)>, StoreError> {
        let mut files = Vec::new();
        self.add(&self.root.join(kind.directory()), kind == Kind::Pack, &mut files)?;
        Ok(files)
    }

    fn remove(&self, file: File) -> Result<(), StoreError> {
        fs::remove_file(self.path(file)).map_err(missing)
    }
}
