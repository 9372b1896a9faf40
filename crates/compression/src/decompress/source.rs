//! Where compressed bytes come from: looked at first, and consumed when it is known what they are.

use std::io::{ErrorKind, Read};

use super::error::DecompressError;

/// Bytes to look at. It counts what is consumed.
pub(crate) trait Source {
    /// What comes next: `wanted` bytes or more; fewer only where the input ends.
    fn peek(&mut self, wanted: usize) -> Result<&[u8], DecompressError>;

    /// Goes on by `len` bytes that [`peek`](Source::peek) gave.
    fn consume(&mut self, len: usize);

    /// Bytes consumed so far.
    fn offset(&self) -> u64;
}

/// A slice as a source.
pub(crate) struct Slice<'a> {
    whole: &'a [u8],
    at: usize,
}

impl<'a> Slice<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Self {
        Slice { whole, at: 0 }
    }

    /// The next `len` bytes for as long as the slice lives, consumed; fewer where it ends.
    pub(crate) fn take(&mut self, len: usize) -> &'a [u8] {
        let rest = &self.whole[self.at..];
        let taken = &rest[..len.min(rest.len())];
        self.at += taken.len();
        taken
    }
}

impl Source for Slice<'_> {
    fn peek(&mut self, _wanted: usize) -> Result<&[u8], DecompressError> {
        Ok(&self.whole[self.at..])
    }

    fn consume(&mut self, len: usize) {
        self.at += len;
    }

    fn offset(&self) -> u64 {
        self.at as u64
    }
}

/// How much a stream reads at a time, in bytes.
const READ: usize = 1 << 17;

/// A reader as a source, through a window that grows only as far as somebody looks ahead.
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

    /// The next `len` bytes, consumed; fewer where the input ends. No more memory is taken than twice what is
    /// there.
    pub(crate) fn take(&mut self, len: usize, mut taken: Vec<u8>) -> Result<Vec<u8>, DecompressError> {
        taken.clear();
        let at_hand = len.min(self.end - self.start);
        taken.extend_from_slice(&self.window[self.start..self.start + at_hand]);
        self.consume(at_hand);
        let missing = (len - at_hand) as u64;
        let read = self.reader.by_ref().take(missing).read_to_end(&mut taken);
        self.offset += (taken.len() - at_hand) as u64;
        match read {
            Ok(_) => Ok(taken),
            Err(error) => Err(DecompressError::Read { offset: self.offset, error }),
        }
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

impl<R: Read> Source for Stream<R> {
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
}
