//! Files that a command line names to be written to.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::access::Access;
use crate::target::{Existing, Target, directory_of};

/// What is to be written to. A file is there as a whole or not at all, in the place of one that is
/// there already, whose owner, mode and ACL it gets; a link to it stays one. What is no regular
/// file is written to as it is: a device, a pipe.
pub enum Output {
    /// A file, and the place that it will have.
    Beside(Target, PathBuf),
    /// Something else.
    Straight(File),
}

impl Output {
    /// Opens what a path names, or a file beside that. A pipe waits here for its reader.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path) -> io::Result<Output> {
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Ok(Output::Straight(File::options().write(true).open(path)?));
        }
        let place = followed(path)?;
        // What is written in the place of a private file is as private from its first byte on.
        let target = match fs::symlink_metadata(&place) {
            Ok(_) => Target::create(&place)?,
            Err(_) => Target::create_usual(&place)?,
        };
        Ok(Output::Beside(target, place))
    }

    /// The place of a file.
    pub fn place(&self) -> Option<&Path> {
        match self {
            Output::Beside(_, place) => Some(place),
            Output::Straight(_) => None,
        }
    }

    /// Returns `true` if a file is in the place, and is to be replaced.
    pub fn replaces(&self) -> bool {
        self.place().is_some_and(|place| fs::symlink_metadata(place).is_ok())
    }

    /// Has `write` write it, and gives a file its place. What replaces a file is on the disk
    /// before; for a new file, nobody waits for the disk.
    ///
    /// # Errors
    /// If `write` fails, or the system does.
    pub fn finish(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let file = match &self {
            Output::Beside(target, _) => target.file(),
            Output::Straight(file) => file,
        };
        let mut buffered = BufWriter::new(file);
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        if let Output::Beside(target, place) = self {
            if let Some(access) = Access::at(&place)? {
                access.give(target.file())?;
                // Else a crash could leave an empty file in the place of what was there.
                target.file().sync_all()?;
            }
            target.place(&place, Existing::Replace)?;
        }
        Ok(())
    }
}

/// Follows a path, whether it leads to a file or to nothing.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let error = match fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => error,
        found => return found,
    };
    let directory = directory_of(path);
    match (fs::read_link(path), path.file_name()) {
        // It leads nowhere yet. No chain of such links is a ring: those are another error.
        (Ok(next), _) => followed(&directory.join(next)),
        (Err(_), Some(name)) => Ok(fs::canonicalize(directory)?.join(name)),
        (Err(_), None) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::thread;

    use rustix::fs::{FileType, Mode, mknodat};
    use tempfile::TempDir;

    use super::*;

    fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        Output::create(path)?.finish(|out| out.write_all(bytes))
    }

    #[test]
    fn files_are_replaced_and_links_followed() {
        let directory = TempDir::new().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        write(&path("a"), b"one").expect("it can be made");
        write(&path("a"), b"two").expect("it can be replaced");
        symlink("a", path("link")).expect("it can be made");
        write(&path("link"), b"three").expect("it can be followed");
        assert_eq!(fs::read(path("a")).expect("it is there"), b"three");
        fs::create_dir(path("folder")).expect("it can be made");
        symlink("folder/b", path("second")).expect("it can be made");
        symlink("second", path("first")).expect("it can be made");
        write(&path("first"), b"four").expect("it can be followed to where nothing is");
        assert_eq!(fs::read(path("folder/b")).expect("it is there"), b"four");
        assert!(["link", "first", "second"].iter().all(|name| path(name).is_symlink()));
        symlink("ring", path("ring")).expect("it can be made");
        for wrong in ["no/such", "ring", "folder"] {
            assert!(Output::create(&path(wrong)).is_err(), "{wrong}");
        }
        let one = Output::create(&path("c")).expect("it can be made");
        let same = Output::create(&path("folder/../c")).expect("it can be made");
        assert!(one.place().is_some() && one.place() == same.place());
    }

    #[test]
    fn what_could_not_be_written_leaves_what_was_there() {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("a");
        fs::write(&path, "old").expect("it can be written");
        let failing = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        };
        let output = Output::create(&path).expect("it can be made");
        assert_eq!(output.place(), fs::canonicalize(&path).ok().as_deref());
        assert_eq!(output.finish(failing).expect_err("it fails").to_string(), "no more");
        drop(Output::create(&path).expect("it can be made"));
        assert_eq!(fs::read(&path).expect("it is there"), b"old");
        assert_eq!(
            fs::read_dir(&directory).expect("it is there").count(),
            1,
            "nothing is left beside"
        );
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("a");
        fs::write(&path, "old").expect("it can be written");
        for mode in [0o600, 0o640, 0o604, 0o666] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
            write(&path, b"new").expect("it can be replaced");
            let now = fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(now & 0o7777, mode);
        }
    }

    #[test]
    fn what_is_no_file_is_written_to_as_it_is() {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("pipe");
        mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RWXU, 0).expect("it can be made");
        let reader = thread::spawn({
            let path = path.clone();
            move || fs::read(path)
        });
        write(&path, b"through").expect("there is a reader");
        assert_eq!(reader.join().expect("no panic").expect("it can be read"), b"through");
        let file_type = fs::metadata(&path).expect("it is there").file_type();
        assert!(std::os::unix::fs::FileTypeExt::is_fifo(&file_type));
    }
}
