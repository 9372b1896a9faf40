//! Sessions: the level of the compressor.

use std::ops::RangeInclusive;

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Transform,
};

use crate::ffi;
use crate::reopen::MARKER;

/// libdeflate's levels: 0 stores, 10 to 12 search for near-optimal matches.
pub(crate) const LEVELS: RangeInclusive<u8> = 0..=12;

/// A session of the provider.
pub(crate) struct LibdeflateSession {
    pub work: LibdeflateWork,
    checksum: Checksum,
}

/// The operation of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LibdeflateWork {
    Compress { level: u8, ending: Ending },
    Decompress,
}

impl LibdeflateSession {
    pub(crate) fn open(transform: &Transform) -> Result<LibdeflateSession, ProviderError> {
        let algorithm = transform.algorithm();
        let (Algorithm::Compression(CompressionAlgorithm::Deflate), Some(compression)) =
            (algorithm, transform.compression())
        else {
            return Err(ProviderError::new(format!(
                "libdeflate has no {algorithm}; it has deflate"
            )));
        };
        let work = match transform.direction() {
            Direction::Compress => {
                check(compression)?;
                LibdeflateWork::Compress { level: compression.level, ending: compression.ending }
            }
            _ => LibdeflateWork::Decompress,
        };
        Ok(LibdeflateSession { work, checksum: compression.checksum })
    }

    /// The session's checksum of uncompressed bytes.
    pub(crate) fn checksum(&self, bytes: &[u8]) -> Option<u32> {
        match self.checksum {
            Checksum::Crc32 => Some(ffi::crc32(bytes)),
            Checksum::Adler32 => Some(ffi::adler32(bytes)),
            _ => None,
        }
    }
}

fn check(compression: Compression) -> Result<(), ProviderError> {
    let Compression { level, window, huffman, .. } = compression;
    if !LEVELS.contains(&level) {
        return Err(ProviderError::new(format!("libdeflate has no level {level}; valid: 0 to 12")));
    }
    if window != 15 {
        return Err(ProviderError::new(format!(
            "libdeflate has no window of 2^{window} bytes; valid: 2^15"
        )));
    }
    if huffman == Huffman::Static {
        return Err(ProviderError::new(
            "libdeflate cannot be held to static codes: it chooses each block's itself; valid: \
             dynamic",
        ));
    }
    Ok(())
}

impl ProviderSession for LibdeflateSession {
    fn kernel(&self) -> String {
        "libdeflate".to_owned()
    }

    fn instruction_set(&self) -> String {
        self.kernel()
    }

    fn bound(&self, len: usize) -> usize {
        ffi::bound(len).saturating_add(MARKER)
    }
}
