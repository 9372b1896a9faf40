//! One round of a worker: what lies in its buffer, and what comes of it.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::digest::Digest;
use crate::order::Shared;
use crate::reader::Filled;
use crate::source::PIECE;
use crate::task::{Found, Outcome, Task, Turn};

/// Files that a worker can hold open: one for each lane of the widest vectors.
pub const MAX_OPEN: usize = 16;
/// Bytes in a worker's buffer: small beside a core's own cache, so that what is read is still there
/// when it is hashed.
pub const BUFFER: usize = START + MAX_OPEN * (PIECE + GAP);
/// Where the first piece begins. The kernel copies from the start of a page: to the start of
/// another, each load would seem to wait for the store before it, as their addresses differ in the
/// high bits alone. That made reading take more than twice the time.
pub const START: usize = 2048;
/// Bytes between pieces, a cache line: lanes that read at the same place of large powers of two
/// would fight for the same lines.
const GAP: usize = 64;
/// Jobs in a round, after which no further file is begun.
pub const MAX_JOBS: usize = 512;
/// Pieces are whole blocks of every algorithm.
const WHOLE: usize = 128;
const _: () = assert!(PIECE.is_multiple_of(WHOLE) && (BUFFER - START).is_multiple_of(WHOLE));

/// A request that has been begun.
pub struct Ticket<T: Task> {
    /// Its place in the order.
    pub turn: Turn,
    /// The file.
    pub name: Arc<OsStr>,
    /// What is known of it before it is read.
    pub expected: T::Expected,
}

impl<T: Task> Ticket<T> {
    /// Ends the request.
    pub fn end(self, found: io::Result<Found>) -> (Turn, Outcome<T>) {
        (self.turn, Outcome { name: self.name, expected: self.expected, found })
    }
}

/// A file, or a span of chunks, that is in the buffer from its first byte to its last.
pub struct WholeFile<T: Task> {
    /// The request.
    pub ticket: Ticket<T>,
    /// Where in the buffer.
    pub piece: Range<usize>,
    /// If it is cut into chunks, where in the file the first begins.
    pub chunk_offset: Option<u64>,
}

/// What is done in one round.
pub struct Round<T: Task> {
    /// Where the next piece begins in the buffer.
    start: usize,
    /// Bytes of files in them.
    bytes: u64,
    /// Jobs to run.
    jobs: usize,
    /// Files that need no other round.
    pub whole: Vec<WholeFile<T>>,
    /// What the jobs gave.
    pub digests: Vec<Digest>,
    /// Requests that have ended.
    pub done: Vec<(Turn, Outcome<T>)>,
}

impl<T: Task> Round<T> {
    /// An empty one.
    pub fn new() -> Self {
        Round {
            start: START,
            bytes: 0,
            jobs: 0,
            whole: Vec::new(),
            digests: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Nothing was read, and nothing came of it.
    pub fn is_idle(&self) -> bool {
        self.jobs == 0 && self.done.is_empty()
    }

    /// Returns `true` if a further file may be begun.
    pub fn has_room(&self) -> bool {
        self.start + PIECE <= BUFFER && self.jobs < MAX_JOBS && self.done.len() < MAX_JOBS
    }

    /// Returns the part of the buffer for the next piece, if it has `len` bytes.
    pub fn room(&self, len: usize) -> Range<usize> {
        self.start..self.start + len
    }

    /// Keeps what was read to `room`, to be hashed in `jobs` jobs.
    pub fn keep(&mut self, filled: &Filled, jobs: usize) -> Range<usize> {
        let piece = self.start..self.start + filled.len;
        self.start += filled.len.next_multiple_of(GAP) + GAP;
        self.bytes += filled.len as u64;
        self.jobs += jobs;
        piece
    }

    /// Ends a request whose file was read apart, and had `bytes` bytes.
    pub fn end_apart(&mut self, ticket: Ticket<T>, found: io::Result<(Found, u64)>) {
        let bytes = found.as_ref().map_or(0, |(_, bytes)| *bytes);
        self.bytes += bytes;
        self.done.push(ticket.end(found.map(|(found, _)| found)));
    }

    /// Hands in the requests that have ended, and begins anew.
    pub fn finish(&mut self, shared: &Shared<T>) {
        T::settle(&mut self.done);
        shared.finish(self.done.drain(..), self.bytes);
        (self.start, self.bytes, self.jobs) = (START, 0, 0);
    }
}

/// Bytes to read at a time from each of `files`, 1 to [`MAX_OPEN`], that share the buffer with no
/// others.
pub fn share(files: usize) -> usize {
    MAX_OPEN * PIECE / files / WHOLE * WHOLE
}

/// The chunks of `piece`, which begins at `offset` in its file: where each begins there, and where
/// it lies in the buffer. What is empty is one empty chunk.
pub fn chunks(
    piece: &Range<usize>,
    offset: u64,
    chunk: u64,
) -> impl Iterator<Item = (u64, Range<usize>)> + use<> {
    let (start, len) = (piece.start, piece.len());
    let chunk = usize::try_from(chunk).unwrap_or(usize::MAX);
    (0..len.div_ceil(chunk).max(1)).map(move |index| {
        let from = index * chunk;
        let to = from.saturating_add(chunk).min(len);
        (offset + from as u64, start + from..start + to)
    })
}
