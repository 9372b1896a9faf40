//! Chunks of what a reader gives.

use std::io::{self, Read};

use crate::{Chunker, Pieces};

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// The chunks of what a reader gives: [`Chunker::read`]. Memory holds one chunk and at most 256 KiB
/// behind it.
#[derive(Debug)]
pub struct ReadChunks<R> {
    reader: R,
    pieces: Pieces,
    /// What was read behind the last chunk.
    rest: Vec<u8>,
    /// The reader has ended, or failed.
    ended: bool,
}

impl<R: Read> ReadChunks<R> {
    pub(crate) fn new(chunker: &Chunker, reader: R) -> Self {
        ReadChunks { reader, pieces: chunker.pieces(), rest: vec![], ended: false }
    }

    /// Replaces the content of `chunk` by the next chunk; false if there is none. A vector that is
    /// handed in again and again keeps its memory.
    ///
    /// # Errors
    /// If the reader fails. Then no chunk follows.
    pub fn next_into(&mut self, chunk: &mut Vec<u8>) -> io::Result<bool> {
        chunk.clear();
        chunk.append(&mut self.rest);
        let mut searched = 0;
        loop {
            if let Some(end) = self.pieces.next_end(&chunk[searched..]) {
                self.rest.extend_from_slice(&chunk[searched + end..]);
                chunk.truncate(searched + end);
                return Ok(true);
            }
            if self.ended {
                self.pieces.restart();
                return Ok(!chunk.is_empty());
            }
            searched = chunk.len();
            match self.reader.by_ref().take(PIECE as u64).read_to_end(chunk) {
                Ok(read) => self.ended = read < PIECE,
                Err(error) => {
                    self.ended = true;
                    self.pieces.restart();
                    chunk.clear();
                    return Err(error);
                }
            }
        }
    }
}

impl<R: Read> Iterator for ReadChunks<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut chunk = vec![];
        match self.next_into(&mut chunk) {
            Ok(true) => Some(Ok(chunk)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
