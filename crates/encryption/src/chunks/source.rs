//! Where groups of chunks come from.

use std::io::{self, IoSliceMut, Read};
use std::ops::Range;

use super::{BLOCK, GROUP, Group, read_error};
use crate::ends::{ReadAt, read_full, read_full_at};
use crate::error::EncryptionError;

/// Where groups of chunks come from.
pub(crate) enum GroupSource<'a> {
    /// A stream.
    Stream(Stream<'a>),
    /// Bytes by their place, and the number of the next group.
    Places(Places<'a>, u64),
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
    before: [u8; BLOCK],
    ended: bool,
}

/// Bytes by their place, which threads read side by side.
#[derive(Clone)]
pub(crate) struct Places<'a> {
    input: &'a dyn ReadAt,
    /// The bytes of all chunks.
    bytes: Range<u64>,
    /// The chunks that are wanted.
    chunks: Range<u64>,
}

impl<'a> GroupSource<'a> {
    /// A stream, of which so many bytes were read before.
    pub(crate) fn stream(input: &'a mut (dyn Read + Send), start: u64) -> Self {
        GroupSource::Stream(Stream {
            input,
            start,
            read: 0,
            ahead: None,
            chunks: 0,
            before: [0; BLOCK],
            ended: false,
        })
    }

    /// Some of the chunks among bytes that have their places.
    pub(crate) fn places(input: &'a dyn ReadAt, bytes: Range<u64>, chunks: Range<u64>) -> Self {
        GroupSource::Places(Places { input, bytes, chunks }, 0)
    }

    /// Groups that there are, where that is known.
    pub(super) fn groups(&self, chunk: usize) -> Option<u64> {
        match self {
            GroupSource::Stream(_) => None,
            GroupSource::Places(places, _) => Some(places.groups(chunk)),
        }
    }

    /// Returns what threads read side by side, unless they read a stream by turns.
    pub(super) fn by_place(&self) -> Option<Places<'a>> {
        match self {
            GroupSource::Stream(_) => None,
            GroupSource::Places(places, _) => Some(places.clone()),
        }
    }

    /// Begins the next group; `false` if there is none. Chunks of a stream are read here, and those
    /// that have their places by [`Places::fill`]. Where reading fails the group says so, and has
    /// the chunks before that.
    pub(super) fn begin(&mut self, chunk: usize, group: &mut Group) -> bool {
        group.lens.clear();
        group.failed = None;
        match self {
            GroupSource::Stream(stream) => stream.fill(chunk, group),
            GroupSource::Places(places, next) => {
                if *next == places.groups(chunk) {
                    return false;
                }
                group.first = places.wanted(chunk).start + *next * GROUP;
                *next += 1;
                true
            }
        }
    }
}

impl Stream<'_> {
    fn fill(&mut self, chunk: usize, group: &mut Group) -> bool {
        if self.ended {
            return false;
        }
        (group.first, group.before) = (self.chunks, self.before);
        let before = self.read;
        if let Err(error) = self.fill_chunks(chunk, group) {
            group.failed = Some(read_error(self.start + self.read, error));
            self.ended = true;
        }
        group.last = self.ended && group.failed.is_none();
        group.read = self.read - before;
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

    /// Groups of the chunks that are wanted.
    fn groups(&self, chunk: usize) -> u64 {
        let wanted = self.wanted(chunk);
        (wanted.end - wanted.start).div_ceil(GROUP)
    }

    fn all(&self, chunk: usize) -> u64 {
        (self.bytes.end - self.bytes.start).div_ceil(chunk as u64).max(1)
    }

    /// Returns the number of bytes that come of all chunks, if each gets longer or shorter by the
    /// same number of bytes.
    pub(super) fn output_len(&self, from: usize, to: usize) -> u64 {
        let (len, chunks) = (self.bytes.end - self.bytes.start, self.all(from));
        (len + chunks * to as u64).saturating_sub(chunks * from as u64)
    }

    /// Fills a group that was begun, and reads the block before it if that is needed.
    pub(super) fn fill(&self, chunk: usize, needs_block_before: bool, group: &mut Group) {
        let end = self.wanted(chunk).end.min(group.first + GROUP);
        group.read = 0;
        group.last = end == self.all(chunk);
        let start = self.bytes.start + group.first * chunk as u64;
        if needs_block_before && group.first > 0 {
            let mut before = [IoSliceMut::new(&mut group.before)];
            if let Err(error) = read_full_at(self.input, &mut before, start - BLOCK as u64, &mut 0)
            {
                group.failed = Some(read_error(start, error));
                return;
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
        group.read = read;
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
    }
}

/// The input has fewer bytes than it had.
fn ended_early(offset: u64) -> EncryptionError {
    read_error(offset, io::ErrorKind::UnexpectedEof.into())
}
