//! A file that is there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::PerfError;

/// A file to be: written beside its place, then renamed.
///
/// Made before anything is measured, so that a path that cannot be written costs no run.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    beside: NamedTempFile,
}

impl OutputFile {
    /// Opens a temporary file in the folder of `path`.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written, or `path` is a folder.
    pub fn create(path: &Path) -> Result<OutputFile, PerfError> {
        let error = |source| PerfError::Write { path: path.to_owned(), source };
        if path.is_dir() {
            return Err(error(std::io::ErrorKind::IsADirectory.into()));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".broadloom-perf");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the process's own mask still applies.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(folder).map_err(error)?;
        Ok(OutputFile { path: path.to_owned(), beside })
    }

    /// Has `write` fill the file, and puts it in its place.
    ///
    /// # Errors
    /// `write` fails, the disk is full, or the place was taken by something that cannot be replaced.
    pub fn finish(
        self,
        write: impl FnOnce(&mut BufWriter<&std::fs::File>) -> io::Result<()>,
    ) -> Result<(), PerfError> {
        let OutputFile { path, beside } = self;
        let fill = || -> io::Result<()> {
            let mut out = BufWriter::new(beside.as_file());
            write(&mut out)?;
            out.flush()?;
            drop(out);
            beside.as_file().sync_all()
        };
        let filled = fill();
        filled
            .and_then(|()| beside.persist(&path).map(drop).map_err(|error| error.error))
            .map_err(|source| PerfError::Write { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_is_replaced_only_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        std::fs::write(&path, "old").unwrap();
        let text = || std::fs::read_to_string(&path).unwrap();
        let file = OutputFile::create(&path).unwrap();
        assert_eq!(text(), "old");
        drop(file);
        assert_eq!(text(), "old");
        OutputFile::create(&path).unwrap().finish(|out| out.write_all(b"new")).unwrap();
        assert_eq!(text(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing left beside");
    }

    #[test]
    fn what_could_not_be_filled_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let file = OutputFile::create(&path).unwrap();
        let error = file
            .finish(|out| {
                out.write_all(b"half")?;
                Err(io::Error::other("no more"))
            })
            .unwrap_err()
            .to_string();
        assert!(error.contains("out.json") && error.contains("no more"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("none/out.json"), folder.path().to_owned()] {
            let error = OutputFile::create(&path).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }
}
