//! Compression: chunks through jobs into a format.

mod chunk;
pub(crate) mod content;
pub(crate) mod ends;
mod frames;
mod pause;

use std::io::{Read, Write};

use broadloom_engine::{Bytes, Compression, Direction, Session};

use crate::error::CompressError;
use crate::pipeline::{ChunkJob, ChunkSink, stream, whole};
use crate::report::Report;
use crate::scratch::Scratch;
use crate::settings::{Settings, SettingsError};

use chunk::Chunk;
use content::Cutter;
use ends::{Append, Filled, Reader, Slice, Writer};
use frames::Frames;
pub use pause::Pause;

/// No chunk is shortened to less than this to give every thread one, in bytes.
const SHORTEST: usize = 64 << 10;

/// Compresses inputs of any size, in chunks that know nothing of each other.
///
/// The call is synchronous and hides what is below it: threads, each with a queue pair and some
/// jobs outstanding in it, which take chunks as they are free. Chunks are the same whatever the
/// number of threads, except for an input in memory that has fewer chunks than threads: then they
/// are shortened, down to 64 KiB, to give each thread one. So is the output, where the provider
/// makes the same of the same chunk.
///
/// ```
/// # use std::sync::Arc;
/// # use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Session, Transform};
/// # use broadloom_libdeflate::Libdeflate;
/// use broadloom_compression::{Compressor, Format, Settings};
///
/// # let how = Settings::compression_for(Format::Gzip, Compression::default());
/// # let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
/// # let session = Session::open(Arc::new(Libdeflate::load(&[])?), &transform)?;
/// let compressor = Compressor::new(session, Settings::new(Format::Gzip))?;
/// let mut file = Vec::new();
/// let report = compressor.compress(b"the warp, the weft", &mut file)?;
/// assert_eq!((report.input, report.output), (18, file.len() as u64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Compressor {
    session: Session,
    verifier: Option<Session>,
    settings: Settings,
    how: Compression,
}

impl Compressor {
    /// A compressor over a session, which compresses as [`Settings::compression_for`] has it. Where
    /// a chunk may be done elsewhere when the provider fails, the session [says
    /// so](Session::falling_back_to).
    ///
    /// # Errors
    /// Which setting is wrong, and what would be right.
    pub fn new(session: Session, settings: Settings) -> Result<Compressor, SettingsError> {
        settings.check()?;
        let how = settings.check_session(&session)?;
        Ok(Compressor { session, verifier: None, settings, how })
    }

    /// Has every chunk decompressed by another session, and compared, before it is written. Where
    /// they differ the chunk is done again by the session that the first falls back to, and
    /// verified, too; where there is none it is an error.
    ///
    /// # Errors
    /// The session does not decompress what the first makes.
    pub fn verifying_with(mut self, session: Session) -> Result<Compressor, SettingsError> {
        let right = (self.session.algorithm(), Direction::Decompress);
        if (session.algorithm(), session.direction()) != right {
            let wanted = format!("{} is to be decompressed", right.0);
            return Err(SettingsError::Session { session: format!("{session:?}"), wanted });
        }
        self.verifier = Some(session);
        Ok(self)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Compresses an input in memory, and appends the result to `output`. The calling thread works,
    /// too, unless threads are pinned.
    ///
    /// # Errors
    /// The error that comes first in the input; `output` is then as it was.
    ///
    /// # Panics
    /// If a provider panics.
    pub fn compress(&self, input: &[u8], output: &mut Vec<u8>) -> Result<Report, CompressError> {
        let before = output.len();
        let outcome = self.compress_whole(input, output);
        if outcome.is_err() {
            output.truncate(before);
        }
        outcome
    }

    fn compress_whole(&self, input: &[u8], output: &mut Vec<u8>) -> Result<Report, CompressError> {
        let mut frames = Frames::new(&self.settings, self.how);
        frames.open(output)?;
        let slice = Slice::new(input, self.cutter(input.len()));
        let mut sink = Append { frames, output };
        whole(&self.settings.plan(), &|| Chunk::new(self), slice, &mut sink)?;
        sink.frames.close(sink.output)
    }

    /// Does the same as [`compress`](Compressor::compress), with the same result. An input of one
    /// chunk is compressed by what the calling thread has kept from the inputs before, which for
    /// short inputs takes a fraction of the time. It goes the other way where chunks are verified,
    /// or threads are pinned.
    ///
    /// # Errors
    /// As [`compress`](Compressor::compress).
    ///
    /// # Panics
    /// If a provider panics.
    pub fn compress_with(
        &self,
        scratch: &mut Scratch,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Report, CompressError> {
        let is_one_chunk = !input.is_empty() && self.cutter(input.len()).cut(input) == input.len();
        if !is_one_chunk || self.verifier.is_some() || self.settings.cores.is_some() {
            return self.compress(input, output);
        }
        let before = output.len();
        let outcome = self.compress_chunk(scratch, input, output);
        if outcome.is_err() {
            output.truncate(before);
        }
        outcome
    }

    fn compress_chunk(
        &self,
        scratch: &mut Scratch,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Report, CompressError> {
        let mut frames = Frames::new(&self.settings, self.how);
        frames.open(output)?;
        let mut chunk = Chunk::new(self);
        chunk.set_input(0, Bytes::Borrowed(input));
        chunk.set_memory(scratch.take());
        scratch.processor.process_many(std::slice::from_mut(&mut chunk));
        // Without a verifier there is nothing more to do.
        chunk.again();
        let mut sink = Append { frames, output };
        sink.take(&mut chunk)?;
        scratch.keep(chunk.take_memory());
        sink.frames.close(sink.output)
    }

    /// Returns what says where the chunks of an input in memory end.
    fn cutter(&self, len: usize) -> Cutter {
        let chunk = chunk_len(len, self.settings.chunk, self.settings.threads);
        Cutter::new(chunk, self.settings.rsyncable)
    }

    /// Compresses what is read into what is written, in a fixed window: memory for 2 x
    /// [`threads`](Settings::threads) x [`outstanding`](Settings::outstanding) chunks and their
    /// results, whatever the size.
    ///
    /// With one thread that is not pinned everything happens on the calling thread; else `input` is
    /// read on a thread of its own, and the calling thread writes. A chunk is written as soon as it
    /// and all chunks before it are complete. A reader has a chunk end early by a [`Pause`].
    ///
    /// # Errors
    /// The error that comes first in the input, after what comes before it was written. When
    /// writing fails, the call returns as soon as a read that is in progress does.
    ///
    /// # Panics
    /// If a provider, `input` or `output` panics.
    pub fn compress_stream(
        &self,
        input: impl Read + Send,
        output: impl Write,
    ) -> Result<Report, CompressError> {
        let frames = Frames::new(&self.settings, self.how);
        let mut writer = Writer::new(frames, output);
        let reader = Reader::new(input, Cutter::new(self.settings.chunk, self.settings.rsyncable));
        writer.open()?;
        stream(&self.settings.plan(), &|| Chunk::new(self), reader, &mut writer)?;
        writer.close()
    }
}

/// The chunk length for an input of `len` bytes in memory. If there would be fewer chunks than
/// threads, chunks are shorter than requested, down to 64 KiB. So any chunk length keeps all
/// threads busy, as with source 003's "a single chunk per thread".
fn chunk_len(len: usize, chunk: usize, threads: usize) -> usize {
    chunk.min(len.div_ceil(threads).max(SHORTEST))
}

#[cfg(test)]
mod tests {
    use super::chunk_len;

    #[test]
    fn chunks_are_shortened_to_give_each_thread_one_but_not_a_small_one() {
        assert_eq!(chunk_len(0, 65536, 4), 65536);
        assert_eq!(chunk_len(10 * 1024, 1024, 4), 1024);
        assert_eq!(chunk_len(10 * 1024 + 1, 1024, 2), 1024);
        let mega = 1 << 20;
        assert_eq!(chunk_len(4 * mega + 2, 1 << 30, 2), 2 * mega + 1);
        assert_eq!(chunk_len(100_000, 1 << 30, 16), 65536);
    }
}
