//! Places in a file system. Names below what was asked for are opened one by one, and no symbolic
//! link there is followed: whoever can write there cannot lead a backup elsewhere. A path may be
//! longer than the system takes.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, openat};

use crate::beneath::{Beneath, DIRECTORY, no_directory};

/// A file or directory that is saved.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The directory of what was asked for; empty for the working directory. Links on the way there
    /// are followed.
    base: Arc<Path>,
    /// The names from there on.
    below: PathBuf,
}

impl Spot {
    /// The place of what was asked for, whose path ends with a name.
    pub fn new(path: &Path) -> Spot {
        let base = path.parent().unwrap_or(Path::new(""));
        Spot { base: base.into(), below: path.file_name().unwrap_or_default().into() }
    }

    /// The place of a name in this directory.
    pub fn child(&self, name: &[u8]) -> Spot {
        let below = self.below.join(OsStr::from_bytes(name));
        Spot { base: Arc::clone(&self.base), below }
    }

    /// The path, for people.
    pub fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }
}

/// Opens directories, most of which lie close together.
#[derive(Default)]
pub struct Opener {
    base: Option<(Arc<Path>, Beneath)>,
}

impl Opener {
    fn beneath(&mut self, base: &Arc<Path>) -> io::Result<&mut Beneath> {
        if self.base.as_ref().is_none_or(|(known, _)| known != base) {
            let directory = if base.as_os_str().is_empty() { Path::new(".") } else { base };
            self.base = Some((Arc::clone(base), Beneath::reading(directory)?));
        }
        Ok(&mut self.base.as_mut().expect("it was just made").1)
    }

    /// Opens a directory, to list what is in it.
    pub fn directory(&mut self, spot: &Spot) -> io::Result<OwnedFd> {
        let (parent, name) = self.parent(spot)?;
        openat(parent, name, DIRECTORY, Mode::empty()).map_err(no_directory)
    }

    /// Opens the directory in which a place has its name, to find names in it.
    pub fn parent<'s>(&mut self, spot: &'s Spot) -> io::Result<(Arc<OwnedFd>, &'s OsStr)> {
        self.beneath(&spot.base)?.place(&spot.below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Between the walk and the read, somebody puts a link in the place of a directory.
    #[test]
    fn a_link_in_the_place_of_a_directory_is_not_followed() {
        let place = tempfile::tempdir().expect("there is room");
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("asked/d/e")).expect("it is ours");
        fs::create_dir_all(at("secret/e")).expect("it is ours");
        symlink(at("asked"), at("way")).expect("it is ours");
        let spot = Spot::new(&at("way/d")).child(b"e").child(b"file");
        assert_eq!(spot.path(), at("way/d/e/file"));
        let mut opener = Opener::default();
        // Links on the way to what was asked for are the user's own.
        opener.parent(&spot).expect("it is there");
        fs::rename(at("asked/d"), at("away")).expect("it is ours");
        symlink(at("secret"), at("asked/d")).expect("it is ours");
        for mut opener in [opener_of(&spot), Opener::default()] {
            let error = opener.parent(&spot).err().map(|error| error.to_string());
            let told = error.is_some_and(|error| error.contains("symbolic link"));
            assert!(told, "the link was followed");
            assert!(opener.directory(&Spot::new(&at("way/d"))).is_err());
        }
    }

    /// An opener that knows the directory of what was asked for.
    fn opener_of(spot: &Spot) -> Opener {
        let mut opener = Opener::default();
        opener.beneath(&spot.base).expect("it is there");
        opener
    }

    #[test]
    fn paths_are_as_they_were_given() {
        for path in ["a", "../a", "/a", "d/a", "./a"] {
            let spot = Spot::new(Path::new(path));
            assert_eq!(spot.path(), Path::new(path), "{path}");
            assert_eq!(spot.child(b"b").path(), spot.path().join("b"));
        }
    }
}
