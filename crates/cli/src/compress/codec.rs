//! The framework as this program uses it: sessions for the run, a compressor or a decompressor for
//! each file.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStringExt;
use std::thread::available_parallelism;

use broadloom::compression::decompress::{self, Decompressed, Garbage, list};
use broadloom::compression::format::{Cause, Format, FormatError};
use broadloom::compression::framed;
use broadloom::compression::inflate;
use broadloom::compression::{
    CompressError, Compressor, DecompressError, Decompressor, Report, Settings, SettingsError,
};
use broadloom::{Compression, Session};
use broadloom_lanes::Cpu;

use super::container::Container;
use super::list::Entry;
use super::options::{Coding, Task};
use super::origin::Origin;
use super::providers::{Purpose, open, open_to_verify};
use super::{seconds, zip};
use crate::files::Coded;

/// Who asks for a level above this wants few bytes. Longer chunks make fewer, and cost no time; but
/// a file of one chunk is compressed by one thread.
const FAST_LEVELS: u8 = 3;

/// Bytes of a chunk at other levels, where the format does not have a size of its own.
const LONG_CHUNK: usize = 512 << 10;

/// Most bytes of a chunk whose end the content determines: what rsync sends again for a small
/// change.
const RSYNCABLE_CHUNK: usize = 128 << 10;

/// Jobs outstanding for each thread where chunks are long: as many bytes as of short ones would be
/// too much.
const LONG_OUTSTANDING: usize = 4;

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
    /// It is not the zip file that was asked for, or one that is not read.
    #[error(transparent)]
    Zip(#[from] zip::ZipError),
    /// It needs more memory than is allowed.
    #[error("{error}: --long={log} or --memory={window} allows it")]
    Window {
        /// What was refused.
        error: DecompressError,
        /// The window, in bytes.
        window: u64,
        /// The least power of two that is as large.
        log: u32,
    },
    /// LZW data, which no provider decodes.
    #[error(
        "these are LZW data, as compress(1) makes them (.Z): valid is `uncompress` or `gzip -d`"
    )]
    Lzw,
    /// A zip file that was to be listed.
    #[error("zip files are not listed: valid is `unzip -l`")]
    ZipList,
    /// BGZF data that are perhaps not all.
    #[error(
        "at byte {offset}: the empty block with which bgzf ends is missing, so the file may be cut \
         off (--format gzip takes it as it is)"
    )]
    NoEndBlock {
        /// Where the data end.
        offset: u64,
    },
}

/// Codes one file after another in the same way.
#[derive(Clone)]
pub enum Codec {
    /// Compresses.
    Compress {
        /// Who compresses.
        session: Session,
        /// Who decompresses again, where that is asked for.
        verifier: Option<Session>,
        /// How.
        settings: Settings,
        /// What the data are wrapped in.
        container: Container,
        /// All of it in words.
        description: String,
    },
    /// Compresses into frames.
    Frames {
        /// How.
        settings: framed::Settings,
        /// All of it in words.
        description: String,
    },
    /// Decompresses.
    Decompress {
        /// Who decompresses DEFLATE.
        session: Session,
        /// How.
        settings: decompress::Settings,
        /// How frames are decompressed.
        frames: framed::decompress::Settings,
        /// What the data are wrapped in, where that is known beforehand.
        container: Option<Container>,
        /// Something is done whatever there is against it.
        force: bool,
        /// All of it in words.
        description: String,
    },
}

impl Codec {
    /// One for all files of a run.
    ///
    /// # Errors
    /// If what is asked for cannot be, or nobody can do it, in words.
    pub fn open(coding: &Coding, task: Task, cpu: &Cpu) -> Result<Codec, String> {
        let codec = match task {
            Task::Compress => Codec::to_compress(coding, cpu)?,
            Task::Decompress | Task::Test | Task::List => Codec::to_decompress(coding, cpu)?,
        };
        // What is wrong for all files is said once.
        codec.check().map_err(|error| error.to_string())?;
        Ok(codec)
    }

    fn to_compress(coding: &Coding, cpu: &Cpu) -> Result<Codec, String> {
        let container = coding.container.unwrap_or(Container::Format(Format::Gzip));
        let format = match (container.deflate(), container.frames()) {
            (_, Some(format)) => return Ok(Codec::to_frames(coding, format)),
            (format, None) => format.unwrap_or(Format::Gzip),
        };
        let mut settings = Settings::new(format);
        settings.threads = threads(coding);
        let has_own_size = matches!(settings.format, Format::Bgzf | Format::Parcomp);
        if coding.rsyncable && !has_own_size {
            settings.chunk = RSYNCABLE_CHUNK;
        } else if coding.level.of_deflate() > FAST_LEVELS && !has_own_size {
            (settings.chunk, settings.outstanding) = (LONG_CHUNK, LONG_OUTSTANDING);
        }
        settings.chunk = coding.chunk.unwrap_or(settings.chunk);
        settings.outstanding = coding.jobs.unwrap_or(settings.outstanding);
        settings.index = coding.index;
        settings.members = coding.members;
        settings.rsyncable = coding.rsyncable;
        let level = coding.level.of_deflate();
        let how = Compression { level, ..Compression::default() };
        let how = settings.compression(how);
        let chosen = open(coding, Purpose::Compress(how), cpu)?;
        let verifier = coding.verify.then(|| open_to_verify(cpu)).transpose()?;
        let (threads, chunk) = (settings.threads, settings.chunk);
        let description = format!(
            "{}; level {level}, {threads} threads, chunks of {chunk} bytes",
            chosen.description
        );
        let session = chosen.session;
        Ok(Codec::Compress { session, verifier, settings, container, description })
    }

    fn to_frames(coding: &Coding, format: framed::Format) -> Codec {
        let usual = framed::Settings::new(format);
        let settings = framed::Settings {
            level: coding.level.asked.unwrap_or(usual.level),
            chunk: coding.chunk,
            rsyncable: coding.rsyncable,
            threads: threads(coding),
            long: coding.long,
            block_checksums: coding.block_checksums,
            verify: coding.verify,
            ..usual
        };
        let (level, threads, chunk) = (settings.level, settings.threads, settings.chunk());
        let description = format!(
            "none ({format} is built in); level {level}, {threads} threads, chunks of {chunk} bytes"
        );
        Codec::Frames { settings, description }
    }

    fn to_decompress(coding: &Coding, cpu: &Cpu) -> Result<Codec, String> {
        let usual = decompress::Settings::default();
        let settings = decompress::Settings {
            format: coding.container.and_then(Container::plain),
            threads: threads(coding),
            outstanding: coding.jobs.unwrap_or(usual.outstanding),
            limit: coding.limit,
            garbage: Garbage::Report,
            ..usual
        };
        let chosen = open(coding, Purpose::Decompress, cpu)?;
        let description = format!("{}; {} threads", chosen.description, settings.threads);
        let (container, force) = (coding.container, coding.force);
        let frames = framed::decompress::Settings::default();
        let long = coding.long.map(|long| 1 << long);
        let frames = framed::decompress::Settings {
            format: container.and_then(Container::frames),
            threads: settings.threads,
            limit: settings.limit,
            garbage: settings.garbage,
            window: long.max(coding.memory).unwrap_or(frames.window),
            ..frames
        };
        let session = chosen.session;
        Ok(Codec::Decompress { session, settings, frames, container, force, description })
    }

    fn check(&self) -> Result<(), SettingsError> {
        match self {
            Codec::Compress { .. } => self.compressor(&Origin::default()).map(drop),
            Codec::Frames { settings, .. } => framed::Compressor::new(settings.clone()).map(drop),
            Codec::Decompress { settings, frames, .. } => {
                framed::Decompressor::new(frames.clone())?;
                self.decompressor(settings.format, Garbage::Report).map(drop)
            }
        }
    }

    /// The same with one thread.
    pub fn with_one_thread(&self) -> Codec {
        let mut single = self.clone();
        match &mut single {
            Codec::Compress { settings, .. } => settings.threads = 1,
            Codec::Frames { settings, .. } => settings.threads = 1,
            Codec::Decompress { settings, frames, .. } => {
                (settings.threads, frames.threads) = (1, 1);
            }
        }
        single
    }

    /// Threads for one file.
    pub fn threads(&self) -> usize {
        match self {
            Codec::Compress { settings, .. } => settings.threads,
            Codec::Frames { settings, .. } => settings.threads,
            Codec::Decompress { settings, .. } => settings.threads,
        }
    }

    /// Most bytes of a file that is hardly coded sooner by several threads than by one.
    pub fn divided(&self) -> u64 {
        match self {
            Codec::Compress { settings, .. } => settings.chunk as u64,
            Codec::Frames { settings, .. } => settings.chunk() as u64,
            Codec::Decompress { .. } => LONG_CHUNK as u64,
        }
    }

    /// Describes in words which provider works, and how.
    pub fn description(&self) -> &str {
        match self {
            Codec::Compress { description, .. }
            | Codec::Frames { description, .. }
            | Codec::Decompress { description, .. } => description,
        }
    }

    /// Why another provider works than the one asked for.
    pub fn fallback(&self) -> Option<String> {
        let session = self.session()?;
        session.fallback().map(|fallback| {
            format!(
                "{} takes the place of {}: {}",
                session.provider(),
                fallback.wanted,
                fallback.reason
            )
        })
    }

    /// Whose session works, if one does.
    fn session(&self) -> Option<&Session> {
        match self {
            Codec::Compress { session, .. } | Codec::Decompress { session, .. } => Some(session),
            Codec::Frames { .. } => None,
        }
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
        if let Codec::Frames { settings, .. } = self {
            let compressor = framed::Compressor::new(settings.clone())?;
            return Ok(self.coded(compressor.compress_stream(input, output)?));
        }
        let compressor = self.compressor(origin)?;
        if let Codec::Compress { container: Container::Zip, .. } = self {
            let report = zip::write(&compressor, input, output, origin)?;
            return Ok(self.coded(report));
        }
        let report = compressor.compress_stream(input, output)?;
        Ok(self.coded(report))
    }

    /// Decompresses what `input` has; of a format where that is known beforehand. `copies` says
    /// that, by force, data that are not compressed are copied.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn decompress(
        &self,
        mut input: impl Read + Send,
        output: impl Write,
        format: Option<Format>,
        copies: bool,
    ) -> Result<Coded, CodecError> {
        let Codec::Decompress { settings, frames, container, force, .. } = self else {
            unreachable!("files are decompressed by those who are to decompress");
        };
        let format = settings.format.or(format);
        let mut start = Vec::new();
        if format.is_none() {
            start = begin(&mut input)?;
        }
        let mut input = start.as_slice().chain(input);
        if zip::begins(&start) || *container == Some(Container::Zip) {
            let decompressor = self.decompressor(Some(Format::Raw), Garbage::Report)?;
            let (report, more) = zip::read(&decompressor, &mut input, output, settings.limit)?;
            let mut coded = self.coded(report);
            coded.left = more;
            let warning = "decompression OK, entries after the first ignored";
            coded.warnings.extend(more.then(|| warning.to_owned()));
            return Ok(coded);
        }
        let garbage = if *force && copies { Garbage::Copy } else { Garbage::Report };
        let done = match framed::begins(&start) || frames.format.is_some() {
            true => {
                let settings = framed::decompress::Settings { garbage, ..frames.clone() };
                let decompressor = framed::Decompressor::new(settings)?;
                decompressor.decompress_stream(&mut input, output).map_err(with_way_out)?
            }
            false => self.decompressor(format, garbage)?.decompress_stream(&mut input, output)?,
        };
        let warning = self.warning(&done)?.filter(|_| garbage == Garbage::Report);
        let mut coded = self.coded(done.report);
        coded.left = warning.is_some();
        coded.warnings.extend(warning);
        Ok(coded)
    }

    /// Returns what a user has to know about the end of compressed data.
    fn warning(&self, done: &Decompressed) -> Result<Option<String>, CodecError> {
        let settings = self.decompresses();
        let end = done.trailing.garbage;
        if done.no_end_block && settings.format != Some(Format::Gzip) {
            return Err(CodecError::NoEndBlock { offset: end.unwrap_or(done.report.input) });
        }
        Ok(end.map(|offset| {
            format!("decompression OK, trailing garbage ignored (from byte {offset} on)")
        }))
    }

    /// Tells what is in `input`, of a format where that is known beforehand, and what has to be
    /// known of its end. Data are decompressed only where that is the way to find out how many
    /// there are.
    ///
    /// # Errors
    /// What is wrong, as far as it is looked at.
    pub fn list(
        &self,
        mut input: impl Read + Send,
        format: Option<Format>,
    ) -> Result<(Entry, Option<String>), CodecError> {
        let &decompress::Settings { format: asked, limit, garbage, .. } = self.decompresses();
        let format = asked.or(format);
        let start = if format.is_none() { begin(&mut input)? } else { Vec::new() };
        if zip::begins(&start) {
            return Err(CodecError::ZipList);
        }
        let mut entry = Entry::default();
        if let Codec::Decompress { frames, .. } = self
            && (framed::begins(&start) || frames.format.is_some())
        {
            let decompressor = framed::Decompressor::new(frames.clone())?;
            let input = start.as_slice().chain(input);
            let listed = decompressor.list(input, |frame| entry.add_frame(&frame));
            let listed = listed.map_err(with_way_out)?;
            // With what stands between frames: zstd's seek table, for one.
            entry.compressed = listed.report.input;
            return Ok((entry, self.warning(&listed)?));
        }
        let options = inflate::Options { format, limit, garbage };
        let input = start.as_slice().chain(input);
        let listed = list(input, options, |member| entry.add(&member))?;
        Ok((entry, self.warning(&listed)?))
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
            settings.mtime = origin.modified.map_or(0, seconds::to_seconds);
        }
        let compressor = Compressor::new(session.clone(), settings)?;
        match verifier {
            Some(verifier) => compressor.verifying_with(verifier.clone()),
            None => Ok(compressor),
        }
    }

    fn decompressor(
        &self,
        format: Option<Format>,
        garbage: Garbage,
    ) -> Result<Decompressor, SettingsError> {
        let Codec::Decompress { session, settings, .. } = self else {
            unreachable!("files are decompressed by those who are to decompress");
        };
        let settings = decompress::Settings { format, garbage, ..settings.clone() };
        Decompressor::new(session.clone(), settings)
    }

    fn coded(&self, report: Report) -> Coded {
        let mut notes = Vec::new();
        if report.fallbacks > 0 {
            let provider = self.session().map_or("", Session::provider);
            let why = report.first_fallback.map_or_else(String::new, |error| format!(": {error}"));
            notes.push(format!(
                "{} of {} chunks were done elsewhere than at {}{why}",
                report.fallbacks, report.chunks, provider
            ));
        }
        let Report { input, output, streams, index, .. } = report;
        let index = index.map(|index| index.to_bytes());
        Coded { input, output, streams, index, notes, ..Coded::default() }
    }
}

/// The error, with the options that allow what was refused.
fn with_way_out(error: DecompressError) -> CodecError {
    match error {
        DecompressError::Format(FormatError {
            cause: Cause::FrameWindow { window, .. }, ..
        }) if window <= 1 << *framed::WINDOWS.end() => {
            CodecError::Window { error, window, log: window.next_power_of_two().ilog2() }
        }
        _ => error.into(),
    }
}

/// How LZW data begin.
const LZW: [u8; 2] = [0x1f, 0x9d];

/// Reads the first bytes, by which data are told that the framework does not read.
fn begin(input: &mut impl Read) -> Result<Vec<u8>, CodecError> {
    let mut start = Vec::with_capacity(zip::MAGIC.len());
    let read = input.by_ref().take(zip::MAGIC.len() as u64).read_to_end(&mut start);
    read.map_err(|error| DecompressError::Read { offset: start.len() as u64, error })?;
    if start.starts_with(&LZW) { Err(CodecError::Lzw) } else { Ok(start) }
}

fn threads(coding: &Coding) -> usize {
    coding.threads.unwrap_or_else(|| available_parallelism().map_or(1, NonZeroUsize::get))
}
