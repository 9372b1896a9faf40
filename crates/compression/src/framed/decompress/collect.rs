//! Takes pieces to the output: decodes those that need what is before them, checks, and writes.

use std::io::Write;

use lz4_flex::block::decompress_into_with_dict;
use xxhash_rust::xxh32::Xxh32;

use super::super::Format;
use super::super::library::Decoder;
use super::Listed;
use super::piece::{Begin, Block, End, Piece, What};
use crate::decompress::output::Output;
use crate::decompress::{DecompressError, Decompressed};
use crate::format::{Cause, FormatError};
use crate::pipeline::ChunkSink;
use crate::report::Report;

/// How far back a block of LZ4 may refer, in bytes.
const HISTORY: usize = 64 << 10;

/// Checks and writes.
pub(super) struct Collect<'c, W, L> {
    output: &'c mut Output<W>,
    each: &'c mut L,
    frame: Frame,
    /// For frames of zstd that are decoded in parts.
    decoder: Option<Decoder>,
    /// The last data of a frame of LZ4 whose blocks need those before them.
    history: Vec<u8>,
    /// What a linked block stands for.
    linked: Vec<u8>,
    report: Report,
    alone: u64,
}

/// The frame of which pieces come.
struct Frame {
    begin: Begin,
    /// Bytes of content so far.
    content: u64,
    sum: Xxh32,
    /// Something of it was decoded by this thread.
    is_alone: bool,
    is_skipped: bool,
}

impl Frame {
    fn of(begin: Begin) -> Frame {
        Frame { begin, content: 0, sum: Xxh32::new(0), is_alone: false, is_skipped: false }
    }

    /// Compares the frame with what its header and its end say.
    fn check(&self, end: End) -> Result<(), FormatError> {
        let Frame { begin, content: computed, .. } = *self;
        if self.is_skipped {
            return Ok(());
        }
        if let Some(stored) = begin.content.filter(|&stored| stored != computed) {
            return Err(FormatError::new(begin.offset, Cause::Length { computed, stored }));
        }
        let computed = self.sum.digest();
        match end.sum.filter(|&stored| stored != computed) {
            Some(stored) => {
                let offset = end.offset - size_of::<u32>() as u64;
                let cause = Cause::Checksum { name: "XXH32", computed, stored };
                Err(FormatError::new(offset, cause))
            }
            None => Ok(()),
        }
    }
}

impl<'c, W: Write, L: FnMut(Listed)> Collect<'c, W, L> {
    pub(super) fn new(output: &'c mut Output<W>, each: &'c mut L) -> Self {
        let begin = Begin { format: Format::Lz4, offset: 0, content: None, is_summed: false };
        Collect {
            output,
            each,
            frame: Frame::of(begin),
            decoder: None,
            history: Vec::new(),
            linked: Vec::new(),
            report: Report::default(),
            alone: 0,
        }
    }

    /// The counts.
    pub(super) fn decompressed(self) -> Decompressed {
        Decompressed { report: self.report, alone: self.alone, ..Decompressed::default() }
    }

    fn begin(&mut self, begin: Begin, is_in_parts: bool) {
        self.frame = Frame::of(begin);
        self.history.clear();
        if is_in_parts {
            self.decoder.get_or_insert_with(Decoder::new).begin();
        }
    }

    /// Writes data of the frame, which the input up to `offset` stands for.
    fn write(&mut self, data: &[u8], offset: u64) -> Result<(), DecompressError> {
        if self.frame.begin.is_summed {
            self.frame.sum.update(data);
        }
        self.frame.content += data.len() as u64;
        self.output.write(data, offset)
    }

    /// Decodes a block of LZ4 that may need the data before it.
    fn linked(&mut self, piece: &Piece<'_>, block: Block) -> Result<(), DecompressError> {
        let bytes = piece.bytes.as_slice();
        self.frame.is_alone = true;
        let mut linked = std::mem::take(&mut self.linked);
        let data = match block.is_stored {
            true => bytes,
            false => {
                if linked.len() < block.most {
                    linked.resize(block.most, 0);
                }
                let room = &mut linked[..block.most];
                let decoded = decompress_into_with_dict(bytes, room, &self.history);
                let len = decoded.map_err(|_| FormatError::new(piece.offset, Cause::Lz4))?;
                &linked[..len]
            }
        };
        self.write(data, piece.offset + bytes.len() as u64)?;
        let kept = HISTORY.saturating_sub(data.len()).min(self.history.len());
        self.history.drain(..self.history.len() - kept);
        self.history.extend_from_slice(&data[data.len().saturating_sub(HISTORY)..]);
        self.linked = linked;
        Ok(())
    }

    /// Decodes a part of a frame of zstd.
    fn part(&mut self, piece: &Piece<'_>) -> Result<(), DecompressError> {
        self.frame.is_alone = true;
        let mut decoder = self.decoder.take().unwrap_or_else(Decoder::new);
        let bytes = piece.bytes.as_slice();
        let mut start = 0;
        let mut ended = Ok(false);
        for &end in &piece.ends_of_blocks {
            let place = piece.offset + start as u64;
            let write = |data: &[u8], offset| self.write(data, offset);
            ended = decoder.part(&bytes[start..end], place, write);
            if ended.is_err() {
                break;
            }
            start = end;
        }
        self.decoder = Some(decoder);
        match ended? == piece.ends.is_some() {
            true => Ok(()),
            false => {
                let place = piece.offset + bytes.len() as u64;
                let cause = Cause::Zstd("The frame does not end with its last block");
                Err(FormatError::new(place, cause).into())
            }
        }
    }
}

impl<'a, W: Write, L: FnMut(Listed)> ChunkSink<Piece<'a>> for Collect<'_, W, L> {
    type Error = DecompressError;

    fn take(&mut self, piece: &mut Piece<'a>) -> Result<(), DecompressError> {
        if let Some(begin) = piece.begins.take() {
            self.begin(begin, piece.what == What::Part);
        }
        let data = piece.data()?;
        // A piece that is nothing still has the memory of another one.
        let len = if piece.what == What::Nothing { 0 } else { piece.bytes.as_slice().len() as u64 };
        let end = piece.offset + len;
        match piece.what {
            What::Nothing => {}
            What::Block(block) if block.is_linked => self.linked(piece, block)?,
            What::Block(_) | What::Frame(_) => self.write(data, end)?,
            What::Part => self.part(piece)?,
            What::Skipped(content) => {
                self.frame.is_skipped = true;
                self.frame.content = content;
                self.output.pass(content, piece.offset)?;
            }
        }
        self.report.streams += len;
        if let Some(end) = piece.ends.take() {
            self.frame.check(end)?;
            let Frame { begin, content, is_alone, is_skipped, .. } = self.frame;
            self.report.chunks += 1;
            self.alone += u64::from(is_alone);
            (self.each)(Listed {
                format: begin.format,
                offset: begin.offset,
                compressed: end.offset - begin.offset,
                uncompressed: content,
                decoded: !is_skipped,
            });
        }
        Ok(())
    }
}
