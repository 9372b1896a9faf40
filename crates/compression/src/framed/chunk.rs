//! A chunk that becomes a block of LZ4 or a frame of zstd.

use broadloom_engine::Bytes;
use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size,
};
use xxhash_rust::xxh32::xxh32;

use super::library::{Decoder, Encoder};
use super::{Format, Settings};
use crate::compress::ends::Filled;
use crate::error::{CompressError, Mismatch};
use crate::format::lz4::{BLOCK_HEADER, Block};
use crate::pipeline::{ChunkWork, OwnWork, Plan, Side, work_alone};

/// A chunk on its way.
pub(super) struct Chunk<'a> {
    settings: &'a Settings,
    /// Where it begins, in bytes of the input.
    offset: u64,
    input: Bytes<'a>,
    /// The block with its length and checksum, or the frame.
    output: Vec<u8>,
    outcome: Result<(), Fault>,
    /// The input pauses behind it.
    pub(super) precedes_pause: bool,
}

/// What went wrong with a chunk.
#[derive(Debug)]
enum Fault {
    /// It was not compressed, for this reason.
    Library(String),
    /// It decompresses to something else.
    Mismatch,
}

/// What a thread needs to work on chunks.
#[derive(Default)]
pub(super) struct Tools {
    table: Option<CompressTable>,
    encoder: Option<Encoder>,
    decoder: Option<Decoder>,
    /// What a chunk decompresses to.
    again: Vec<u8>,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(settings: &'a Settings) -> Self {
        Chunk {
            settings,
            offset: 0,
            input: Bytes::EMPTY,
            output: Vec::new(),
            outcome: Ok(()),
            precedes_pause: false,
        }
    }

    /// The data of which it was made.
    pub(super) fn input(&self) -> &[u8] {
        self.input.as_slice()
    }

    /// The block, or the frame.
    pub(super) fn result(&self) -> Result<&[u8], CompressError> {
        let (offset, len) = (self.offset, self.input().len());
        match &self.outcome {
            Ok(()) => Ok(&self.output),
            Err(Fault::Library(reason)) => {
                Err(CompressError::Library { offset, len, reason: reason.clone() })
            }
            Err(Fault::Mismatch) => {
                let provider = self.settings.format.name().to_owned();
                Err(CompressError::Verify { offset, len, provider, found: Mismatch::Bytes })
            }
        }
    }

    fn compress(&mut self, tools: &mut Tools) -> Result<(), Fault> {
        let input = self.input.as_slice();
        match self.settings.format {
            Format::Lz4 => {
                let table = tools.table.get_or_insert_with(CompressTable::large);
                let is_stored = block(input, &mut self.output, table);
                if self.settings.block_checksums {
                    let sum = xxh32(&self.output[BLOCK_HEADER..], 0);
                    self.output.extend(sum.to_le_bytes());
                }
                match self.settings.verify && !is_stored {
                    true => self.verify_block(&mut tools.again),
                    false => Ok(()),
                }
            }
            Format::Zstd => {
                let encoder = match &mut tools.encoder {
                    Some(encoder) => encoder,
                    none => none.insert(Encoder::new(self.settings).map_err(Fault::Library)?),
                };
                encoder.frame(input, &mut self.output).map_err(Fault::Library)?;
                match self.settings.verify {
                    true => self.verify_frame(tools),
                    false => Ok(()),
                }
            }
        }
    }

    fn verify_block(&self, again: &mut Vec<u8>) -> Result<(), Fault> {
        let input = self.input();
        let sum = if self.settings.block_checksums { size_of::<u32>() } else { 0 };
        let block = &self.output[BLOCK_HEADER..self.output.len() - sum];
        again.resize(input.len(), 0);
        match decompress_into(block, again) {
            Ok(len) if again[..len] == *input => Ok(()),
            _ => Err(Fault::Mismatch),
        }
    }

    fn verify_frame(&self, tools: &mut Tools) -> Result<(), Fault> {
        let decoder = tools.decoder.get_or_insert_with(Decoder::new);
        match decoder.frame(&self.output, self.input().len(), &mut tools.again) {
            Ok(()) if tools.again == self.input() => Ok(()),
            _ => Err(Fault::Mismatch),
        }
    }
}

/// Makes a block of LZ4 with its length; data that do not become shorter are stored. Returns `true`
/// if they are.
fn block(input: &[u8], output: &mut Vec<u8>, table: &mut CompressTable) -> bool {
    let most = BLOCK_HEADER + get_maximum_output_size(input.len());
    // The bytes that are there already may stay: all that are used are written.
    if output.len() < most {
        output.resize(most, 0);
    }
    let compressed = compress_into_with_table(input, &mut output[BLOCK_HEADER..most], table);
    let shorter = compressed.ok().filter(|&len| len < input.len());
    let len = shorter.unwrap_or(input.len());
    output.truncate(BLOCK_HEADER + len);
    if shorter.is_none() {
        output[BLOCK_HEADER..].copy_from_slice(input);
    }
    output[..BLOCK_HEADER].copy_from_slice(&Block::header(len, shorter.is_none()));
    shorter.is_none()
}

impl<'a> Filled<'a> for Chunk<'a> {
    fn set_input(&mut self, offset: u64, input: Bytes<'a>) -> Bytes<'a> {
        self.offset = offset;
        std::mem::replace(&mut self.input, input)
    }

    fn set_pause(&mut self, precedes_pause: bool) {
        self.precedes_pause = precedes_pause;
    }
}

impl OwnWork for Chunk<'_> {
    type Tools = Tools;

    fn work(&mut self, tools: &mut Tools) {
        // A pause may come without data.
        self.outcome = if self.input().is_empty() { Ok(()) } else { self.compress(tools) };
    }
}

impl ChunkWork for Chunk<'_> {
    fn drive<S: Side<Self>>(_: &Plan<'_>, side: &mut S) {
        work_alone(side);
    }
}
