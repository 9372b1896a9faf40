//! The output file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use broadloom_cli::target::{Existing, Target};

/// Whether two names are those of one file, which would be written over while it is needed.
pub fn is_same(input: &Path, output: &Path) -> bool {
    let file = |path| fs::metadata(path).ok().filter(fs::Metadata::is_file);
    let Some((input, output)) = file(input).zip(file(output)) else { return false };
    (input.dev(), input.ino()) == (output.dev(), output.ino())
}

/// Writes a file that is there as a whole or not at all, in the place of one that is there already. What is
/// no regular file is written to as it is: a device, a pipe.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    // A link stays one.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let target = Target::create_usual(&place)?;
    target.file().write_all(bytes)?;
    target.place(&place, Existing::Replace)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_replaced_links_followed_and_devices_written_to() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        write(&path("a"), b"one").expect("it can be made");
        write(&path("a"), b"two").expect("it can be replaced");
        symlink("a", path("link")).expect("it can be made");
        write(&path("link"), b"three").expect("it can be followed");
        assert_eq!(fs::read(path("a")).expect("it is there"), b"three");
        assert!(path("link").is_symlink());
        write(Path::new("/dev/null"), b"four").expect("it takes anything");
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
        assert!(write(&path("no/such"), b"five").is_err());
    }
}
