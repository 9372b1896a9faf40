//! How to decompress.

use broadloom_engine::{Algorithm, Checksum, CompressionAlgorithm, Direction, Session};

use super::members::Garbage;
use crate::format::Format;
use crate::pipeline::{Plan, Poll};
use crate::settings::{SettingsError, check_concurrency};

/// How to decompress.
///
/// ```
/// use broadloom_compression::decompress::Settings;
///
/// // A cap on what an input from elsewhere can become.
/// let settings = Settings { threads: 4, limit: Some(1 << 30), ..Settings::default() };
/// assert_eq!(settings.format, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The format, if it is not to be found out. What parcomp writes and bare deflate data cannot
    /// be.
    pub format: Option<Format>,
    /// Threads, each with a queue pair: 1 to 1024.
    pub threads: usize,
    /// Jobs in each thread's queue pair, at most: 1 to 256.
    pub outstanding: usize,
    /// Cores to which the threads are pinned, round robin, by the system's numbers; `None`: they
    /// are not.
    pub cores: Option<Vec<usize>>,
    /// How a thread waits for a device.
    pub poll: Poll,
    /// The most bytes that may come out: a cap on what an input from elsewhere can make of itself.
    pub limit: Option<u64>,
    /// How to treat trailing bytes.
    pub garbage: Garbage,
    /// The maximum of data, in bytes, for all members in progress together. One thread decodes a
    /// member that exceeds its share, in a fixed window. (For a slice, this applies only to a
    /// member that does not say the length of its data, and only with a limit. Otherwise the output
    /// is in memory anyway.)
    pub memory: usize,
}

impl Default for Settings {
    /// One thread, 4 jobs outstanding, 128 MiB of memory, no limit.
    fn default() -> Self {
        Settings {
            format: None,
            threads: 1,
            outstanding: 4,
            cores: None,
            poll: Poll::default(),
            limit: None,
            garbage: Garbage::default(),
            memory: 128 << 20,
        }
    }
}

/// How the members of an input are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Deflate,
    /// Blocks of LZ4, in parcomp's format alone. No other thread can stand in for the provider.
    Lz4,
}

impl Settings {
    /// Whether they can be, with this session, and what it decodes.
    pub(super) fn check(&self, session: &Session) -> Result<Coding, SettingsError> {
        check_concurrency(self.threads, self.outstanding, self.cores.as_deref(), self.poll)?;
        let wrong = |wanted: &str| {
            Err(SettingsError::Session {
                session: format!("{session:?}"),
                wanted: wanted.to_owned(),
            })
        };
        let checksum = match (session.compression(), session.direction()) {
            (Some(compression), Direction::Decompress) => compression.checksum,
            _ => return wrong("one that decompresses is needed"),
        };
        if session.algorithm() == Algorithm::Compression(CompressionAlgorithm::Lz4) {
            return match self.format {
                Some(Format::Parcomp) => Ok(Coding::Lz4),
                _ => wrong("lz4 is known in the format parcomp alone"),
            };
        }
        match checksum == Checksum::Crc32 || self.format == Some(Format::Parcomp) {
            true => Ok(Coding::Deflate),
            false => wrong("the checksum Crc32 is needed"),
        }
    }

    pub(super) fn plan(&self) -> Plan<'_> {
        Plan {
            threads: self.threads,
            outstanding: self.outstanding,
            cores: self.cores.as_deref(),
            poll: self.poll,
        }
    }
}
