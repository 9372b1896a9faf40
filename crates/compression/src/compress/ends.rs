//! Where chunks come from, and where they go.

use std::io::{ErrorKind, Read, Write};

use broadloom_engine::Bytes;

use crate::error::CompressError;
use crate::pipeline::{Sink, Source};
use crate::report::Report;

use super::chunk::Chunk;
use super::frames::Frames;

/// The chunks of an input that is there as a whole.
pub(super) struct Slice<'a> {
    rest: &'a [u8],
    offset: u64,
    chunk: usize,
}

impl<'a> Slice<'a> {
    pub(super) fn new(input: &'a [u8], chunk: usize) -> Self {
        Slice { rest: input, offset: 0, chunk }
    }
}

impl<'a> Source<Chunk<'a>> for Slice<'a> {
    type Error = CompressError;

    fn fill(&mut self, chunk: &mut Chunk<'a>) -> Result<bool, CompressError> {
        let (next, rest) = self.rest.split_at(self.chunk.min(self.rest.len()));
        if next.is_empty() {
            return Ok(false);
        }
        chunk.set_input(self.offset, Bytes::Borrowed(next));
        self.offset += next.len() as u64;
        self.rest = rest;
        Ok(true)
    }
}

/// The chunks of what is read.
pub(super) struct Reader<R> {
    reader: R,
    chunk: usize,
    offset: u64,
    ended: bool,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(reader: R, chunk: usize) -> Self {
        Reader { reader, chunk, offset: 0, ended: false }
    }

    /// Reads until the memory is full or nothing more comes, and says how much came.
    fn read(&mut self, memory: &mut [u8]) -> Result<usize, CompressError> {
        let mut filled = 0;
        while filled < memory.len() {
            match self.reader.read(&mut memory[filled..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(CompressError::Read { offset: self.offset + filled as u64, error });
                }
            }
        }
        Ok(filled)
    }
}

impl<'a, R: Read> Source<Chunk<'a>> for Reader<R> {
    type Error = CompressError;

    fn fill(&mut self, chunk: &mut Chunk<'a>) -> Result<bool, CompressError> {
        if self.ended {
            return Ok(false);
        }
        let mut memory = match chunk.set_input(self.offset, Bytes::EMPTY) {
            Bytes::Owned(memory) if memory.len() == self.chunk => memory,
            // Made by the system as it is touched: a short input does not pay for a long chunk.
            _ => vec![0; self.chunk],
        };
        let filled = self.read(&mut memory)?;
        memory.truncate(filled);
        chunk.set_input(self.offset, Bytes::Owned(memory));
        self.offset += filled as u64;
        Ok(filled > 0)
    }
}

/// Puts results one behind another.
pub(super) struct Append<'o, 's> {
    pub(super) frames: Frames<'s>,
    pub(super) output: &'o mut Vec<u8>,
}

impl<'a> Sink<Chunk<'a>> for Append<'_, '_> {
    type Error = CompressError;

    fn take(&mut self, chunk: &mut Chunk<'a>) -> Result<(), CompressError> {
        self.frames.push(self.output, &chunk.result()?)
    }
}

/// Writes results.
pub(super) struct Writer<'s, W> {
    frames: Frames<'s>,
    writer: W,
    /// What is written in one call.
    frame: Vec<u8>,
}

impl<'s, W: Write> Writer<'s, W> {
    pub(super) fn new(frames: Frames<'s>, writer: W) -> Self {
        Writer { frames, writer, frame: Vec::new() }
    }

    /// Writes what comes before all chunks.
    pub(super) fn open(&mut self) -> Result<(), CompressError> {
        self.frames.open(&mut self.frame);
        write(&mut self.writer, &mut self.frame, 0)
    }

    /// Writes what comes behind all chunks.
    pub(super) fn close(mut self) -> Result<Report, CompressError> {
        let offset = self.frames.written();
        let report = self.frames.close(&mut self.frame)?;
        write(&mut self.writer, &mut self.frame, offset)?;
        self.writer.flush().map_err(|error| CompressError::Write { offset: report.output, error })?;
        Ok(report)
    }
}

impl<'a, W: Write> Sink<Chunk<'a>> for Writer<'_, W> {
    type Error = CompressError;

    fn take(&mut self, chunk: &mut Chunk<'a>) -> Result<(), CompressError> {
        let offset = self.frames.written();
        self.frames.push(&mut self.frame, &chunk.result()?)?;
        write(&mut self.writer, &mut self.frame, offset)
    }
}

/// Writes a frame, which begins at `offset` of the output, and empties it.
fn write(writer: &mut impl Write, frame: &mut Vec<u8>, offset: u64) -> Result<(), CompressError> {
    let outcome = writer.write_all(frame);
    frame.clear();
    outcome.map_err(|error| CompressError::Write { offset, error })
}
