//! Files below a directory, whatever their names and the links that are there say: each name of a
//! path is opened on its own, and a symbolic link is never followed.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, chmod, fstat, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Directories that stay open, of those on the way to the one that was used last.
const KEPT: usize = 4;

/// A directory, and some below it that were used last.
pub struct Beneath {
    root: Arc<OwnedFd>,
    /// How directories are opened.
    flags: OFlags,
    /// Directories are made that are not there.
    makes: bool,
    /// The path of the directory that was used last.
    last: Vec<u8>,
    /// The last directories on the way there, with the lengths of their paths.
    kept: Vec<(usize, Arc<OwnedFd>)>,
}

/// A directory that is read, or changed.
pub const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// A directory on the way to another file.
const PASSAGE: OFlags = DIRECTORY.union(OFlags::PATH);

impl Beneath {
    /// Opens what is below a directory, and makes directories that are missing. The directory
    /// itself may be a link.
    pub fn new(root: &Path) -> io::Result<Beneath> {
        Beneath::opened(root, DIRECTORY, true)
    }

    /// Opens what is there below a directory, which may itself be a link. The directories need no
    /// right to be read, and are only good to find names in.
    pub fn reading(root: &Path) -> io::Result<Beneath> {
        Beneath::opened(root, PASSAGE, false)
    }

    fn opened(root: &Path, flags: OFlags, makes: bool) -> io::Result<Beneath> {
        let root = Arc::new(open(root, flags.difference(OFlags::NOFOLLOW), Mode::empty())?);
        Ok(Beneath { root, flags, makes, last: Vec::new(), kept: Vec::new() })
    }

    /// The same, for another thread.
    pub fn again(&self) -> Beneath {
        let (root, flags, makes) = (Arc::clone(&self.root), self.flags, self.makes);
        Beneath { root, flags, makes, last: Vec::new(), kept: Vec::new() }
    }

    /// A directory below.
    pub fn directory(&mut self, path: &Path) -> io::Result<Arc<OwnedFd>> {
        let path = path.as_os_str().as_bytes();
        let same = self.last.iter().zip(path).take_while(|(old, new)| old == new).count();
        let leads = |len: usize| len <= same && path.get(len).is_none_or(|&byte| byte == b'/');
        while self.kept.last().is_some_and(|(len, _)| !leads(*len)) {
            self.kept.pop();
        }
        let (mut len, mut at) = match self.kept.last() {
            Some((len, handle)) => (*len, Arc::clone(handle)),
            None => (0, Arc::clone(&self.root)),
        };
        let rest = path[len..].strip_prefix(if len > 0 { &b"/"[..] } else { b"" });
        let rest = rest.unwrap_or_default();
        let count = rest.split(|&byte| byte == b'/').count();
        let names = rest.split(|&byte| byte == b'/').filter(|_| !rest.is_empty());
        self.last.clear();
        for (number, name) in names.enumerate() {
            if matches!(name, b"" | b"." | b"..") {
                self.kept.clear();
                return Err(io::Error::other("the path leads out of the directory"));
            }
            at = Arc::new(self.below(&at, OsStr::from_bytes(name))?);
            len += name.len() + usize::from(len > 0);
            if number + KEPT >= count {
                self.kept.push((len, Arc::clone(&at)));
            }
        }
        self.kept.drain(..self.kept.len().saturating_sub(KEPT));
        self.last.extend_from_slice(path);
        Ok(at)
    }

    /// The directory of a path, and its last name.
    pub fn place<'p>(&mut self, path: &'p Path) -> io::Result<(Arc<OwnedFd>, &'p OsStr)> {
        let name = path.file_name().ok_or_else(|| io::Error::other("the path has no name"))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        Ok((self.directory(parent)?, name))
    }

    /// Opens a directory in another one.
    fn below(&self, directory: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
        if !self.makes {
            return openat(directory, name, self.flags, Mode::empty()).map_err(no_directory);
        }
        match open_writable(directory, name) {
            Err(Errno::NOENT) => {}
            opened => return opened.map_err(no_directory),
        }
        match mkdirat(directory, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        openat(directory, name, self.flags, Mode::empty()).map_err(no_directory)
    }
}

/// Opens a directory that is there, and lets its owner write into it: an earlier restore may have
/// given it a mode that does not. It gets its mode back with its other attributes.
fn open_writable(at: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let place = openat(at, name, DIRECTORY | OFlags::PATH, Mode::empty())?;
    let mode = Mode::from_raw_mode(fstat(&place)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        // Such a handle takes no mode itself, but its link in /proc is a path to the directory.
        // If somebody else owns it, the refusal comes with what is to be written.
        let path = format!("/proc/self/fd/{}", place.as_raw_fd());
        let _ = chmod(path, mode | Mode::RWXU);
    }
    openat(&place, ".", DIRECTORY, Mode::empty())
}

/// Says what is wrong with a directory that cannot be opened.
pub fn no_directory(error: Errno) -> io::Error {
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
