//! Settings of a compression, and their valid values.

use std::time::Duration;

use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Ending, Session,
};

use crate::format::gzip::{self, Effort, Metadata};
use crate::format::{Format, bgzf};
use crate::framed;
use crate::pipeline::{Plan, Poll};

/// The fewest and the most bytes of a chunk.
pub const CHUNKS: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 30;
/// The fewest and the most threads.
pub const THREADS: std::ops::RangeInclusive<usize> = 1..=1024;
/// The fewest and the most jobs outstanding for each thread.
pub const OUTSTANDING: std::ops::RangeInclusive<usize> = 1..=256;
/// The longest time between two looks at a device.
pub const LONGEST_POLL: Duration = Duration::from_secs(1);

/// How an input is compressed.
///
/// ```
/// use broadloom_compression::{Format, Settings};
///
/// let settings = Settings { threads: 4, chunk: 1 << 18, ..Settings::new(Format::Gzip) };
/// assert_eq!(settings.outstanding, Settings::new(Format::Zlib).outstanding);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The format.
    pub format: Format,
    /// Bytes of a chunk: 1 KiB to 1 GiB; for [`Format::Bgzf`], at most 65280.
    pub chunk: usize,
    /// `true` if the content says where chunks end, so that a small change in the input is a small
    /// change in the output, as `rsync` needs it. Chunks then have an eighth of
    /// [`chunk`](Settings::chunk) to all of it.
    pub rsyncable: bool,
    /// Threads, each with a queue pair: 1 to 1024.
    pub threads: usize,
    /// Jobs in each thread's queue pair, at most: 1 to 256. It matters with asynchronous providers,
    /// and for the memory that streams take.
    pub outstanding: usize,
    /// Cores to which the threads are pinned, round robin, by the system's numbers; `None`: they
    /// are not.
    pub cores: Option<Vec<usize>>,
    /// How a thread waits for a device.
    pub poll: Poll,
    /// Bytes of room for a chunk's first attempt; `None`: enough for anything. Less makes
    /// overflows, which cost time.
    pub room: Option<usize>,
    /// The name to be stored, for [`Format::Gzip`] alone.
    pub name: Option<Vec<u8>>,
    /// When the data were last modified, to be stored, in seconds since 1970; 0: not known. For
    /// [`Format::Gzip`] alone.
    pub mtime: u32,
    /// `true` if an index is made, for [`Format::Bgzf`] alone.
    pub index: bool,
    /// `true` if each chunk is a member, for [`Format::Gzip`] alone; else all of them are one. Some
    /// readers take the first member for everything.
    pub members: bool,
}

impl Settings {
    /// The usual settings for a format: one thread, 16 jobs outstanding, chunks of 64 KiB (65280
    /// bytes for [`Format::Bgzf`]).
    pub fn new(format: Format) -> Self {
        Settings {
            format,
            chunk: if format == Format::Bgzf { bgzf::MAX_DATA } else { 1 << 16 },
            rsyncable: false,
            threads: 1,
            outstanding: 16,
            cores: None,
            poll: Poll::Yield,
            room: None,
            name: None,
            mtime: 0,
            index: false,
            members: false,
        }
    }

    /// The parameters of a session's compression that a format needs: checksum and ending. Level,
    /// window and Huffman codes are free. Where [chunks are members](Settings::members), use
    /// [`compression`](Settings::compression).
    ///
    /// ```
    /// use broadloom_compression::{Settings, format::Format};
    /// use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Transform};
    ///
    /// let level_6 = Compression { level: 6, ..Compression::default() };
    /// let compression = Settings::compression_for(Format::Gzip, level_6);
    /// assert_eq!(compression.checksum, Checksum::Crc32);
    /// let transform = Transform::compress(CompressionAlgorithm::Deflate, compression);
    /// # assert!(transform.is_ok());
    /// ```
    pub fn compression_for(format: Format, compression: Compression) -> Compression {
        let (checksum, ending) = match format {
            Format::Parcomp => (Checksum::None, Ending::Final),
            Format::Gzip => (Checksum::Crc32, Ending::Open),
            Format::Bgzf => (Checksum::Crc32, Ending::Final),
            Format::Zlib => (Checksum::Adler32, Ending::Open),
            Format::Raw => (Checksum::None, Ending::Open),
        };
        Compression { checksum, ending, ..compression }
    }

    /// The parameters of a session's compression for these settings.
    pub fn compression(&self, compression: Compression) -> Compression {
        let how = Settings::compression_for(self.format, compression);
        Compression { ending: if self.members { Ending::Final } else { how.ending }, ..how }
    }

    /// Checks everything that does not depend on a session.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_concurrency(self.threads, self.outstanding, self.cores.as_deref(), self.poll)?;
        let most = if self.format == Format::Bgzf { bgzf::MAX_DATA } else { *CHUNKS.end() };
        within("chunk", "bytes", self.chunk, *CHUNKS.start(), most)?;
        let of = |set: bool, option: &'static str, format: Format| match set
            && self.format != format
        {
            true => Err(SettingsError::OtherFormat { option, format: self.format, valid: format }),
            false => Ok(()),
        };
        of(self.name.is_some(), "name", Format::Gzip)?;
        of(self.mtime != 0, "mtime", Format::Gzip)?;
        of(self.index, "index", Format::Bgzf)?;
        of(self.members, "members", Format::Gzip)?;
        // Trying shows whether a value can be stored.
        match gzip::write_header(&mut Vec::new(), &self.metadata(0), 0, 0) {
            Ok(()) => Ok(()),
            Err(error) => Err(SettingsError::Name(error.to_string())),
        }
    }

    /// The metadata of the first member, compressed at this level.
    pub(crate) fn metadata(&self, level: u8) -> Metadata<'_> {
        let effort = match level {
            0 | 1 => Effort::Fastest,
            2..=8 => Effort::Usual,
            _ => Effort::Best,
        };
        Metadata { mtime: self.mtime, name: self.name.as_deref(), effort }
    }

    /// Checks that a session compresses as the format needs it, and says how it does.
    pub(crate) fn check_session(&self, session: &Session) -> Result<Compression, SettingsError> {
        let wrong =
            |wanted: String| SettingsError::Session { session: format!("{session:?}"), wanted };
        let format = self.format;
        let algorithm = Algorithm::Compression(CompressionAlgorithm::Deflate);
        let any = format == Format::Parcomp;
        let has = match (session.compression(), session.direction()) {
            (Some(has), Direction::Compress) if any || session.algorithm() == algorithm => has,
            _ => return Err(wrong(format!("{format} needs one that compresses by {algorithm}"))),
        };
        let needed = self.compression(has);
        // A checksum that is not stored does no harm.
        let checksum = needed.checksum == Checksum::None || has.checksum == needed.checksum;
        if !checksum || has.ending != needed.ending {
            let (checksum, ending) = (needed.checksum, needed.ending);
            return Err(wrong(format!(
                "{format} needs the checksum {checksum:?} and the ending {ending:?}"
            )));
        }
        Ok(has)
    }

    pub(crate) fn plan(&self) -> Plan<'_> {
        Plan {
            threads: self.threads,
            outstanding: self.outstanding,
            cores: self.cores.as_deref(),
            poll: self.poll,
        }
    }
}

/// Checks what a [`Plan`] is made of.
pub(crate) fn check_concurrency(
    threads: usize,
    outstanding: usize,
    cores: Option<&[usize]>,
    poll: Poll,
) -> Result<(), SettingsError> {
    within("threads", "threads", threads, *THREADS.start(), *THREADS.end())?;
    within("outstanding", "jobs", outstanding, *OUTSTANDING.start(), *OUTSTANDING.end())?;
    if cores.is_some_and(<[usize]>::is_empty) {
        return Err(SettingsError::NoCores);
    }
    match poll {
        Poll::Every(interval) if interval.is_zero() || interval > LONGEST_POLL => {
            Err(SettingsError::Poll { interval })
        }
        _ => Ok(()),
    }
}

pub(crate) fn within(
    option: &'static str,
    unit: &'static str,
    value: usize,
    min: usize,
    max: usize,
) -> Result<(), SettingsError> {
    match (min..=max).contains(&value) {
        true => Ok(()),
        false => Err(SettingsError::Range { option, unit, value, min, max }),
    }
}

/// Settings that cannot be.
///
/// ```
/// # use std::sync::Arc;
/// # use broadloom_engine::{Checksum, Compression, CompressionAlgorithm, Session, Transform};
/// # use broadloom_libdeflate::Libdeflate;
/// use broadloom_compression::{Compressor, Format, Settings};
///
/// # let how = Settings::compression_for(Format::Gzip, Compression::default());
/// # let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
/// # let session = Session::open(Arc::new(Libdeflate::load(&[])?), &transform)?;
/// let settings = Settings { threads: 0, ..Settings::new(Format::Gzip) };
/// let error = Compressor::new(session, settings).expect_err("0 threads compress nothing");
/// println!("{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A number out of its range.
    #[error("{option}: {value} {unit}; valid: {min} to {max}")]
    Range {
        /// The setting.
        option: &'static str,
        /// The unit that it counts.
        unit: &'static str,
        /// The value.
        value: usize,
        /// The least that is valid.
        min: usize,
        /// The most.
        max: usize,
    },
    /// A list of cores without any.
    #[error("cores: a list of cores has at least one, not 0")]
    NoCores,
    /// A time between polls that is none, or too long.
    #[error("poll: every {interval:?}; valid: 1 ns to {LONGEST_POLL:?}")]
    Poll {
        /// The time.
        interval: Duration,
    },
    /// A setting that only another format has.
    #[error("{option}: {format} has none; valid for {valid}")]
    OtherFormat {
        /// The setting.
        option: &'static str,
        /// The format that was asked for.
        format: Format,
        /// The format that has it.
        valid: Format,
    },
    /// A session that does something else than the format needs.
    #[error("the session ({session}) does not fit: {wanted}")]
    Session {
        /// The session.
        session: String,
        /// The needed value.
        wanted: String,
    },
    /// A name that cannot be stored.
    #[error("name: {0}")]
    Name(String),
    /// A level that a format of frames does not have.
    #[error("level {level} of {format}; valid: {min} to {max}")]
    Level {
        /// The format.
        format: framed::Format,
        /// The level.
        level: u8,
        /// The least that is valid.
        min: u8,
        /// The most.
        max: u8,
    },
    /// A setting that only another format of frames has.
    #[error("{option}: {format} has none; valid for {valid}")]
    OtherFrames {
        /// The setting.
        option: &'static str,
        /// The format that was asked for.
        format: framed::Format,
        /// The format that has it.
        valid: framed::Format,
    },
    /// zstd, in a build without it.
    #[error("this build has no zstd: it was built without the feature `zstd`")]
    NoZstd,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(settings: Settings) -> String {
        settings.check().expect_err("it is wrong").to_string()
    }

    #[test]
    fn what_is_out_of_range_is_named_with_the_range() {
        let gzip = || Settings::new(Format::Gzip);
        assert_eq!(
            error(Settings { chunk: 1023, ..gzip() }),
            "chunk: 1023 bytes; valid: 1024 to 1073741824"
        );
        assert_eq!(
            error(Settings { chunk: 65281, ..Settings::new(Format::Bgzf) }),
            "chunk: 65281 bytes; valid: 1024 to 65280"
        );
        assert_eq!(
            error(Settings { threads: 0, ..gzip() }),
            "threads: 0 threads; valid: 1 to 1024"
        );
        assert_eq!(
            error(Settings { outstanding: 257, ..gzip() }),
            "outstanding: 257 jobs; valid: 1 to 256"
        );
        assert_eq!(
            error(Settings { cores: Some(Vec::new()), ..gzip() }),
            "cores: a list of cores has at least one, not 0"
        );
        for interval in [Duration::ZERO, Duration::from_secs(2)] {
            let message = error(Settings { poll: Poll::Every(interval), ..gzip() });
            assert_eq!(message, format!("poll: every {interval:?}; valid: 1 ns to 1s"));
        }
        let name = error(Settings { name: Some(b"a\0b".to_vec()), ..gzip() });
        assert!(name.starts_with("name: a name of 3 bytes cannot be stored"), "{name}");
    }

    #[test]
    fn what_a_format_does_not_have_is_refused_and_not_ignored() {
        let zlib = || Settings::new(Format::Zlib);
        let name = Some(b"name".to_vec());
        assert_eq!(error(Settings { name, ..zlib() }), "name: zlib has none; valid for gzip");
        assert_eq!(error(Settings { mtime: 1, ..zlib() }), "mtime: zlib has none; valid for gzip");
        assert_eq!(
            error(Settings { index: true, ..zlib() }),
            "index: zlib has none; valid for bgzf"
        );
        assert_eq!(
            error(Settings { members: true, ..zlib() }),
            "members: zlib has none; valid for gzip"
        );
    }

    #[test]
    fn the_usual_settings_are_right() {
        for format in Format::ALL {
            Settings::new(format).check().expect("they are the usual");
        }
    }
}
