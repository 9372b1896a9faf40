//! Where groups of chunks come from.

use std::io::{self, IoSliceMut, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{BLOCK, GROUP, Group, read_error};
use crate::ends::{ReadAt, read_full, read_full_at};
use crate::error::EncryptionError;

/// Where groups of chunks come from.
pub(crate) enum Source<'a> {
    /// A stream.
    Stream(Mutex<Stream<'a>>),
    /// Bytes by their place.
    Places(Places<'a>),
}

/// A stream, and how far it was read.
pub(crate) struct Stream<'a> {
    input: &'a mut (dyn Read + Send),
    /// Where the stream begins in the file.
    start: u64,
    read: u64,
    /// A byte that was read to see whether there is more.
    ahead: Option<u8>,
    chunks: u64,
    turn: u64,
    before: [u8; BLOCK],
    ended: bool,
}

/// Bytes by their place, and which of them are next.
pub(crate) struct Places<'a> {
    input: &'a dyn ReadAt,
    /// The bytes of all chunks.
    bytes: Range<u64>,
    /// The chunks that are wanted.
    chunks: Range<u64>,
    turn: AtomicU64,
    read: AtomicU64,
}

impl<'a> Source<'a> {
    /// A stream, of which so many bytes were read before.
    pub(crate) fn stream(input: &'a mut (dyn Read + Send), start: u64) -> Self {
        Source::Stream(Mutex::new(Stream {
            input,
            start,
            read: 0,
            ahead: None,
            chunks: 0,
            turn: 0,
            before: [0; BLOCK],
            ended: false,
        }))
    }

    /// Some of the chunks among bytes that have their places.
    pub(crate) fn places(input: &'a dyn ReadAt, bytes: Range<u64>, chunks: Range<u64>) -> Self {
        let (turn, read) = (AtomicU64::new(0), AtomicU64::new(0));
        Source::Places(Places { input, bytes, chunks, turn, read })
    }

    /// Groups that there are, where that is known.
    pub(super) fn groups(&self, chunk: usize) -> Option<u64> {
        match self {
            Source::Stream(_) => None,
            Source::Places(places) => {
                let wanted = places.wanted(chunk);
                Some((wanted.end - wanted.start).div_ceil(GROUP))
            }
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        match self {
            Source::Stream(stream) => stream.lock().unwrap_or_else(PoisonError::into_inner).read,
            Source::Places(places) => places.read.load(Ordering::Relaxed),
        }
    }

    /// Fills a group with the next chunks; `false` if there are none. Where reading fails the group
    /// says so, and has the chunks before that.
    pub(super) fn fill(&self, chunk: usize, group: &mut Group) -> bool {
        group.lens.clear();
        group.failed = None;
        match self {
            Source::Stream(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).fill(chunk, group)
            }
            Source::Places(places) => places.fill(chunk, group),
        }
    }
}

impl Stream<'_> {
    fn fill(&mut self, chunk: usize, group: &mut Group) -> bool {
        if self.ended {
            return false;
        }
        (group.first, group.turn, group.before) = (self.chunks, self.turn, self.before);
        self.turn += 1;
        if let Err(error) = self.fill_chunks(chunk, group) {
            group.failed = Some(read_error(self.start + self.read, error));
            self.ended = true;
        }
        group.last = self.ended && group.failed.is_none();
        self.chunks += group.lens.len() as u64;
        true
    }

    fn fill_chunks(&mut self, chunk: usize, group: &mut Group) -> io::Result<()> {
        for slot in group.slots.iter_mut() {
            let carried = match self.ahead.take() {
                Some(byte) => {
                    slot[0] = byte;
                    1
                }
                None => 0,
            };
            let read = read_full(self.input, &mut slot[carried..chunk])?;
            let len = carried + read;
            self.read += read as u64;
            self.ended = len < chunk;
            // The input may be empty; a chunk behind others is not.
            if len > 0 || (self.chunks == 0 && group.lens.is_empty()) {
                group.lens.push(len);
            }
            if let Some(last) = slot[..len].last_chunk() {
                self.before = *last;
            }
            if self.ended {
                return Ok(());
            }
        }
        let mut next = [0];
        match read_full(self.input, &mut next)? {
            0 => self.ended = true,
            _ => {
                self.ahead = Some(next[0]);
                self.read += 1;
            }
        }
        Ok(())
    }
}

impl Places<'_> {
    /// The chunks that are wanted and there: at least one, which may be empty.
    fn wanted(&self, chunk: usize) -> Range<u64> {
        let all = self.all(chunk);
        self.chunks.start.min(all)..self.chunks.end.min(all)
    }

    fn all(&self, chunk: usize) -> u64 {
        (self.bytes.end - self.bytes.start).div_ceil(chunk as u64).max(1)
    }

    fn fill(&self, chunk: usize, group: &mut Group) -> bool {
        let wanted = self.wanted(chunk);
        group.turn = self.turn.fetch_add(1, Ordering::Relaxed);
        group.first = wanted.start + group.turn * GROUP;
        if group.first >= wanted.end {
            return false;
        }
        let end = wanted.end.min(group.first + GROUP);
        group.last = end == self.all(chunk);
        let start = self.bytes.start + group.first * chunk as u64;
        if group.first > 0 {
            let mut before = [IoSliceMut::new(&mut group.before)];
            if let Err(error) = read_full_at(self.input, &mut before, start - BLOCK as u64, &mut 0)
            {
                group.failed = Some(read_error(start, error));
                return true;
            }
        }
        let len = (self.bytes.end - start).min((end - group.first) * chunk as u64);
        let mut read = 0;
        let result = {
            let slots = group.slots.iter_mut().zip(0..end - group.first);
            let mut buffers: Vec<_> = slots
                .map(|(slot, index)| {
                    let left = len.saturating_sub(index * chunk as u64).min(chunk as u64);
                    IoSliceMut::new(&mut slot[..left as usize])
                })
                .collect();
            read_full_at(self.input, &mut buffers, start, &mut read)
        };
        self.read.fetch_add(read, Ordering::Relaxed);
        let complete = read == len;
        // An input without bytes is one chunk without bytes.
        let whole = if complete { end - group.first } else { read / chunk as u64 };
        for index in 0..whole {
            group.lens.push((len - index * chunk as u64).min(chunk as u64) as usize);
        }
        let failed_at = start + whole * chunk as u64;
        group.failed = match result {
            Err(error) => Some(read_error(failed_at, error)),
            Ok(()) if complete => None,
            Ok(()) => Some(ended_early(failed_at)),
        };
        true
    }
}

/// The input has fewer bytes than it had.
fn ended_early(offset: u64) -> EncryptionError {
    read_error(offset, io::ErrorKind::UnexpectedEof.into())
}
