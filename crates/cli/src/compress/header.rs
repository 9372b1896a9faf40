//! What the header of a gzip file says of the file it was made of.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use broadloom::compression::format::gzip;

use super::seconds;

/// How much of a file is read at first. Few headers are longer.
const FIRST: usize = 4096;

/// The name and the time of the original.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// Its name, without directories.
    pub name: Option<Vec<u8>>,
    /// When it was modified.
    pub modified: Option<SystemTime>,
}

impl Header {
    /// Reads the header at the beginning of a file, without moving where it is read next. What is
    /// no gzip file says nothing.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(file: &File) -> io::Result<Header> {
        let mut start = Vec::new();
        for len in [FIRST, gzip::MAX_HEADER] {
            start.resize(len, 0);
            let mut read = 0;
            loop {
                match file.read_at(&mut start[read..], read as u64) {
                    Ok(0) => break,
                    Ok(more) => read += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // A pipe has no places. Nothing is known of it then.
                    Err(error) if error.kind() == io::ErrorKind::NotSeekable => {
                        return Ok(Header::default());
                    }
                    Err(error) => return Err(error),
                }
            }
            if let Ok(Some(header)) = gzip::Header::parse(&start[..read]) {
                let name = header.file_name().map(<[u8]>::to_owned);
                return Ok(Header { name, modified: seconds::from_seconds(header.mtime) });
            }
            if read < len {
                break;
            }
        }
        Ok(Header::default())
    }

    /// The original's name in the directory of the compressed file, if there is one.
    pub fn beside(&self, compressed: &Path) -> Option<PathBuf> {
        let name = self.name.as_deref()?;
        Some(compressed.with_file_name(OsStr::from_bytes(name)))
    }
}
