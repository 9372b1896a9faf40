//! Files below a directory, whatever their names and the links that are there say: each name of a
//! path is opened on its own, and a symbolic link is never followed.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

/// A directory, and the one below it that was used last.
pub struct Beneath {
    root: Arc<OwnedFd>,
    last: Option<(PathBuf, Arc<OwnedFd>)>,
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Beneath {
    /// What is below a directory. The directory itself may be a link.
    pub fn new(root: &Path) -> io::Result<Beneath> {
        let root = open(root, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())?;
        Ok(Beneath { root: Arc::new(root), last: None })
    }

    /// The same, for another thread.
    pub fn again(&self) -> Beneath {
        Beneath { root: Arc::clone(&self.root), last: None }
    }

    /// A directory below, which is made if it is not there.
    pub fn directory(&mut self, path: &Path) -> io::Result<Arc<OwnedFd>> {
        let (mut at, rest) = match &self.last {
            Some((last, handle)) if path.starts_with(last) => {
                let rest = path.strip_prefix(last).expect("it was just compared");
                (Arc::clone(handle), rest)
            }
            _ => (Arc::clone(&self.root), path),
        };
        for component in rest.components() {
            let Component::Normal(name) = component else {
                return Err(io::Error::other("the path leads out of the target"));
            };
            match mkdirat(&at, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            at = Arc::new(openat(&at, name, DIRECTORY, Mode::empty()).map_err(no_directory)?);
        }
        self.last = Some((path.to_owned(), Arc::clone(&at)));
        Ok(at)
    }

    /// The directory of a path, and its last name.
    pub fn place<'p>(&mut self, path: &'p Path) -> io::Result<(Arc<OwnedFd>, &'p OsStr)> {
        let name = path.file_name().ok_or_else(|| io::Error::other("the path has no name"))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        Ok((self.directory(parent)?, name))
    }
}

fn no_directory(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR => {
            io::Error::other("a symbolic link or a file is where the directory belongs")
        }
        error => error.into(),
    }
}

/// Names for files that are not complete.
pub struct Temporary {
    prefix: String,
    next: AtomicU64,
}

impl Temporary {
    /// Names that no other restore uses.
    pub fn new() -> Result<Temporary, getrandom::Error> {
        let prefix = format!(".broadloom-{:016x}", getrandom::u64()?);
        Ok(Temporary { prefix, next: AtomicU64::new(0) })
    }

    /// Another name.
    pub fn name(&self) -> String {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// Makes something under a temporary name and then gives it its own, in the place of whatever file
/// had that name.
pub fn replace(
    directory: &impl AsFd,
    temporary: &str,
    name: &OsStr,
    make: impl FnOnce(&OsStr) -> io::Result<()>,
) -> io::Result<()> {
    let made = make(OsStr::from_bytes(temporary.as_bytes()));
    let named = made.and_then(|()| Ok(renameat(directory, temporary, directory, name)?));
    // After a failure; and two names of one file are left as they are.
    match unlinkat(directory, temporary, AtFlags::empty()) {
        Ok(()) | Err(_) => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_dots_do_not_lead_out() {
        let place = tempfile::tempdir().expect("there is room");
        let (inside, outside) = (place.path().join("in"), place.path().join("out"));
        fs::create_dir(&inside).expect("it is ours");
        fs::create_dir(&outside).expect("it is ours");
        symlink(&outside, inside.join("link")).expect("it is ours");
        let mut beneath = Beneath::new(&inside).expect("it is there");
        for path in ["link", "link/x", "../out", "a/../../out", "/etc"] {
            assert!(beneath.directory(Path::new(path)).is_err(), "{path}");
        }
        beneath.directory(Path::new("a/b/c")).expect("it can be made");
        beneath.directory(Path::new("a/b/d")).expect("it can be made");
        assert!(inside.join("a/b/c").is_dir() && inside.join("a/b/d").is_dir());
        assert_eq!(fs::read_dir(&outside).expect("it is there").count(), 0);
    }
}
