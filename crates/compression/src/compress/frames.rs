//! The bytes around compressed chunks, and the counts in them.

use broadloom_engine::{Checksum, Compression};

use crate::error::CompressError;
use crate::format::gzi::{Entry, Index};
use crate::format::gzip::{self, Metadata, Trailer};
use crate::format::{EMPTY_FINAL_BLOCK, EMPTY_STORED_BLOCK, Format, MARKER, bgzf, parcomp, zlib};
use crate::report::Report;
use crate::settings::Settings;

use super::chunk::Compressed;

/// Writes a format around the chunks of an input.
pub(super) struct Frames<'s> {
    settings: &'s Settings,
    how: Compression,
    /// The checksum of all chunks so far, where the format has one for the whole file.
    checksum: Option<u32>,
    /// Where blocks begin.
    blocks: Vec<Entry>,
    report: Report,
}

impl<'s> Frames<'s> {
    pub(super) fn new(settings: &'s Settings, how: Compression) -> Self {
        Frames { settings, how, checksum: None, blocks: Vec::new(), report: Report::default() }
    }

    /// Bytes written so far.
    pub(super) fn written(&self) -> u64 {
        self.report.output
    }

    /// Writes what comes before all chunks.
    pub(super) fn open(&mut self, output: &mut Vec<u8>) -> Result<(), CompressError> {
        let before = output.len();
        match self.settings.format {
            Format::Zlib => {
                let header = zlib::Header::new(self.how.window, self.how.level);
                output.extend_from_slice(&header.to_bytes());
            }
            Format::Gzip if !self.settings.members => {
                let metadata = self.settings.metadata(self.how.level);
                let header = gzip::write_open_header(output, &metadata);
                header.map_err(|error| CompressError::Format {
                    offset: 0,
                    reason: error.to_string(),
                })?;
            }
            _ => {}
        }
        self.report.output += (output.len() - before) as u64;
        Ok(())
    }

    /// Writes a chunk.
    pub(super) fn push(
        &mut self,
        output: &mut Vec<u8>,
        chunk: &Compressed<'_>,
    ) -> Result<(), CompressError> {
        let before = output.len();
        let result = self.frame(output, chunk);
        let result =
            result.map_err(|reason| CompressError::Format { offset: chunk.offset, reason });
        let marker = result? as u64;
        if self.settings.index {
            self.blocks
                .push(Entry { compressed: self.report.output, uncompressed: self.report.input });
        }
        self.report.add(&Report {
            input: chunk.len as u64,
            output: (output.len() - before) as u64,
            streams: chunk.bytes.len() as u64 + marker,
            chunks: 1,
            overflows: chunk.overflows,
            fallbacks: chunk.fell_back.is_some().into(),
            first_fallback: chunk.fell_back,
            verified: chunk.is_verified.into(),
            index: None,
        });
        Ok(())
    }

    /// Writes a chunk and what is around it. Gives the bytes of deflate data that were added to the
    /// chunk's own.
    fn frame(&mut self, output: &mut Vec<u8>, chunk: &Compressed<'_>) -> Result<usize, String> {
        let Compressed { len, bytes, checksum, .. } = *chunk;
        match self.settings.format {
            Format::Parcomp => {
                let prefix = parcomp::prefix(bytes.len()).map_err(|error| error.to_string())?;
                output.extend_from_slice(&prefix);
                output.extend_from_slice(bytes);
            }
            Format::Gzip if self.settings.members => self.member(output, bytes, len, checksum)?,
            Format::Gzip => {
                self.checksum = self.combine(checksum, len as u64);
                output.extend_from_slice(bytes);
                // Stored blocks have no marker behind them. Who looks for parts of the member needs
                // one.
                if !bytes.ends_with(&MARKER) {
                    output.extend_from_slice(&EMPTY_STORED_BLOCK);
                    return Ok(EMPTY_STORED_BLOCK.len());
                }
            }
            Format::Bgzf => {
                let header = bgzf::header(bytes.len()).map_err(|error| error.to_string())?;
                output.extend_from_slice(&header);
                output.extend_from_slice(bytes);
                output.extend_from_slice(&trailer(len as u64, checksum));
            }
            Format::Zlib => {
                self.checksum = self.combine(checksum, len as u64);
                output.extend_from_slice(bytes);
            }
            Format::Raw => output.extend_from_slice(bytes),
        }
        Ok(0)
    }

    /// The checksum of all chunks so far and of the next, of `len` bytes.
    fn combine(&self, next: Option<u32>, len: u64) -> Option<u32> {
        match (self.checksum, next) {
            (Some(first), Some(next)) => Some(self.how.checksum.combine(first, next, len)),
            (first, next) => first.or(next),
        }
    }

    /// Writes a gzip member; the first has the name and the time.
    fn member(
        &self,
        output: &mut Vec<u8>,
        bytes: &[u8],
        len: usize,
        checksum: Option<u32>,
    ) -> Result<(), String> {
        let metadata = self.settings.metadata(self.how.level);
        let metadata = match self.report.chunks {
            0 => metadata,
            _ => Metadata { name: None, mtime: 0, ..metadata },
        };
        let header = gzip::write_header(output, &metadata, bytes.len(), len);
        header.map_err(|error| error.to_string())?;
        output.extend_from_slice(bytes);
        output.extend_from_slice(&trailer(len as u64, checksum));
        Ok(())
    }

    /// Writes what comes behind all chunks.
    pub(super) fn close(mut self, output: &mut Vec<u8>) -> Result<Report, CompressError> {
        let before = output.len();
        let is_empty = self.report.chunks == 0;
        self.report.streams += match self.settings.format {
            Format::Gzip if self.settings.members && !is_empty => 0,
            Format::Parcomp => 0,
            // BGZF's end block has the same.
            _ => EMPTY_FINAL_BLOCK.len() as u64,
        };
        match self.settings.format {
            Format::Gzip if !self.settings.members => {
                output.extend_from_slice(&EMPTY_FINAL_BLOCK);
                output.extend_from_slice(&trailer(self.report.input, self.checksum));
            }
            Format::Gzip if is_empty => {
                let member = self.member(output, &EMPTY_FINAL_BLOCK, 0, None);
                member.map_err(|reason| CompressError::Format { offset: 0, reason })?;
            }
            Format::Gzip | Format::Parcomp => {}
            Format::Bgzf => output.extend_from_slice(&bgzf::END),
            Format::Zlib => {
                output.extend_from_slice(&EMPTY_FINAL_BLOCK);
                let nothing = Checksum::Adler32.of(&[]).unwrap_or_default();
                output.extend_from_slice(&zlib::trailer(self.checksum.unwrap_or(nothing)));
            }
            Format::Raw => output.extend_from_slice(&EMPTY_FINAL_BLOCK),
        }
        self.report.output += (output.len() - before) as u64;
        self.report.index = self.settings.index.then(|| {
            let mut index = Index::new();
            self.blocks.into_iter().for_each(|block| index.push(block));
            index
        });
        Ok(self.report)
    }
}

/// The trailer of a gzip member with `len` bytes of data. A missing checksum is that of no bytes,
/// 0.
fn trailer(len: u64, checksum: Option<u32>) -> [u8; gzip::TRAILER] {
    Trailer { crc: checksum.unwrap_or_default(), len: len as u32 }.to_bytes()
}
