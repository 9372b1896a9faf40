//! One round of a worker: what lies in its buffer, and what comes of it.

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::digest::Digest;
use super::order::{Shared, Turn};
use super::reader::Filled;
use super::report::{Found, Outcome};

/// Bytes read from a file at a time, as long as there are more files: whole blocks of every algorithm.
pub const PIECE: usize = 8 * 1024;
/// Bytes in a worker's buffer: a piece for each lane of the widest vectors. Well below the size of a
/// core's own cache, so that what is read is still there when it is hashed, and the buffer is still
/// there for the next read: four times as much cost the kernel's copy more than twice the time.
pub const BUFFER: usize = 16 * PIECE;
/// Jobs in a round, after which no further file is begun.
pub const MAX_JOBS: usize = 512;
/// Pieces begin at a cache line of their own.
const ALIGN: usize = 64;

/// A request that has been begun.
pub struct Ticket {
    /// Its place in the order.
    pub turn: Turn,
    /// The file.
    pub name: Arc<OsStr>,
    /// What its digest should be, when checking.
    pub expected: Option<Digest>,
}

impl Ticket {
    /// Ends the request.
    pub fn end(self, found: io::Result<Found>) -> (Turn, Outcome) {
        (self.turn, Outcome { name: self.name, expected: self.expected, found })
    }
}

/// A file, or a span of chunks, that is in the buffer from its first byte to its last.
pub struct WholeFile {
    /// The request.
    pub ticket: Ticket,
    /// Where in the buffer.
    pub piece: Range<usize>,
    /// If it is cut into chunks, where in the file the first begins.
    pub chunk_offset: Option<u64>,
}

/// What is done in one round.
#[derive(Default)]
pub struct Round {
    /// Bytes of the buffer in use.
    used: usize,
    /// Bytes of files in them.
    bytes: u64,
    /// Jobs to run.
    jobs: usize,
    /// Files that need no other round.
    pub whole: Vec<WholeFile>,
    /// What the jobs gave.
    pub digests: Vec<Digest>,
    /// Requests that have ended.
    pub done: Vec<(Turn, Outcome)>,
}

impl Round {
    /// Nothing was read, and nothing came of it.
    pub fn is_idle(&self) -> bool {
        self.jobs == 0 && self.done.is_empty()
    }

    /// Whether a further file may be begun.
    pub fn has_room(&self) -> bool {
        self.used + PIECE <= BUFFER && self.jobs < MAX_JOBS && self.done.len() < MAX_JOBS
    }

    /// Where in the buffer the next piece goes, if it has `len` bytes.
    pub fn room(&self, len: usize) -> Range<usize> {
        self.used..self.used + len
    }

    /// Keeps what was read to `room`, to be hashed in `jobs` jobs.
    pub fn keep(&mut self, filled: &Filled, jobs: usize) -> Range<usize> {
        let piece = self.used..self.used + filled.len;
        self.used += filled.len.next_multiple_of(ALIGN);
        self.bytes += filled.len as u64;
        self.jobs += jobs;
        piece
    }

    /// Hands in the requests that have ended, and begins anew.
    pub fn finish(&mut self, shared: &Shared) {
        shared.finish(self.done.drain(..), self.bytes);
        (self.used, self.bytes, self.jobs) = (0, 0, 0);
    }
}

/// Bytes to read at a time from each of `files` that share the buffer with no others: whole blocks, and
/// pieces that begin at a cache line of their own.
pub fn share(files: usize) -> usize {
    const WHOLE: usize = 128;
    (BUFFER / files).max(PIECE) / WHOLE * WHOLE
}

/// The chunks of `piece`, which begins at `offset` in its file: where each begins there, and where it
/// lies in the buffer. What is empty is one empty chunk.
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
