//! Both ends of the work: what is read, what is written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use broadloom_cli::progress::Progress;

use super::report::locked;

/// Standard input, without a buffer of its own.
///
/// # Errors
/// If it is closed.
pub fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Standard output, without a buffer of its own.
///
/// # Errors
/// If it is closed.
pub fn stdout() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// A reader whose bytes are counted for the progress bar.
pub struct Counted<R> {
    reader: R,
    progress: Arc<Mutex<Progress>>,
}

impl<R: Read> Counted<R> {
    /// Counts what is read.
    pub fn new(reader: R, progress: Arc<Mutex<Progress>>) -> Self {
        Counted { reader, progress }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(buffer)?;
        locked(&self.progress).advance(len as u64);
        Ok(len)
    }
}

/// Where data go.
pub enum Output<'f> {
    /// To a file.
    File(&'f File),
    /// Nowhere.
    Nowhere,
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) => file.write(bytes),
            Output::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
