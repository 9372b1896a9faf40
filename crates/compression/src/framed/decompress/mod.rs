//! Decompression of files of frames.
//!
//! Blocks of LZ4 that need no other block, and frames of zstd that say how long their content is,
//! go side by side. Other blocks and frames are decoded by the thread that writes, as they come. A
//! file may have frames of both formats.

mod collect;
mod piece;
mod settings;
mod source;

use std::io::{self, Read, Write};

use crate::decompress::input::{Lend, Slice, Stream};
use crate::decompress::output::{Memory, Output};
use crate::decompress::{DecompressError, Decompressed};
use crate::pipeline::{Plan, Poll, stream, whole};
use crate::settings::SettingsError;

use super::Format;
use collect::Collect;
use piece::Piece;
pub use settings::Settings;
use source::Frames;

/// Decompresses files of frames, of any size.
///
/// ```
/// use broadloom_compression::framed::{Decompressor, decompress::Settings};
///
/// let decompressor = Decompressor::new(Settings { threads: 2, ..Settings::default() })?;
/// // A legacy frame of LZ4, without blocks.
/// let report = decompressor.decompress(&[2, 0x21, 0x4c, 0x18], &mut Vec::new())?;
/// assert_eq!(report.report.output, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Decompressor {
    settings: Settings,
}

/// A frame of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Its format.
    pub format: Format,
    /// Where it begins, in bytes of the input.
    pub offset: u64,
    /// Its length, in bytes.
    pub compressed: u64,
    /// The length of its content, in bytes.
    pub uncompressed: u64,
    /// `true` if the content was decoded, because the frame does not say how long it is.
    pub decoded: bool,
}

impl Decompressor {
    /// A decompressor.
    ///
    /// # Errors
    /// If a setting is out of its range.
    pub fn new(settings: Settings) -> Result<Decompressor, SettingsError> {
        settings.check()?;
        Ok(Decompressor { settings })
    }

    /// Decompresses a slice, and appends the data to `output`.
    ///
    /// # Errors
    /// If the input is wrong or cut off, or stands for more than allowed. `output` is then as it
    /// was.
    pub fn decompress(
        &self,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Decompressed, DecompressError> {
        let before = output.len();
        let plan = self.settings.plan();
        let run = Run { settings: &self.settings, skips: false };
        let memory = Memory(&mut *output);
        let outcome = run.of(Slice::new(input), memory, &mut |_| {}, |frames, collect| {
            whole(&plan, &Piece::new, frames, collect)
        });
        if outcome.is_err() {
            output.truncate(before);
        }
        outcome
    }

    /// Decompresses from a reader to a writer, in a window of bounded size. With several threads,
    /// `input` is read by one of its own.
    ///
    /// # Errors
    /// The errors of [`decompress`](Decompressor::decompress), and failures of reading or writing.
    /// Everything written until then is a beginning of the data.
    ///
    /// # Panics
    /// If `input` or `output` panics.
    pub fn decompress_stream(
        &self,
        input: impl Read + Send,
        output: impl Write,
    ) -> Result<Decompressed, DecompressError> {
        let plan = self.settings.plan();
        let run = Run { settings: &self.settings, skips: false };
        run.of(Stream::new(input), output, &mut |_| {}, |frames, collect| {
            stream(&plan, &Piece::new, frames, collect)
        })
    }

    /// Decompresses and checks, and writes nothing.
    ///
    /// # Errors
    /// The errors of [`decompress_stream`](Decompressor::decompress_stream).
    pub fn test(&self, input: impl Read + Send) -> Result<Decompressed, DecompressError> {
        self.decompress_stream(input, io::sink())
    }

    /// Calls `each` for every frame of an input, one after another. This thread decodes a frame
    /// that does not say how long its content is; it takes the others at their word.
    ///
    /// # Errors
    /// If the part of the input that is read is damaged or cut off, or exceeds the limit.
    pub fn list(
        &self,
        input: impl Read + Send,
        mut each: impl FnMut(Listed),
    ) -> Result<Decompressed, DecompressError> {
        let plan = Plan { threads: 1, outstanding: 1, cores: None, poll: Poll::default() };
        let run = Run { settings: &self.settings, skips: true };
        run.of(Stream::new(input), io::sink(), &mut each, |frames, collect| {
            stream(&plan, &Piece::new, frames, collect)
        })
    }
}

/// What comes of taking pieces to the output.
type Outcome = Result<(), DecompressError>;

/// One decompression.
struct Run<'s> {
    settings: &'s Settings,
    /// Content of known length is passed over.
    skips: bool,
}

impl Run<'_> {
    /// Decompresses everything; `through` takes pieces from one end to the other.
    fn of<'a, I: Lend<'a>, W: Write, L: FnMut(Listed)>(
        &self,
        mut input: I,
        output: W,
        each: &mut L,
        through: impl FnOnce(&mut Frames<'_, I>, &mut Collect<'_, W, L>) -> Outcome,
    ) -> Result<Decompressed, DecompressError> {
        let mut output = Output::new(output, self.settings.limit);
        let mut frames = Frames::new(&mut input, self.settings, self.skips);
        let mut collect = Collect::new(&mut output, each);
        through(&mut frames, &mut collect)?;
        let trailing = frames.trailing();
        let mut done = Decompressed { trailing, ..collect.decompressed() };
        if self.settings.copies() {
            done.report.streams += output.copy(&mut input)?;
        }
        output.flush()?;
        (done.report.input, done.report.output) = (input.offset(), output.written());
        Ok(done)
    }
}
