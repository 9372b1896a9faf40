//! Decompression.
//!
//! Members that say their length go side by side. Other gzip members are cut into pieces, which go
//! side by side where they turn out to be independent. All other data are decoded by one thread, as
//! they come: the pipeline drains first, and goes on with the next member.

mod collect;
mod cut;
pub(crate) mod decompressed;
pub(crate) mod error;
mod feed;
pub(crate) mod input;
mod list;
pub(crate) mod members;
pub(crate) mod output;
mod run;
mod seal;
mod settings;
mod short;

use std::io::{self, Read, Write};

use broadloom_engine::{Bytes, Job, Session};

pub use decompressed::Decompressed;
pub use error::DecompressError;
pub use list::{Listed, list};
pub use members::{Garbage, Trailing};
pub use settings::Settings;

use crate::SettingsError;
use crate::pipeline;
use crate::scratch::Scratch;
use feed::{MemberJob, Share, What};
use input::{Slice, Stream};
use output::Memory;
use run::Run;
use settings::Coding;

/// Decompresses inputs of any size.
///
/// ```
/// use broadloom_compression::decompress::{DecompressError, Decompressor, Settings};
/// # use std::error::Error;
/// # fn with(session: broadloom_engine::Session, input: &[u8]) -> Result<(), Box<dyn Error>> {
/// let settings = Settings { threads: 2, limit: Some(1 << 30), ..Settings::default() };
/// let decompressor = Decompressor::new(session, settings)?;
/// let mut data = Vec::new();
/// decompressor.decompress(input, &mut data)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Decompressor {
    session: Session,
    settings: Settings,
    coding: Coding,
}

impl Decompressor {
    /// A decompressor over a session that decompresses deflate data and computes CRC-32
    /// (`Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32)`). For
    /// [`Parcomp`](crate::format::Format::Parcomp), no checksum is needed, and LZ4 is valid, too.
    ///
    /// # Errors
    /// If a setting is out of its range, or the session does something else.
    pub fn new(session: Session, settings: Settings) -> Result<Self, SettingsError> {
        let coding = settings.check(&session)?;
        Ok(Decompressor { session, settings, coding })
    }

    /// Decompresses a slice, and appends the data to `output`.
    ///
    /// # Errors
    /// If the input is wrong, cut off, or stands for more than allowed or than there is memory for,
    /// or if the provider fails. `output` is then as it was.
    ///
    /// # Panics
    /// If a provider panics.
    pub fn decompress(
        &self,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Decompressed, DecompressError> {
        let before = output.len();
        let limit = self.settings.limit;
        let most_unknown =
            limit.map_or(u64::MAX, |limit| self.part(limit.max(self.settings.memory as u64)));
        let most_piece = self.part(self.settings.memory as u64);
        let share = Share { coding: self.coding, most: u64::MAX - 1, most_unknown, most_piece };
        let (plan, make) = (self.settings.plan(), || self.job());
        let memory = Memory(&mut *output);
        let decompressed = Run::new(self, Slice::new(input), memory, share).and_then(|run| {
            run.finish(|feed, collect| pipeline::whole(&plan, &make, feed, collect))
        });
        if decompressed.is_err() {
            output.truncate(before);
        }
        decompressed
    }

    /// Does the same as [`decompress`](Decompressor::decompress), with the same data and the same
    /// errors. A short input of gzip or zlib is decompressed by what the calling thread has kept
    /// from the inputs before, which takes a fraction of the time.
    ///
    /// # Errors
    /// As [`decompress`](Decompressor::decompress).
    ///
    /// # Panics
    /// If a provider panics.
    pub fn decompress_with(
        &self,
        scratch: &mut Scratch,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<Decompressed, DecompressError> {
        // What is not plain and sound is judged by the code that says where it is wrong.
        match self.decompress_short(scratch, input, output) {
            Some(decompressed) => Ok(decompressed),
            None => self.decompress(input, output),
        }
    }

    /// Decompresses from a reader to a writer, in a window of bounded size. With several threads,
    /// reading is done by one of its own.
    ///
    /// # Errors
    /// The errors of [`decompress`](Decompressor::decompress), and failures of reading or writing.
    /// Everything written until then is a prefix of the data.
    ///
    /// # Panics
    /// If a provider panics.
    pub fn decompress_stream(
        &self,
        input: impl Read + Send,
        output: impl Write,
    ) -> Result<Decompressed, DecompressError> {
        let most = self.part(self.settings.memory as u64);
        let share = Share { coding: self.coding, most, most_unknown: most, most_piece: most };
        let (plan, make) = (self.settings.plan(), || self.job());
        let run = Run::new(self, Stream::new(input), output, share)?;
        run.finish(|feed, collect| pipeline::stream(&plan, &make, feed, collect))
    }

    /// Decompresses and checks, and writes nothing.
    ///
    /// # Errors
    /// The errors of [`decompress_stream`](Decompressor::decompress_stream).
    ///
    /// # Panics
    /// If a provider panics.
    pub fn test(&self, input: impl Read + Send) -> Result<Decompressed, DecompressError> {
        self.decompress_stream(input, io::sink())
    }

    /// The share of `memory` bytes that a single job may use.
    fn part(&self, memory: u64) -> u64 {
        memory / self.settings.plan().jobs() as u64
    }

    fn job(&self) -> MemberJob<'_> {
        MemberJob { job: Job::new(&self.session, Bytes::EMPTY.as_slice()), what: What::Nothing }
    }
}
