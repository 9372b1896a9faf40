//! Opening files and reading their next piece.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

/// A file, or a part of one, read piece by piece.
pub struct Reader {
    file: Arc<File>,
    /// Bytes read so far.
    read: u64,
    extent: Extent,
}

/// How far to read.
enum Extent {
    /// To the end, from where the file stands. The size when it was opened is only a hint: it saves
    /// asking for more, and shows a file that shrank.
    ToEnd { size: u64 },
    /// A part: other readers share the file, so the position is given with each read.
    Part { offset: u64, len: u64 },
}

/// What `Reader::fill` got.
pub struct Filled {
    /// Bytes read.
    pub len: usize,
    /// There is no more.
    pub end: bool,
}

/// What was found under a name.
pub enum Opened {
    /// A regular file, open for reading, and its size in bytes as the file system tells it.
    Regular(File, u64),
    /// A FIFO, a socket, a terminal or another device. It was not opened: that may take as long as
    /// its other end likes.
    Serial,
}

/// Opens a file for reading.
///
/// # Errors
/// What the system says, and that it is a directory.
pub fn open(path: &Path) -> io::Result<Opened> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        Err(Errno::ISDIR.into())
    } else if metadata.is_file() {
        Ok(Opened::Regular(File::open(path)?, metadata.len()))
    } else {
        Ok(Opened::Serial)
    }
}

impl Reader {
    /// Reads a regular file, whose size was given when it was opened, to its end.
    pub fn to_end(file: File, size: u64) -> Self {
        Reader { file: Arc::new(file), read: 0, extent: Extent::ToEnd { size } }
    }

    /// Reads `len` bytes from `offset`.
    pub fn part(file: Arc<File>, offset: u64, len: u64) -> Self {
        Reader { file, read: 0, extent: Extent::Part { offset, len } }
    }

    /// Bytes read so far.
    pub fn count(&self) -> u64 {
        self.read
    }

    /// Returns the bytes that are left to read, as far as they are known.
    pub fn left(&self) -> u64 {
        match self.extent {
            Extent::ToEnd { size } => size.saturating_sub(self.read),
            Extent::Part { len, .. } => len - self.read,
        }
    }

    /// Fills the buffer as far as there is anything left to read.
    ///
    /// # Errors
    /// What the system says, and that the file has become shorter since it was opened.
    pub fn fill(&mut self, buffer: &mut [u8]) -> io::Result<Filled> {
        let mut len = 0;
        loop {
            if self.is_at_part_end() {
                return Ok(Filled { len, end: true });
            }
            if len == buffer.len() {
                return Ok(Filled { len, end: false });
            }
            let wanted = buffer.len() - len;
            let got = match self.read_some(&mut buffer[len..]) {
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            len += got;
            self.read += got as u64;
            let at_size = matches!(self.extent, Extent::ToEnd { size } if size == self.read);
            if got == 0 {
                self.refuse_shrunk()?;
                return Ok(Filled { len, end: true });
            }
            if got < wanted && at_size {
                return Ok(Filled { len, end: true });
            }
        }
    }

    fn is_at_part_end(&self) -> bool {
        matches!(self.extent, Extent::Part { len, .. } if len == self.read)
    }

    fn read_some(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.extent {
            Extent::ToEnd { .. } => (&*self.file).read(buffer),
            Extent::Part { offset, len } => {
                let left = usize::try_from(len - self.read).unwrap_or(usize::MAX);
                let wanted = left.min(buffer.len());
                self.file.read_at(&mut buffer[..wanted], offset + self.read)
            }
        }
    }

    /// At an early end: refuses a file that is now shorter than when it was opened. Some files of
    /// /sys always hold less than their size says, and are left in peace.
    fn refuse_shrunk(&self) -> io::Result<()> {
        let (expected, reached) = match self.extent {
            Extent::ToEnd { size } => (size, self.read),
            Extent::Part { offset, len } => (offset + len, offset + self.read),
        };
        if reached < expected {
            let now = self.file.metadata()?.len();
            if now < expected || matches!(self.extent, Extent::Part { .. }) {
                return Err(io::Error::other(format!(
                    "file was truncated while it was read: it had {expected} bytes, and ended \
                     after {reached}"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the error of a read that had to be complete. Where the file ended early, the error says
/// that the file was truncated.
pub fn shrunk(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other("file was truncated while it was read"),
        _ => error,
    }
}

/// Fills the buffer from a stream as far as there is anything left to read.
///
/// # Errors
/// What the system says.
pub fn fill_from(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<Filled> {
    let mut len = 0;
    while len < buffer.len() {
        match source.read(&mut buffer[len..]) {
            Ok(0) => return Ok(Filled { len, end: true }),
            Ok(got) => len += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Filled { len, end: false })
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    /// A file of `len` bytes, open to be read, and once more to be changed.
    fn file_of(len: u64) -> (File, File) {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(len).unwrap();
        let other = OpenOptions::new().write(true).open(file.path()).unwrap();
        (file.into_file(), other)
    }

    #[test]
    fn a_file_that_shrinks_is_refused() {
        let (file, other) = file_of(1000);
        let mut reader = Reader::to_end(file, 1000);
        assert!(!reader.fill(&mut [0; 600]).unwrap().end);
        other.set_len(700).unwrap();
        let error = reader.fill(&mut [0; 600]).err().unwrap().to_string();
        assert!(error.contains("truncated") && error.contains("700"), "{error}");
    }

    #[test]
    fn a_part_that_shrinks_is_refused() {
        let (file, other) = file_of(1000);
        other.set_len(700).unwrap();
        let mut reader = Reader::part(Arc::new(file), 512, 488);
        assert!(reader.fill(&mut [0; 600]).is_err());
    }

    #[test]
    fn a_file_that_grows_is_read_to_its_new_end() {
        let (file, other) = file_of(1000);
        other.set_len(1100).unwrap();
        let mut reader = Reader::to_end(file, 1000);
        let filled = reader.fill(&mut [0; 4096]).unwrap();
        assert_eq!((filled.len, filled.end), (1100, true));
    }

    #[test]
    fn a_part_stops_at_its_end() {
        let (file, _other) = file_of(1000);
        let mut reader = Reader::part(Arc::new(file), 100, 256);
        let filled = reader.fill(&mut [0; 200]).unwrap();
        assert_eq!((filled.len, filled.end), (200, false));
        let filled = reader.fill(&mut [0; 200]).unwrap();
        assert_eq!((filled.len, filled.end), (56, true));
    }
}
