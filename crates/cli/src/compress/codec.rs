//! The framework as this program uses it: sessions for the run, a compressor or a decompressor for each file.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStringExt;
use std::thread::available_parallelism;
use std::time::SystemTime;

use broadloom::compression::decompress::{self, Decompressed, Garbage, list};
use broadloom::compression::format::Format;
use broadloom::compression::format::gzi::Index;
use broadloom::compression::inflate;
use broadloom::compression::{
    CompressError, Compressor, DecompressError, Decompressor, Report, Settings, SettingsError,
};
use broadloom::{Compression, Session};
use broadloom_lanes::Cpu;

use super::attributes;
use super::list::Entry;
use super::options::{Coding, Task};
use super::providers::{Work, open, open_to_verify};

/// Who asks for a level above this wants few bytes. Longer chunks make fewer, and cost no time; but a file of one
/// chunk is compressed by one thread.
const FAST_LEVELS: u8 = 3;

/// Bytes of a chunk at other levels, where the format does not have a size of its own.
const LONG_CHUNK: usize = 512 << 10;

/// Jobs outstanding for each thread where chunks are long: as many bytes as of short ones would be too much.
const LONG_OUTSTANDING: usize = 4;

/// What a compressed file says of the one it was made of.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Its name, without directories.
    pub name: Option<OsString>,
    /// When it was modified.
    pub modified: Option<SystemTime>,
}

/// What came of coding a file.
#[derive(Debug, Default)]
pub struct Coded {
    /// Bytes read.
    pub input: u64,
    /// Bytes written.
    pub output: u64,
    /// Bytes of the compressed side without headers and trailers, as gzip counts what is saved.
    pub streams: u64,
    /// Where the blocks of a BGZF file begin, where that is asked for.
    pub index: Option<Index>,
    /// What else has to be known.
    pub notes: Vec<String>,
}

/// Why a file is not coded.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// It cannot be compressed as is asked for.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// It cannot be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// It cannot be decompressed.
    #[error(transparent)]
    Decompress(#[from] DecompressError),
    /// BGZF data that are perhaps not all.
    #[error(
        "at byte {offset}: the empty block with which bgzf ends is missing, so the file may be cut off \
         (--format gzip takes it as it is)"
    )]
    NoEndBlock {
        /// Where the data end.
        offset: u64,
    },
}

/// Codes one file after another in the same way.
pub enum Codec {
    /// Compresses.
    Compress {
        /// Who compresses.
        session: Session,
        /// Who decompresses again, where that is asked for.
        verifier: Option<Session>,
        /// How.
        settings: Settings,
        /// All of it in words.
        description: String,
    },
    /// Decompresses.
    Decompress {
        /// Who decompresses.
        session: Session,
        /// How.
        settings: decompress::Settings,
        /// All of it in words.
        description: String,
    },
}

impl Codec {
    /// One for all files of a run, of `total` bytes where that is known.
    ///
    /// # Errors
    /// If what is asked for cannot be, or nobody can do it, in words.
    pub fn open(coding: &Coding, task: Task, total: Option<u64>, cpu: &Cpu) -> Result<Codec, String> {
        let codec = match task {
            Task::Compress => Codec::to_compress(coding, total, cpu)?,
            Task::Decompress | Task::Test | Task::List => Codec::to_decompress(coding, total, cpu)?,
        };
        // What is wrong for all files is said once.
        codec.check().map_err(|error| error.to_string())?;
        Ok(codec)
    }

    fn to_compress(coding: &Coding, total: Option<u64>, cpu: &Cpu) -> Result<Codec, String> {
        let mut settings = Settings::new(coding.format.unwrap_or(Format::Gzip));
        settings.threads = threads(coding);
        let has_own_size = matches!(settings.format, Format::Bgzf | Format::Parcomp);
        if coding.level.number > FAST_LEVELS && !has_own_size {
            (settings.chunk, settings.outstanding) = (LONG_CHUNK, LONG_OUTSTANDING);
        }
        settings.chunk = coding.chunk.unwrap_or(settings.chunk);
        settings.outstanding = coding.jobs.unwrap_or(settings.outstanding);
        settings.index = coding.index;
        let level = coding.level.number;
        let how = Compression { level, ..Compression::default() };
        let how = Settings::compression_for(settings.format, how);
        let chosen = open(coding, Work::Compress(how), total, cpu)?;
        let verifier = coding.verify.then(|| open_to_verify(cpu)).transpose()?;
        let (threads, chunk) = (settings.threads, settings.chunk);
        let description =
            format!("{}; level {level}, {threads} threads, chunks of {chunk} bytes", chosen.description);
        Ok(Codec::Compress { session: chosen.session, verifier, settings, description })
    }

    fn to_decompress(coding: &Coding, total: Option<u64>, cpu: &Cpu) -> Result<Codec, String> {
        let usual = decompress::Settings::default();
        let settings = decompress::Settings {
            format: coding.format,
            threads: threads(coding),
            outstanding: coding.jobs.unwrap_or(usual.outstanding),
            limit: coding.limit,
            garbage: coding.garbage,
            ..usual
        };
        let chosen = open(coding, Work::Decompress, total, cpu)?;
        let description = format!("{}; {} threads", chosen.description, settings.threads);
        Ok(Codec::Decompress { session: chosen.session, settings, description })
    }

    fn check(&self) -> Result<(), SettingsError> {
        match self {
            Codec::Compress { .. } => self.compressor(&Origin::default()).map(drop),
            Codec::Decompress { .. } => self.decompressor(None).map(drop),
        }
    }

    /// Who works, and how, in words.
    pub fn description(&self) -> &str {
        match self {
            Codec::Compress { description, .. } | Codec::Decompress { description, .. } => description,
        }
    }

    /// Why another provider works than the one asked for.
    pub fn fallback(&self) -> Option<String> {
        let (Codec::Compress { session, .. } | Codec::Decompress { session, .. }) = self;
        session.fallback().map(|fallback| {
            format!("{} takes the place of {}: {}", session.provider(), fallback.wanted, fallback.reason)
        })
    }

    /// Compresses what `input` has.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn compress(
        &self,
        input: impl Read + Send,
        output: impl Write,
        origin: &Origin,
    ) -> Result<Coded, CodecError> {
        let report = self.compressor(origin)?.compress_stream(input, output)?;
        Ok(self.coded(report))
    }

    /// Decompresses what `input` has; of a format where that is known beforehand.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn decompress(
        &self,
        input: impl Read + Send,
        output: impl Write,
        format: Option<Format>,
    ) -> Result<Coded, CodecError> {
        let done = self.decompressor(format)?.decompress_stream(input, output)?;
        let note = self.note(&done)?;
        let mut coded = self.coded(done.report);
        coded.notes.extend(note);
        Ok(coded)
    }

    /// What has to be known of the end of compressed data.
    fn note(&self, done: &Decompressed) -> Result<Option<String>, CodecError> {
        let settings = self.decompresses();
        let end = done.trailing.garbage;
        if done.no_end_block && settings.format != Some(Format::Gzip) {
            return Err(CodecError::NoEndBlock { offset: end.unwrap_or(done.report.input) });
        }
        let ignored = end.filter(|_| settings.garbage == Garbage::Report);
        Ok(ignored
            .map(|offset| format!("at byte {offset}: what follows is no compressed data: ignored")))
    }

    /// Tells what is in `input`, of a format where that is known beforehand, and what has to be known of its
    /// end. Data are decompressed only where that is the way to find out how many there are.
    ///
    /// # Errors
    /// What is wrong, as far as it is looked at.
    pub fn list(
        &self,
        input: impl Read,
        format: Option<Format>,
    ) -> Result<(Entry, Option<String>), CodecError> {
        let &decompress::Settings { limit, garbage, .. } = self.decompresses();
        let mut entry = Entry::default();
        let options = inflate::Options { format, limit, garbage };
        let listed = list(input, options, |member| entry.add(&member))?;
        Ok((entry, self.note(&listed)?))
    }

    fn decompresses(&self) -> &decompress::Settings {
        let Codec::Decompress { settings, .. } = self else {
            unreachable!("files are decompressed by those who are to decompress");
        };
        settings
    }

    fn compressor(&self, origin: &Origin) -> Result<Compressor, SettingsError> {
        let Codec::Compress { session, verifier, settings, .. } = self else {
            unreachable!("files are compressed by those who are to compress");
        };
        let mut settings = settings.clone();
        if settings.format == Format::Gzip {
            settings.name = origin.name.clone().map(OsString::into_vec);
            settings.mtime = origin.modified.map_or(0, attributes::to_seconds);
        }
        let compressor = Compressor::new(session.clone(), settings)?;
        match verifier {
            Some(verifier) => compressor.verifying_with(verifier.clone()),
            None => Ok(compressor),
        }
    }

    fn decompressor(&self, format: Option<Format>) -> Result<Decompressor, SettingsError> {
        let Codec::Decompress { session, settings, .. } = self else {
            unreachable!("files are decompressed by those who are to decompress");
        };
        let settings = decompress::Settings { format: settings.format.or(format), ..settings.clone() };
        Decompressor::new(session.clone(), settings)
    }

    fn coded(&self, report: Report) -> Coded {
        let mut notes = Vec::new();
        if report.fallbacks > 0 {
            let (Codec::Compress { session, .. } | Codec::Decompress { session, .. }) = self;
            let why = report.first_fallback.map_or_else(String::new, |error| format!(": {error}"));
            notes.push(format!(
                "{} of {} chunks were done elsewhere than at {}{why}",
                report.fallbacks,
                report.chunks,
                session.provider()
            ));
        }
        let Report { input, output, streams, index, .. } = report;
        Coded { input, output, streams, index, notes }
    }
}

fn threads(coding: &Coding) -> usize {
    coding.threads.unwrap_or_else(|| available_parallelism().map_or(1, NonZeroUsize::get))
}
