//! zstd by its own library.

use zstd::zstd_safe::{
    CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, compress_bound,
    get_error_name,
};

use super::{Settings, WINDOWS};
use crate::decompress::DecompressError;
use crate::format::{Cause, FormatError};

/// How the library calls data that are longer than their frame says, where there is no room.
const TOO_LONG: &str = "Destination buffer is too small";
/// The same, where there is room.
const DAMAGED: &str = "Data corruption detected";

/// Makes frames.
pub(super) struct Encoder(CCtx<'static>);

impl Encoder {
    /// An encoder with these settings.
    ///
    /// # Errors
    /// If the library refuses one, in words.
    pub(super) fn new(settings: &Settings) -> Result<Encoder, String> {
        let mut context = CCtx::try_create().ok_or("there is no memory for it")?;
        let window = settings.long.map(u32::from).into_iter().flat_map(|window| {
            [CParameter::EnableLongDistanceMatching(true), CParameter::WindowLog(window)]
        });
        let level = CParameter::CompressionLevel(settings.level.into());
        for parameter in [level, CParameter::ChecksumFlag(true)].into_iter().chain(window) {
            context.set_parameter(parameter).map_err(in_words)?;
        }
        Ok(Encoder(context))
    }

    /// Makes one frame of all of `input`.
    ///
    /// # Errors
    /// What the library says.
    pub(super) fn frame(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
        output.clear();
        output.reserve(compress_bound(input.len()));
        self.0.compress2(output, input).map(drop).map_err(in_words)
    }
}

fn in_words(code: usize) -> String {
    get_error_name(code).to_owned()
}

/// Reads frames.
pub(super) struct Decoder {
    context: DCtx<'static>,
    buffer: Vec<u8>,
}

impl Decoder {
    pub(super) fn new() -> Decoder {
        let mut context = DCtx::create();
        // How long a window may be is decided before a frame comes here.
        let allowed = context.set_parameter(DParameter::WindowLogMax((*WINDOWS.end()).into()));
        allowed.expect("the library has windows of this length");
        Decoder { context, buffer: Vec::with_capacity(DCtx::out_size()) }
    }

    /// Decodes a whole frame, which stands for at most `most` bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn frame(
        &mut self,
        frame: &[u8],
        most: usize,
        output: &mut Vec<u8>,
    ) -> Result<(), Cause> {
        output.clear();
        output.reserve(most);
        let decoded = self.context.decompress(output, frame);
        decoded.map(drop).map_err(|code| match get_error_name(code) {
            // How much room there is depends on what was decoded before.
            TOO_LONG => Cause::Zstd(DAMAGED),
            other => Cause::Zstd(other),
        })
    }

    /// Another frame begins, to be decoded in parts.
    pub(super) fn begin(&mut self) {
        let reset = self.context.reset(ResetDirective::SessionOnly);
        reset.expect("a session can always be reset");
    }

    /// Decodes the next part of a frame, which begins at `offset` of the input: a block, perhaps
    /// with the header before it, or the checksum. `write` is given the data, and the place in the
    /// input behind the part. Returns `true` if the frame ends with it.
    ///
    /// # Errors
    /// What is wrong with it, or the error of `write`.
    pub(super) fn part(
        &mut self,
        part: &[u8],
        offset: u64,
        mut write: impl FnMut(&[u8], u64) -> Result<(), DecompressError>,
    ) -> Result<bool, DecompressError> {
        let mut input = InBuffer::around(part);
        loop {
            self.buffer.clear();
            let mut output = OutBuffer::around(&mut self.buffer);
            let left = self.context.decompress_stream(&mut output, &mut input);
            let is_full = output.pos() == output.capacity();
            let left =
                left.map_err(|code| FormatError::new(offset, Cause::Zstd(get_error_name(code))))?;
            write(&self.buffer, offset + part.len() as u64)?;
            if left == 0 || (input.pos() == part.len() && !is_full) {
                return Ok(left == 0 && input.pos() == part.len());
            }
        }
    }
}
