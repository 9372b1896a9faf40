//! The bytes around blocks and frames, and the counts in them.

use std::io::Write;

use xxhash_rust::xxh32::Xxh32;

use super::chunk::Chunk;
use super::library::Encoder;
use super::{Format, Settings};
use crate::error::CompressError;
use crate::format::lz4;
use crate::format::seek_table::{self, Entry};
use crate::pipeline::ChunkSink;
use crate::report::Report;

/// Writes blocks and frames, and what is around them.
pub(super) struct Writer<'s, W> {
    settings: &'s Settings,
    writer: W,
    /// The checksum of the content, which LZ4 has for all blocks together.
    sum: Xxh32,
    /// The lengths of zstd's frames.
    frames: Vec<Entry>,
    report: Report,
}

impl<'s, W: Write> Writer<'s, W> {
    pub(super) fn new(settings: &'s Settings, writer: W) -> Self {
        let report = Report::default();
        Writer { settings, writer, sum: Xxh32::new(0), frames: Vec::new(), report }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CompressError> {
        let offset = self.report.output;
        self.writer.write_all(bytes).map_err(|error| CompressError::Write { offset, error })?;
        self.report.output += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), CompressError> {
        let offset = self.report.output;
        self.writer.flush().map_err(|error| CompressError::Write { offset, error })
    }

    /// Writes the header of LZ4, which comes with the first chunk, so that nothing is written where
    /// the input cannot be read at all.
    fn open(&mut self) -> Result<(), CompressError> {
        let header = lz4::Header {
            block: self.settings.block(),
            is_independent: true,
            has_block_checksums: self.settings.block_checksums,
            has_content_checksum: true,
            content: None,
        };
        self.write(&header.to_bytes())
    }

    /// Writes a chunk.
    fn push(&mut self, chunk: &Chunk<'_>) -> Result<(), CompressError> {
        let (input, output) = (chunk.input(), chunk.result()?);
        match self.settings.format {
            Format::Lz4 => {
                if self.report.chunks == 0 {
                    self.open()?;
                }
                self.sum.update(input);
            }
            Format::Zstd if self.frames.len() == seek_table::MAX_FRAMES => {
                let max = seek_table::MAX_FRAMES;
                let reason = format!("a file has at most {max} frames; longer chunks make fewer");
                return Err(CompressError::Format { offset: self.report.input, reason });
            }
            Format::Zstd => {
                // A chunk has at most 1 GiB, and its frame hardly more.
                let (compressed, uncompressed) = (output.len() as u32, input.len() as u32);
                self.frames.push(Entry { compressed, uncompressed });
            }
        }
        self.write(output)?;
        self.report.chunks += 1;
        self.report.input += input.len() as u64;
        self.report.streams += output.len() as u64;
        self.report.verified += u64::from(self.settings.verify);
        Ok(())
    }

    /// Writes what comes behind all chunks.
    pub(super) fn close(mut self) -> Result<Report, CompressError> {
        let is_empty = self.report.chunks == 0;
        match self.settings.format {
            Format::Lz4 => {
                if is_empty {
                    self.open()?;
                }
                let sum = self.sum.digest().to_le_bytes();
                self.write(&[lz4::END_MARK, sum].concat())?;
            }
            Format::Zstd if is_empty => {
                let mut frame = Vec::new();
                let made = Encoder::new(self.settings)
                    .and_then(|mut encoder| encoder.frame(&[], &mut frame));
                made.map_err(|reason| CompressError::Library { offset: 0, len: 0, reason })?;
                self.write(&frame)?;
            }
            // There is nothing to seek in a single frame.
            Format::Zstd if self.frames.len() == 1 => {}
            Format::Zstd => self.write(&seek_table::table(&self.frames))?,
        }
        self.flush()?;
        Ok(self.report)
    }
}

impl<'a, W: Write> ChunkSink<Chunk<'a>> for Writer<'_, W> {
    type Error = CompressError;

    fn take(&mut self, chunk: &mut Chunk<'a>) -> Result<(), CompressError> {
        // A pause right behind a whole chunk comes in a chunk without data.
        if !chunk.input().is_empty() {
            self.push(chunk)?;
        }
        if chunk.precedes_pause { self.flush() } else { Ok(()) }
    }
}
