//! Sources of chunks, and sinks for them.

use std::io::{ErrorKind, Read, Write};

use broadloom_engine::Bytes;

use crate::error::CompressError;
use crate::pipeline::{ChunkSink, ChunkSource};
use crate::report::Report;

use super::chunk::Chunk;
use super::content::Cutter;
use super::frames::Frames;
use super::pause::Pause;

/// Bytes around a chunk, for which memory is reserved with it.
const FRAME: usize = 64;

/// A chunk that a source fills.
pub(crate) trait Filled<'a> {
    /// Makes it one for other input, which begins at `offset`, and gives back the input that it
    /// had.
    fn set_input(&mut self, offset: u64, input: Bytes<'a>) -> Bytes<'a>;

    /// Says whether the input pauses behind it.
    fn set_pause(&mut self, precedes_pause: bool);
}

/// The chunks of an input in memory.
pub(crate) struct Slice<'a> {
    rest: &'a [u8],
    offset: u64,
    cutter: Cutter,
}

impl<'a> Slice<'a> {
    pub(crate) fn new(input: &'a [u8], cutter: Cutter) -> Self {
        Slice { rest: input, offset: 0, cutter }
    }
}

impl<'a, C: Filled<'a>> ChunkSource<C> for Slice<'a> {
    type Error = CompressError;

    fn fill(&mut self, chunk: &mut C) -> Result<bool, CompressError> {
        let (next, rest) = self.rest.split_at(self.cutter.cut(self.rest));
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
pub(crate) struct Reader<R> {
    reader: R,
    cutter: Cutter,
    offset: u64,
    /// Bytes read beyond the end of the last chunk.
    ahead: Vec<u8>,
    ended: bool,
    /// The last chunk ends where the input pauses.
    pauses: bool,
}

impl<R: Read> Reader<R> {
    pub(crate) fn new(reader: R, cutter: Cutter) -> Self {
        Reader { reader, cutter, offset: 0, ahead: Vec::new(), ended: false, pauses: false }
    }

    /// Fills the memory with what is at hand and what is read, until it is full, or nothing more
    /// comes, or the input pauses; and says how much that is.
    fn read(&mut self, memory: &mut [u8]) -> Result<usize, CompressError> {
        let mut filled = self.ahead.len();
        memory[..filled].copy_from_slice(&self.ahead);
        self.ahead.clear();
        // What stands before a pause is not kept for what comes behind it.
        if self.pauses && filled > 0 {
            return Ok(filled);
        }
        self.pauses = false;
        while filled < memory.len() && !self.ended {
            match self.reader.read(&mut memory[filled..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if Pause::is(&error) => {
                    self.pauses = true;
                    break;
                }
                Err(error) => {
                    return Err(CompressError::Read { offset: self.offset + filled as u64, error });
                }
            }
        }
        Ok(filled)
    }
}

impl<'a, C: Filled<'a>, R: Read> ChunkSource<C> for Reader<R> {
    type Error = CompressError;

    fn fill(&mut self, chunk: &mut C) -> Result<bool, CompressError> {
        if self.ended && self.ahead.is_empty() {
            return Ok(false);
        }
        let most = self.cutter.most();
        let mut memory = match chunk.set_input(self.offset, Bytes::EMPTY) {
            Bytes::Owned(mut memory) if memory.capacity() >= most => {
                memory.resize(most, 0);
                memory
            }
            // The system provides its pages on first use, so a short input does not pay for a long
            // chunk.
            _ => vec![0; most],
        };
        let filled = self.read(&mut memory)?;
        let len = self.cutter.cut(&memory[..filled]);
        self.ahead.extend_from_slice(&memory[len..filled]);
        memory.truncate(len);
        chunk.set_input(self.offset, Bytes::Owned(memory));
        // What is ahead of a chunk stands before the pause.
        chunk.set_pause(self.pauses && self.ahead.is_empty());
        self.offset += len as u64;
        Ok(len > 0 || self.pauses)
    }

    fn may_wait(&self) -> bool {
        self.pauses
    }
}

/// Puts results one behind another.
pub(super) struct Append<'o, 's> {
    pub(super) frames: Frames<'s>,
    pub(super) output: &'o mut Vec<u8>,
}

impl<'a> ChunkSink<Chunk<'a>> for Append<'_, '_> {
    type Error = CompressError;

    fn take(&mut self, chunk: &mut Chunk<'a>) -> Result<(), CompressError> {
        let chunk = chunk.result()?;
        let reserved = self.output.try_reserve(chunk.bytes.len() + FRAME);
        reserved.map_err(|_| CompressError::Write {
            offset: self.frames.written(),
            error: ErrorKind::OutOfMemory.into(),
        })?;
        self.frames.push(self.output, &chunk)
    }
}

/// Writes results.
pub(super) struct Writer<'s, W> {
    frames: Frames<'s>,
    writer: W,
    /// Bytes to write in one call.
    frame: Vec<u8>,
}

impl<'s, W: Write> Writer<'s, W> {
    pub(super) fn new(frames: Frames<'s>, writer: W) -> Self {
        Writer { frames, writer, frame: Vec::new() }
    }

    /// Makes what comes before all chunks. It is written with the first of them, so that nothing is
    /// written where the input cannot be read at all.
    pub(super) fn open(&mut self) -> Result<(), CompressError> {
        self.frames.open(&mut self.frame)
    }

    /// Returns the offset in the output at which the frame begins that is not written yet.
    fn offset(&self) -> u64 {
        self.frames.written() - self.frame.len() as u64
    }

    /// Writes what comes behind all chunks.
    pub(super) fn close(mut self) -> Result<Report, CompressError> {
        let offset = self.offset();
        let report = self.frames.close(&mut self.frame)?;
        write(&mut self.writer, &mut self.frame, offset)?;
        self.writer
            .flush()
            .map_err(|error| CompressError::Write { offset: report.output, error })?;
        Ok(report)
    }
}

impl<'a, W: Write> ChunkSink<Chunk<'a>> for Writer<'_, W> {
    type Error = CompressError;

    fn take(&mut self, chunk: &mut Chunk<'a>) -> Result<(), CompressError> {
        let offset = self.offset();
        let precedes_pause = chunk.precedes_pause;
        let chunk = chunk.result()?;
        // A pause right behind a whole chunk comes in a chunk without data.
        if chunk.len > 0 {
            self.frames.push(&mut self.frame, &chunk)?;
            write(&mut self.writer, &mut self.frame, offset)?;
        }
        if precedes_pause {
            let offset = self.frames.written();
            self.writer.flush().map_err(|error| CompressError::Write { offset, error })?;
        }
        Ok(())
    }
}

/// Writes a frame, which begins at `offset` of the output, and empties it.
fn write(writer: &mut impl Write, frame: &mut Vec<u8>, offset: u64) -> Result<(), CompressError> {
    let outcome = writer.write_all(frame);
    frame.clear();
    outcome.map_err(|error| CompressError::Write { offset, error })
}
