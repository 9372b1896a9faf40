//! What can only be read from its start to its end: standard input, FIFOs, devices.
//!
//! A worker reads one of them at a time and nothing else meanwhile, as whoever writes them may
//! write them one after the other.

use std::fs::File;
use std::io::{self, Read};

use crate::digest::Digest;
use crate::hasher::{Piece, PieceHasher};
use crate::order::Shared;
use crate::reader::{Filled, fill_from};
use crate::round::{self, MAX_JOBS, Ticket};
use crate::source::Serial;
use crate::task::{ChunkDigest, Found, Outcome, Task};

/// Reads the input to its end, and hands in what came of it.
pub fn run<T: Task>(
    shared: &Shared<T>,
    hasher: &mut dyn PieceHasher,
    buffer: &mut [u8],
    ticket: Ticket<T>,
    input: Serial,
    chunk: Option<u64>,
) {
    let found = open(input, &ticket).and_then(|mut input| {
        let mut reading = Reading { shared, hasher, buffer, input: &mut *input };
        match chunk {
            None => reading.message(u64::MAX).map(|message| Found::Digest(message.digest)),
            Some(chunk) => {
                // Results of chunks are told as they come, so that they need not be kept.
                shared.wait_for(ticket.turn);
                reading.chunks(chunk, &ticket).map(|()| Found::Chunks(Vec::new()))
            }
        }
    });
    let mut done = [ticket.end(found)];
    T::settle(&mut done);
    shared.finish(done.into_iter(), 0);
}

fn open<T: Task>(input: Serial, ticket: &Ticket<T>) -> io::Result<Box<dyn Read>> {
    Ok(match input {
        Serial::Open(input) => input,
        Serial::Device => Box::new(File::open(&*ticket.name)?),
        Serial::File(file) => Box::new(file),
    })
}

/// An input being read.
struct Reading<'r, T: Task> {
    shared: &'r Shared<T>,
    hasher: &'r mut dyn PieceHasher,
    buffer: &'r mut [u8],
    input: &'r mut dyn Read,
}

/// A message read piece by piece.
struct Message {
    len: u64,
    digest: Digest,
    /// The input ended before the message had the length it could have had.
    ended: bool,
}

impl<T: Task> Reading<'_, T> {
    /// Fills the first `len` bytes of the buffer, as far as there is anything left to read.
    fn fill(&mut self, len: usize) -> io::Result<Filled> {
        if self.shared.stopped() {
            // Nobody will be told.
            return Err(io::ErrorKind::Interrupted.into());
        }
        let filled = fill_from(self.input, &mut self.buffer[..len])?;
        self.shared.advance(filled.len as u64);
        Ok(filled)
    }

    /// Reads and hashes one message of at most `most` bytes.
    fn message(&mut self, most: u64) -> io::Result<Message> {
        let mut stream = self.hasher.message();
        let mut digests = Vec::with_capacity(1);
        let mut len = 0;
        loop {
            let wanted = usize::try_from(most - len).unwrap_or(usize::MAX).min(self.buffer.len());
            let filled = self.fill(wanted)?;
            len += filled.len as u64;
            let data = &self.buffer[..filled.len];
            let last = filled.end || len == most;
            let piece =
                if last { Piece::Last(&mut stream, data) } else { Piece::More(&mut stream, data) };
            self.hasher.process(vec![piece], &mut digests);
            if let (true, Some(digest)) = (last, digests.pop()) {
                return Ok(Message { len, digest, ended: filled.end });
            }
        }
    }

    /// Reads to the end, and tells the digest of each chunk.
    fn chunks(&mut self, chunk: u64, ticket: &Ticket<T>) -> io::Result<()> {
        let fit = self.buffer.len() as u64 / chunk;
        if fit > 0 {
            let span = (fit.min(MAX_JOBS as u64) * chunk) as usize;
            self.small_chunks(chunk, span, ticket)
        } else {
            self.large_chunks(chunk, ticket)
        }
    }

    /// Chunks of which one or more fit into the buffer, `span` bytes at a time.
    fn small_chunks(&mut self, chunk: u64, span: usize, ticket: &Ticket<T>) -> io::Result<()> {
        let mut digests = Vec::new();
        let mut offset = 0;
        loop {
            let filled = self.fill(span)?;
            if filled.len > 0 || offset == 0 {
                let chunks = round::chunks(&(0..filled.len), offset, chunk);
                let pieces = chunks.map(|(_, piece)| Piece::Whole(&self.buffer[piece]));
                self.hasher.process(pieces.collect(), &mut digests);
                let chunks = round::chunks(&(0..filled.len), offset, chunk);
                let found = chunks.zip(digests.drain(..)).map(|((offset, piece), digest)| {
                    ChunkDigest { offset, len: piece.len() as u64, digest }
                });
                self.tell(ticket, found.collect());
            }
            offset += filled.len as u64;
            if filled.end {
                return Ok(());
            }
        }
    }

    /// Chunks larger than the buffer, one after the other.
    fn large_chunks(&mut self, chunk: u64, ticket: &Ticket<T>) -> io::Result<()> {
        let mut offset = 0;
        loop {
            let Message { len, digest, ended } = self.message(chunk)?;
            if len > 0 || offset == 0 {
                self.tell(ticket, vec![ChunkDigest { offset, len, digest }]);
            }
            offset += len;
            if ended {
                return Ok(());
            }
        }
    }

    fn tell(&self, ticket: &Ticket<T>, chunks: Vec<ChunkDigest>) {
        let (name, found) = (ticket.name.clone(), Ok(Found::Chunks(chunks)));
        let outcome = Outcome { name, expected: T::Expected::default(), found };
        self.shared.tell_part(ticket.turn, outcome);
    }
}
