//! Settings of a compression into frames, and their valid values.

use std::ops::RangeInclusive;

use super::Format;
use crate::format::lz4;
use crate::pipeline::{Plan, Poll};
use crate::settings::{CHUNKS, SettingsError, check_concurrency, within};

/// The shortest and the longest window of zstd, as powers of two.
pub const WINDOWS: RangeInclusive<u8> = 10..=if usize::BITS > 32 { 31 } else { 30 };

/// The window that zstd reads without being asked to, as a power of two.
pub const DEFAULT_WINDOW: u8 = 27;

/// Jobs outstanding for each thread: twice as many go round.
const OUTSTANDING: usize = 2;

/// How an input is compressed into frames.
///
/// ```
/// use broadloom_compression::framed::{Format, Settings};
///
/// let settings = Settings { level: 19, ..Settings::new(Format::Zstd) };
/// assert_eq!(settings.chunk(), 8 << 20);
/// assert_eq!(Settings::levels(Format::Zstd), 1..=19);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The format.
    pub format: Format,
    /// The level: 1 for LZ4, 1 to 19 for zstd.
    pub level: u8,
    /// Bytes of a chunk: 1 KiB to 1 GiB, and to 4 MiB for LZ4; `None`: what
    /// [`chunk`](Settings::chunk()) gives.
    pub chunk: Option<usize>,
    /// `true` if the content says where chunks end, so that a small change in the input is a small
    /// change in the output.
    pub rsyncable: bool,
    /// Threads: 1 to 1024.
    pub threads: usize,
    /// The window in which zstd looks for long matches, as a power of two: 10 to 31. Chunks have as
    /// many bytes, unless asked for otherwise. A reader may have to be told to allow more than
    /// 2^27.
    pub long: Option<u8>,
    /// `true` if each block of LZ4 has a checksum of its own. The whole content always has one, as
    /// has each frame of zstd.
    pub block_checksums: bool,
    /// `true` if each chunk is decompressed again, and compared, before it is written.
    pub verify: bool,
}

impl Settings {
    /// The usual settings for a format: one thread, level 1 of LZ4, level 3 of zstd.
    pub fn new(format: Format) -> Settings {
        Settings {
            format,
            level: Settings::usual_level(format),
            chunk: None,
            rsyncable: false,
            threads: 1,
            long: None,
            block_checksums: false,
            verify: false,
        }
    }

    /// The level where none is asked for.
    pub fn usual_level(format: Format) -> u8 {
        match format {
            Format::Lz4 => 1,
            Format::Zstd => 3,
        }
    }

    /// The levels of a format.
    pub fn levels(format: Format) -> RangeInclusive<u8> {
        match format {
            Format::Lz4 => 1..=1,
            Format::Zstd => 1..=19,
        }
    }

    /// Bytes of a chunk. Longer chunks have more to find matches in, and higher levels look
    /// further; but a file of few chunks keeps few threads busy.
    pub fn chunk(&self) -> usize {
        self.chunk.unwrap_or(match (self.format, self.long, self.level) {
            (Format::Lz4, ..) => 256 << 10,
            (Format::Zstd, Some(window), _) => (1_usize << window).clamp(1 << 20, *CHUNKS.end()),
            (Format::Zstd, None, ..=5) => 1 << 20,
            (Format::Zstd, None, ..=12) => 4 << 20,
            (Format::Zstd, None, _) => 8 << 20,
        })
    }

    /// Bytes that a block of LZ4 stands for, at most.
    pub(super) fn block(&self) -> usize {
        let chunk = self.chunk();
        lz4::BLOCKS.into_iter().find(|&block| block >= chunk).unwrap_or(lz4::BLOCKS[3])
    }

    /// Checks everything.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let format = self.format;
        if !format.is_available() {
            return Err(SettingsError::NoZstd);
        }
        check_concurrency(self.threads, OUTSTANDING, None, Poll::default())?;
        let levels = Settings::levels(format);
        if !levels.contains(&self.level) {
            let (min, max) = (*levels.start(), *levels.end());
            return Err(SettingsError::Level { format, level: self.level, min, max });
        }
        let most = if format == Format::Lz4 { lz4::BLOCKS[3] } else { *CHUNKS.end() };
        within("chunk", "bytes", self.chunk(), *CHUNKS.start(), most)?;
        let of = |set: bool, option: &'static str, valid: Format| match set && format != valid {
            true => Err(SettingsError::OtherFrames { option, format, valid }),
            false => Ok(()),
        };
        of(self.long.is_some(), "long", Format::Zstd)?;
        of(self.block_checksums, "block_checksums", Format::Lz4)?;
        let (min, max) = (usize::from(*WINDOWS.start()), usize::from(*WINDOWS.end()));
        self.long.map_or(Ok(()), |window| within("long", "bits", window.into(), min, max))
    }

    pub(super) fn plan(&self) -> Plan<'_> {
        let outstanding = if self.long.is_some() { 1 } else { OUTSTANDING };
        Plan { threads: self.threads, outstanding, cores: None, poll: Poll::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(settings: Settings) -> String {
        settings.check().expect_err("it is wrong").to_string()
    }

    #[test]
    fn what_is_out_of_range_is_named_with_what_would_be_right() {
        let lz4 = || Settings::new(Format::Lz4);
        assert_eq!(error(Settings { level: 9, ..lz4() }), "level 9 of lz4; valid: 1 to 1");
        assert_eq!(
            error(Settings { chunk: Some(5 << 20), ..lz4() }),
            "chunk: 5242880 bytes; valid: 1024 to 4194304"
        );
        assert_eq!(
            error(Settings { long: Some(27), ..lz4() }),
            "long: lz4 has none; valid for zstd"
        );
        assert_eq!(error(Settings { threads: 0, ..lz4() }), "threads: 0 threads; valid: 1 to 1024");
    }

    #[test]
    fn what_is_out_of_range_of_zstd_is_named_too() {
        let zstd = || Settings::new(Format::Zstd);
        assert_eq!(error(Settings { level: 20, ..zstd() }), "level 20 of zstd; valid: 1 to 19");
        assert_eq!(error(Settings { level: 0, ..zstd() }), "level 0 of zstd; valid: 1 to 19");
        assert_eq!(
            error(Settings { long: Some(9), ..zstd() }),
            format!("long: 9 bits; valid: 10 to {}", WINDOWS.end())
        );
        assert_eq!(
            error(Settings { block_checksums: true, ..zstd() }),
            "block_checksums: zstd has none; valid for lz4"
        );
    }
}
