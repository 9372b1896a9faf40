//! Where bytes come from, and where they go.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};

/// Bytes that are read by their place, by several threads at a time.
pub trait ReadAt: Sync {
    /// Reads bytes from an offset on, and says how many; 0 at the end.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Reads bytes from an offset on into several buffers, one after another, and says how many; 0
    /// at the end, or if the buffers have no room. The system copies a file faster in one call.
    ///
    /// # Errors
    /// What the system says.
    fn read_vectored_at(&self, buffers: &mut [IoSliceMut<'_>], offset: u64) -> io::Result<usize> {
        match buffers.iter_mut().find(|buffer| !buffer.is_empty()) {
            Some(buffer) => self.read_at(buffer, offset),
            None => Ok(0),
        }
    }
}

/// Bytes that are written by their place, by several threads at a time.
pub trait WriteAt: Sync {
    /// Says that about so many bytes will be written, from the first on: a file system reserves
    /// room for a whole file faster than for each write. Fewer or more bytes may follow.
    fn expect_len(&self, _len: u64) {}

    /// Writes all bytes from an offset on.
    ///
    /// # Errors
    /// What the system says.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Writes all bytes of several pieces, one after another, from an offset on. A file is better
    /// written in one call: calls on one file wait for each other, and pages that two calls share
    /// are written twice.
    ///
    /// # Errors
    /// What the system says.
    fn write_all_vectored_at(&self, pieces: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        pieces.iter().try_fold(offset, |offset, piece| {
            self.write_all_at(piece, offset).map(|()| offset + piece.len() as u64)
        })?;
        Ok(())
    }
}

impl ReadAt for &[u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).map_or(self.len(), |start| start.min(self.len()));
        let len = buffer.len().min(self.len() - start);
        buffer[..len].copy_from_slice(&self[start..start + len]);
        Ok(len)
    }
}

/// Where bytes come from.
pub enum Input<'a> {
    /// They are read one after another. A thread that reads keeps the others from reading.
    Stream(&'a mut (dyn Read + Send)),
    /// They are read by their place, by all threads.
    Places {
        /// Them.
        bytes: &'a dyn ReadAt,
        /// How many there are.
        len: u64,
    },
}

impl<'a> Input<'a> {
    /// Bytes in memory.
    pub fn memory(bytes: &'a &'a [u8]) -> Input<'a> {
        Input::Places { bytes, len: bytes.len() as u64 }
    }
}

/// Where bytes go.
pub enum Output<'a> {
    /// They are written one after another.
    Stream(&'a mut (dyn Write + Send)),
    /// They are written by their place, by all threads, in any order: after an error, bytes may
    /// lack in the middle.
    Places(&'a dyn WriteAt),
}

/// Reads until a buffer is full or the input ends, and says how many bytes.
pub(crate) fn read_full(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads by place until all buffers are full or the input ends, and counts the bytes, also those
/// before an error.
pub(crate) fn read_full_at(
    input: &dyn ReadAt,
    mut buffers: &mut [IoSliceMut<'_>],
    offset: u64,
    read: &mut u64,
) -> io::Result<()> {
    IoSliceMut::advance_slices(&mut buffers, 0);
    while !buffers.is_empty() {
        match input.read_vectored_at(buffers, offset + *read) {
            Ok(0) => break,
            Ok(len) => {
                *read += len as u64;
                IoSliceMut::advance_slices(&mut buffers, len);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all bytes of several pieces, and counts them, also those before an error.
pub(crate) fn write_all_vectored(
    output: &mut dyn Write,
    mut pieces: &mut [IoSlice<'_>],
    written: &mut u64,
) -> io::Result<()> {
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        match output.write_vectored(pieces) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => {
                *written += len as u64;
                IoSlice::advance_slices(&mut pieces, len);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Bytes that are read by their place, one after another.
pub(crate) struct Sequence<'a> {
    bytes: &'a dyn ReadAt,
    next: u64,
    len: u64,
}

impl<'a> Sequence<'a> {
    pub(crate) fn new(bytes: &'a dyn ReadAt, len: u64) -> Self {
        Sequence { bytes, next: 0, len }
    }
}

impl Read for Sequence<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len - self.next).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let len = self.bytes.read_at(&mut buffer[..most], self.next)?;
        self.next += len as u64;
        Ok(len)
    }
}

/// Bytes that are written by their place, one after another.
pub(crate) struct Appending<'a> {
    bytes: &'a dyn WriteAt,
    next: u64,
}

impl<'a> Appending<'a> {
    pub(crate) fn new(bytes: &'a dyn WriteAt) -> Self {
        Appending { bytes, next: 0 }
    }
}

impl Write for Appending<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write_all_at(bytes, self.next)?;
        self.next += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
