//! Sources of compressed bytes: bytes are looked at first, and consumed once their meaning is
//! known.

use std::io::{ErrorKind, Read};

use broadloom_engine::{Bytes, Data};

use super::error::DecompressError;

/// Bytes to look at. It counts what is consumed.
pub(crate) trait Input {
    /// The next bytes: `wanted` or more; fewer only at the end of the input.
    fn peek(&mut self, wanted: usize) -> Result<&[u8], DecompressError>;

    /// Goes on by `len` bytes that [`peek`](Input::peek) gave.
    fn consume(&mut self, len: usize);

    /// Bytes consumed so far.
    fn offset(&self) -> u64;

    /// Goes back by `bytes`, which are those consumed last.
    fn put_back(&mut self, bytes: &[u8]);
}

/// An input that can give jobs their data.
pub(crate) trait Lend<'a>: Input {
    /// The next `len` bytes, consumed; fewer only where the input ends. Memory of `used` is used
    /// again.
    fn lend(&mut self, len: usize, used: Data<'a>) -> Result<Bytes<'a>, DecompressError>;
}

/// A slice as an input.
pub(crate) struct Slice<'a> {
    whole: &'a [u8],
    /// Bytes of it that are consumed.
    consumed: usize,
    start: u64,
}

impl<'a> Slice<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Self {
        Slice::at(whole, 0)
    }

    /// A piece that begins at `start` of its whole.
    pub(crate) fn at(piece: &'a [u8], start: u64) -> Self {
        Slice { whole: piece, consumed: 0, start }
    }
}

impl Input for Slice<'_> {
    fn peek(&mut self, _wanted: usize) -> Result<&[u8], DecompressError> {
        Ok(&self.whole[self.consumed..])
    }

    fn consume(&mut self, len: usize) {
        self.consumed += len;
    }

    fn offset(&self) -> u64 {
        self.start + self.consumed as u64
    }

    fn put_back(&mut self, bytes: &[u8]) {
        self.consumed -= bytes.len();
    }
}

impl<'a> Lend<'a> for Slice<'a> {
    fn lend(&mut self, len: usize, _used: Data<'a>) -> Result<Bytes<'a>, DecompressError> {
        let rest = &self.whole[self.consumed..];
        let lent = &rest[..len.min(rest.len())];
        self.consume(lent.len());
        Ok(Bytes::Borrowed(lent))
    }
}

/// How much a stream reads at a time, in bytes.
const READ: usize = 1 << 17;

/// A reader as an input, through a window that grows only as far as callers look ahead.
pub(crate) struct Stream<R> {
    reader: R,
    window: Vec<u8>,
    start: usize,
    end: usize,
    offset: u64,
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(reader: R) -> Self {
        Stream { reader, window: vec![0; READ], start: 0, end: 0, offset: 0 }
    }

    fn make_room(&mut self, wanted: usize) {
        if self.window.len() - self.start < wanted {
            self.window.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.window.len() < wanted {
            self.window.resize(wanted.next_multiple_of(READ), 0);
        }
    }
}

impl<R: Read> Input for Stream<R> {
    fn peek(&mut self, wanted: usize) -> Result<&[u8], DecompressError> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        self.make_room(wanted);
        while self.end - self.start < wanted {
            match self.reader.read(&mut self.window[self.end..]) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let offset = self.offset + (self.end - self.start) as u64;
                    return Err(DecompressError::Read { offset, error });
                }
            }
        }
        Ok(&self.window[self.start..self.end])
    }

    fn consume(&mut self, len: usize) {
        self.start += len;
        self.offset += len as u64;
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn put_back(&mut self, bytes: &[u8]) {
        if self.start < bytes.len() {
            let more = bytes.len() - self.start;
            self.window.resize(self.window.len() + more, 0);
            self.window.copy_within(self.start..self.end, self.start + more);
            self.start += more;
            self.end += more;
        }
        self.start -= bytes.len();
        self.window[self.start..self.start + bytes.len()].copy_from_slice(bytes);
        self.offset -= bytes.len() as u64;
    }
}

impl<'a, R: Read> Lend<'a> for Stream<R> {
    fn lend(&mut self, len: usize, used: Data<'a>) -> Result<Bytes<'a>, DecompressError> {
        let mut lent = match used {
            Data::Read(Bytes::Owned(bytes)) => bytes,
            _ => Vec::new(),
        };
        lent.clear();
        let at_hand = len.min(self.end - self.start);
        lent.extend_from_slice(&self.window[self.start..self.start + at_hand]);
        self.consume(at_hand);
        // Grows with what there is, whatever `len` claims.
        let missing = (len - at_hand) as u64;
        let read = self.reader.by_ref().take(missing).read_to_end(&mut lent);
        self.offset += (lent.len() - at_hand) as u64;
        match read {
            Ok(_) => Ok(Bytes::Owned(lent)),
            Err(error) => Err(DecompressError::Read { offset: self.offset, error }),
        }
    }
}
