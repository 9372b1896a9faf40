//! Small files, and pages that leave the cache: what all kinds of storage need of the system.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::experiments::storage::data::Data;
use crate::experiments::storage::topic::FILE;

/// Small files of a directory, by their numbers.
pub struct Small {
    directory: PathBuf,
    /// Bytes of the content of one.
    content: Vec<u8>,
}

impl Small {
    pub fn new(directory: PathBuf) -> Small {
        Small { directory, content: vec![0; FILE] }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn path(&self, number: usize) -> PathBuf {
        self.directory.join(number.to_string())
    }

    /// The content of a file.
    pub fn content(&mut self, data: &Data, number: usize) -> &[u8] {
        data.fill((number * FILE) as u64, &mut self.content);
        &self.content
    }

    /// Removes all of them.
    pub fn clear(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => done?,
        }
        fs::create_dir_all(&self.directory)
    }

    /// Writes a file in the usual way.
    pub fn write(&mut self, data: &Data, number: usize) -> io::Result<()> {
        let path = self.path(number);
        File::create_new(path)?.write_all(self.content(data, number))
    }
}

/// Drops the pages of a file from the cache, once they are on the disk.
pub fn drop_pages(file: &File) -> io::Result<()> {
    file.sync_all()?;
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}
