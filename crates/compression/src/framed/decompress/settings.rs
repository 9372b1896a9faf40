//! How frames are decompressed.

use super::super::{DEFAULT_WINDOW, Format};
use crate::decompress::Garbage;
use crate::pipeline::{Plan, Poll};
use crate::settings::{SettingsError, check_concurrency};

/// Jobs outstanding for each thread: twice as many go round.
const OUTSTANDING: usize = 2;

/// How to decompress frames.
///
/// ```
/// use broadloom_compression::framed::decompress::Settings;
///
/// // For a file of `zstd --long=31`.
/// let settings = Settings { window: 1 << 31, ..Settings::default() };
/// assert_eq!(Settings::default().window, 1 << 27);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The format, if no other is to be read.
    pub format: Option<Format>,
    /// Threads: 1 to 1024.
    pub threads: usize,
    /// The most bytes that may come out.
    pub limit: Option<u64>,
    /// How to treat bytes behind the last frame that begin no frame.
    pub garbage: Garbage,
    /// The longest window of zstd that is allowed, in bytes: a decoder needs that much memory,
    /// however short the input is.
    pub window: u64,
    /// The most bytes, compressed and not, of the frames of zstd that one thread has in its hands.
    /// A frame of more than a quarter of it is decoded by the thread that writes, in its window.
    pub memory: usize,
}

impl Default for Settings {
    /// One thread, no limit, windows of 128 MiB as with zstd, 64 MiB of memory for each thread.
    fn default() -> Settings {
        Settings {
            format: None,
            threads: 1,
            limit: None,
            garbage: Garbage::default(),
            window: 1 << DEFAULT_WINDOW,
            memory: 64 << 20,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.format.is_some_and(|format| !format.is_available()) {
            return Err(SettingsError::NoZstd);
        }
        check_concurrency(self.threads, OUTSTANDING, None, Poll::default())
    }

    /// Returns `true` if what is behind the last frame is to be copied.
    pub(super) fn copies(&self) -> bool {
        self.garbage == Garbage::Copy
    }

    /// The most bytes that one job may have, compressed and not.
    pub(super) fn share(&self) -> u64 {
        self.memory as u64 / (2 * OUTSTANDING) as u64
    }

    pub(super) fn plan(&self) -> Plan<'_> {
        Plan { threads: self.threads, outstanding: OUTSTANDING, cores: None, poll: Poll::default() }
    }
}
