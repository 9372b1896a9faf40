//! A piece of the input on its way: a block of LZ4, a frame of zstd, or a part of one.

use broadloom_engine::Bytes;
use lz4_flex::block::decompress_into;
use xxhash_rust::xxh32::xxh32;

use super::super::Format;
use super::super::library::Decoder;
use crate::decompress::DecompressError;
use crate::format::{Cause, FormatError, zstd};
use crate::pipeline::{ChunkWork, OwnWork, Plan, Side, work_alone};

/// A piece on its way.
pub(super) struct Piece<'a> {
    /// The frame that begins with it.
    pub(super) begins: Option<Begin>,
    pub(super) what: What,
    /// Its frame ends with it.
    pub(super) ends: Option<End>,
    /// Where its bytes begin in the input.
    pub(super) offset: u64,
    pub(super) bytes: Bytes<'a>,
    /// Where the blocks of a part end, and a checksum behind them.
    pub(super) ends_of_blocks: Vec<usize>,
    /// What it stands for, if it is decoded by itself: the first [`len`](Piece::len) bytes.
    output: Vec<u8>,
    len: usize,
    outcome: Result<(), FormatError>,
}

/// The beginning of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    pub(super) format: Format,
    /// Where it is, in bytes of the input.
    pub(super) offset: u64,
    /// The length of its content, by its header.
    pub(super) content: Option<u64>,
    /// `true` if the checksum of its content is computed.
    pub(super) is_summed: bool,
}

/// The end of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Where it is, in bytes of the input.
    pub(super) offset: u64,
    /// The checksum of LZ4's content.
    pub(super) sum: Option<u32>,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Nothing but the beginning or the end of a frame.
    Nothing,
    /// A block of LZ4.
    Block(Block),
    /// A whole frame of zstd, with this many bytes of content.
    Frame(usize),
    /// A part of a frame of zstd, for the thread that writes.
    Part,
    /// Content that is passed over, with its length.
    Skipped(u64),
}

/// A block of LZ4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    /// Bytes that it stands for, at most.
    pub(super) most: usize,
    /// Its data are stored as they are.
    pub(super) is_stored: bool,
    /// It may need the data before it. Then the thread that writes decodes it.
    pub(super) is_linked: bool,
    /// The checksum of its bytes.
    pub(super) sum: Option<u32>,
}

/// What a thread needs to work on pieces.
#[derive(Default)]
pub(super) struct Tools {
    decoder: Option<Decoder>,
}

impl<'a> Piece<'a> {
    pub(super) fn new() -> Self {
        Piece {
            begins: None,
            what: What::Nothing,
            ends: None,
            offset: 0,
            bytes: Bytes::EMPTY,
            ends_of_blocks: Vec::new(),
            output: Vec::new(),
            len: 0,
            outcome: Ok(()),
        }
    }

    /// Returns the data that the piece stands for.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn data(&self) -> Result<&[u8], FormatError> {
        match &self.outcome {
            Err(error) => Err(error.clone()),
            Ok(()) => Ok(match self.what {
                What::Block(Block { is_stored: true, .. }) => self.bytes.as_slice(),
                _ => &self.output[..self.len],
            }),
        }
    }

    fn decode(&mut self, tools: &mut Tools) -> Result<(), FormatError> {
        self.len = 0;
        let bytes = self.bytes.as_slice();
        match self.what {
            What::Nothing | What::Part | What::Skipped(_) => {}
            What::Block(block) => {
                if let Some(stored) = block.sum {
                    let computed = xxh32(bytes, 0);
                    if computed != stored {
                        let place = self.offset + bytes.len() as u64;
                        let cause = Cause::Checksum { name: "XXH32 of a block", computed, stored };
                        return Err(FormatError::new(place, cause));
                    }
                }
                if !block.is_stored && !block.is_linked {
                    if self.output.len() < block.most {
                        self.output.resize(block.most, 0);
                    }
                    let decoded = decompress_into(bytes, &mut self.output[..block.most]);
                    self.len = decoded.map_err(|_| FormatError::new(self.offset, Cause::Lz4))?;
                }
            }
            What::Frame(most) => {
                let decoder = tools.decoder.get_or_insert_with(Decoder::new);
                let decoded = decoder.frame(bytes, most, &mut self.output);
                decoded.map_err(|cause| {
                    let place = diagnose(decoder, bytes, self.offset);
                    place.unwrap_or_else(|| FormatError::new(self.offset, cause))
                })?;
                self.len = self.output.len();
            }
        }
        Ok(())
    }
}

/// Decodes a frame of zstd block by block, and gives the first error. The frame begins at `offset`
/// of the input.
fn diagnose(decoder: &mut Decoder, frame: &[u8], offset: u64) -> Option<FormatError> {
    let header = zstd::Header::parse(frame).ok().flatten()?;
    decoder.begin();
    let mut decode = |start: usize, end: usize| {
        let part = frame.get(start..end)?;
        match decoder.part(part, offset + start as u64, |_, _| Ok(())) {
            Err(DecompressError::Format(error)) => Some(error),
            _ => None,
        }
    };
    let (mut start, mut end) = (0, header.len);
    loop {
        let block = zstd::Block::parse(*frame.get(end..)?.first_chunk()?, header.most_block());
        let block = block.ok()?;
        end += zstd::BLOCK_HEADER + block.len;
        if let Some(error) = decode(start, end) {
            return Some(error);
        }
        start = end;
        if block.is_last {
            return decode(start, frame.len());
        }
    }
}

impl OwnWork for Piece<'_> {
    type Tools = Tools;

    fn work(&mut self, tools: &mut Tools) {
        self.outcome = self.decode(tools);
    }
}

impl ChunkWork for Piece<'_> {
    fn drive<S: Side<Self>>(_: &Plan<'_>, side: &mut S) {
        work_alone(side);
    }
}
