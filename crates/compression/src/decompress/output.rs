//! Destinations for decompressed bytes: counted, and never more than the limit.

use std::io::{self, ErrorKind, Write};

use super::error::DecompressError;
use super::input::Input;

/// Memory that grows as it is written, and fails where the system has no more: the input decides
/// how much it is.
pub(crate) struct Memory<'v>(pub(crate) &'v mut Vec<u8>);

impl Write for Memory<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer with a limit.
pub(crate) struct Output<W> {
    writer: W,
    written: u64,
    limit: Option<u64>,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(writer: W, limit: Option<u64>) -> Self {
        Output { writer, written: 0, limit }
    }

    /// Bytes written so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Bytes that may still be written.
    pub(crate) fn left(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit - self.written)
    }

    /// The error for data that do not fit, found out at `offset` of the input.
    pub(crate) fn overflow(&self, offset: u64) -> DecompressError {
        DecompressError::OutputLimit { offset, limit: self.limit.unwrap_or(u64::MAX) }
    }

    /// Writes `data`, which the input up to `offset` stands for.
    pub(crate) fn write(&mut self, data: &[u8], offset: u64) -> Result<(), DecompressError> {
        if data.len() as u64 > self.left() {
            return Err(self.overflow(offset));
        }
        match self.writer.write_all(data) {
            Ok(()) => self.pass(data.len() as u64, offset),
            Err(error) => Err(DecompressError::Write { offset: self.written, error }),
        }
    }

    /// Counts `len` unwanted bytes as written, which the input up to `offset` stands for.
    pub(crate) fn pass(&mut self, len: u64, offset: u64) -> Result<(), DecompressError> {
        if len > self.left() {
            return Err(self.overflow(offset));
        }
        self.written += len;
        Ok(())
    }

    /// Writes the rest of an input unchanged, and returns its length.
    pub(crate) fn copy(&mut self, input: &mut impl Input) -> Result<u64, DecompressError> {
        let start = input.offset();
        loop {
            let offset = input.offset();
            let rest = input.peek(1)?;
            if rest.is_empty() {
                return Ok(offset - start);
            }
            self.write(rest, offset)?;
            let len = rest.len();
            input.consume(len);
        }
    }

    /// Has the writer pass on what it holds.
    pub(crate) fn flush(&mut self) -> Result<(), DecompressError> {
        let offset = self.written;
        self.writer.flush().map_err(|error| DecompressError::Write { offset, error })
    }
}
