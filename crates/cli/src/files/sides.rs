//! Both ends of the work: what is read, what is written.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use broadloom::encryption::{ReadAt, WriteAt};
use broadloom_program::patient::Patient;
use broadloom_program::progress::Progress;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::{preadv, pwritev};
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

use super::report::locked;

/// Bytes in a pipe: as many as Linux grants a program without privileges.
const PIPE: usize = 1 << 20;

/// Standard input, without a buffer of its own.
///
/// # Errors
/// If it is closed.
pub fn stdin() -> io::Result<File> {
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    widen(&stdin);
    Ok(stdin)
}

/// Standard output, without a buffer of its own.
///
/// # Errors
/// If it is closed.
pub fn stdout() -> io::Result<File> {
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    widen(&stdout);
    Ok(stdout)
}

/// Makes room in a pipe, so that its ends seldom wait for each other. The system may refuse more
/// than it grants a user in all; then the pipe stays as it is, as does what is no pipe.
fn widen(end: &File) {
    if fcntl_getpipe_size(end).is_ok_and(|room| room < PIPE) {
        let _ = fcntl_setpipe_size(end, PIPE);
    }
}

/// A file whose bytes are counted for the progress bar as they are read.
pub struct Counted<'f> {
    file: Patient<'f>,
    progress: Arc<Mutex<Progress>>,
}

impl<'f> Counted<'f> {
    /// Counts what is read.
    pub fn new(file: &'f File, progress: Arc<Mutex<Progress>>) -> Self {
        Counted { file: Patient(file), progress }
    }
}

impl Counted<'_> {
    /// Returns the number of bytes if all of them can be read by their place, as in a file of which
    /// nothing was read.
    pub fn places(&self) -> Option<u64> {
        let (mut file, metadata) = (self.file.0, self.file.0.metadata().ok()?);
        let at_start = metadata.is_file() && file.stream_position().is_ok_and(|place| place == 0);
        at_start.then_some(metadata.len())
    }
}

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = self.file.0.read_at(buffer, offset)?;
        locked(&self.progress).advance(len as u64);
        Ok(len)
    }

    fn read_vectored_at(&self, buffers: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        let len = preadv(self.file.0, buffers, offset)?;
        locked(&self.progress).advance(len as u64);
        Ok(len)
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(buffer)?;
        locked(&self.progress).advance(len as u64);
        Ok(len)
    }
}

/// Where data go.
pub enum Output<'f> {
    /// To a file.
    File(&'f File),
    /// To standard output.
    Stdout(&'f File),
    /// Nowhere.
    Nowhere,
}

/// A file whose bytes are written by their place.
pub struct Places<'f>(pub &'f File);

impl WriteAt for Places<'_> {
    fn expect_len(&self, len: u64) {
        // Not every file system can, and the bytes are written all the same. The size stays: it
        // tells how far the file has been written.
        let _ = fallocate(self.0, FallocateFlags::KEEP_SIZE, 0, len);
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn write_all_vectored_at(
        &self,
        mut pieces: &mut [IoSlice<'_>],
        mut offset: u64,
    ) -> io::Result<()> {
        IoSlice::advance_slices(&mut pieces, 0);
        while !pieces.is_empty() {
            match pwritev(self.0, pieces, offset).map_err(io::Error::from) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(len) => {
                    IoSlice::advance_slices(&mut pieces, len);
                    offset += len as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::File(file) | Output::Stdout(file) => Patient(file).write(bytes),
            Output::Nowhere => Ok(bytes.len()),
        }
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Output::File(file) | Output::Stdout(file) => Patient(file).write_vectored(pieces),
            Output::Nowhere => Ok(pieces.iter().map(|piece| piece.len()).sum()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
