//! Files of frames: LZ4 and zstd, in parallel, both ways.
//!
//! Sessions and providers have no part in it: LZ4 is what the crate `lz4_flex` makes, and zstd is
//! the library of that name (feature `zstd`). Everything else is as with the formats of DEFLATE:
//! chunks that know nothing of each other go to any free thread, and come out in order, in an
//! amount of memory that does not depend on the length of the input.
//!
//! | format | a chunk is | a reader finds it by |
//! |---|---|---|
//! | [`Lz4`](Format::Lz4) | a block of one frame | the length before it |
//! | [`Zstd`](Format::Zstd) | a frame of the seekable format | the lengths of its blocks |
//!
//! ```
//! use broadloom_compression::framed::{Compressor, Decompressor, Format, Settings, decompress};
//!
//! let settings = Settings { threads: 2, ..Settings::new(Format::Lz4) };
//! let mut file = Vec::new();
//! Compressor::new(settings)?.compress(b"the warp, the weft", &mut file)?;
//! let mut data = Vec::new();
//! Decompressor::new(decompress::Settings::default())?.decompress(&file, &mut data)?;
//! assert_eq!(data, b"the warp, the weft");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunk;
pub mod decompress;
#[cfg(not(feature = "zstd"))]
#[path = "no_zstd.rs"]
mod library;
#[cfg(feature = "zstd")]
#[path = "zstd.rs"]
mod library;
mod settings;
mod write;

use std::fmt;
use std::io::{Read, Write};

use crate::compress::content::Cutter;
use crate::compress::ends::{Reader, Slice};
use crate::decompress::output::Memory;
use crate::error::CompressError;
use crate::format::{lz4, skippable, zstd};
use crate::pipeline::{stream, whole};
use crate::report::Report;
use crate::settings::SettingsError;

use chunk::Chunk;
pub use decompress::Decompressor;
pub use settings::{DEFAULT_WINDOW, Settings, WINDOWS};
use write::Writer;

/// A format that consists of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// LZ4's frames.
    Lz4,
    /// zstd's frames.
    Zstd,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 2] = [Format::Lz4, Format::Zstd];

    /// The name on command lines and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Format::Lz4 => "lz4",
            Format::Zstd => "zstd",
        }
    }

    /// Returns `true` if this build codes the format: zstd is a feature of the crate.
    pub fn is_available(self) -> bool {
        self == Format::Lz4 || cfg!(feature = "zstd")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Returns `true` if an input that begins with `start` consists of frames.
///
/// ```
/// use broadloom_compression::framed::begins;
///
/// assert!(begins(&[0x28, 0xb5, 0x2f, 0xfd]) && !begins(&[0x1f, 0x8b, 8, 0]));
/// ```
pub fn begins(start: &[u8]) -> bool {
    start.first_chunk().is_some_and(|&magic| {
        [lz4::MAGIC, lz4::LEGACY_MAGIC, zstd::MAGIC].contains(&magic) || skippable::begins(magic)
    })
}

/// Compresses inputs of any size into files of frames, in chunks that know nothing of each other.
///
/// The calling thread and others take chunks as they are free. The output does not depend on the
/// number of threads.
#[derive(Debug, Clone)]
pub struct Compressor {
    settings: Settings,
}

impl Compressor {
    /// A compressor.
    ///
    /// # Errors
    /// Which setting is wrong, and what would be right.
    pub fn new(settings: Settings) -> Result<Compressor, SettingsError> {
        settings.check()?;
        Ok(Compressor { settings })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Compresses an input in memory, and appends the result to `output`.
    ///
    /// # Errors
    /// The error that comes first in the input; `output` is then as it was.
    pub fn compress(&self, input: &[u8], output: &mut Vec<u8>) -> Result<Report, CompressError> {
        let before = output.len();
        let slice = Slice::new(input, self.cutter());
        let mut writer = Writer::new(&self.settings, Memory(&mut *output));
        let written =
            whole(&self.settings.plan(), &|| Chunk::new(&self.settings), slice, &mut writer);
        let closed = written.and_then(|()| writer.close());
        if closed.is_err() {
            output.truncate(before);
        }
        closed
    }

    /// Compresses what is read into what is written, in a window of bounded size: memory for four
    /// chunks and their results for each thread, or for two where a [window](Settings::long) is
    /// asked for.
    ///
    /// With one thread, everything happens on the calling thread; else `input` is read on a thread
    /// of its own, and the calling thread writes. A reader has a chunk end early by a
    /// [`Pause`](crate::Pause).
    ///
    /// # Errors
    /// The error that comes first in the input, after what comes before it was written.
    ///
    /// # Panics
    /// If `input` or `output` panics.
    pub fn compress_stream(
        &self,
        input: impl Read + Send,
        output: impl Write,
    ) -> Result<Report, CompressError> {
        let reader = Reader::new(input, self.cutter());
        let mut writer = Writer::new(&self.settings, output);
        stream(&self.settings.plan(), &|| Chunk::new(&self.settings), reader, &mut writer)?;
        writer.close()
    }

    fn cutter(&self) -> Cutter {
        Cutter::new(self.settings.chunk(), self.settings.rsyncable)
    }
}
