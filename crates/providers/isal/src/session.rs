//! Sessions: the parameters of a compression.

use std::ops::RangeInclusive;

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Checksum, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Transform,
};

use crate::ffi::{How, Libisal};

/// igzip's levels.
pub(crate) const LEVELS: RangeInclusive<u8> = 0..=3;
/// The largest stored block, in bytes.
const BLOCK: usize = 65_535;
/// The size of its header.
const HEADER: usize = 5;

/// A session of the provider.
pub(crate) struct IsalSession {
    library: &'static Libisal,
    pub work: IsalWork,
    checksum: Checksum,
}

/// The operation of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum IsalWork {
    Compress(How),
    Decompress,
}

impl IsalSession {
    pub(crate) fn open(
        library: &'static Libisal,
        transform: &Transform,
    ) -> Result<IsalSession, ProviderError> {
        let algorithm = transform.algorithm();
        let (Algorithm::Compression(CompressionAlgorithm::Deflate), Some(compression)) =
            (algorithm, transform.compression())
        else {
            return Err(ProviderError::new(format!("isal has no {algorithm}; it has deflate")));
        };
        let work = match transform.direction() {
            Direction::Compress => IsalWork::Compress(how(compression)?),
            _ => IsalWork::Decompress,
        };
        Ok(IsalSession { library, work, checksum: compression.checksum })
    }

    /// The session's checksum of uncompressed bytes.
    pub(crate) fn checksum(&self, bytes: &[u8]) -> Option<u32> {
        match self.checksum {
            Checksum::Crc32 => Some(self.library.crc32(bytes)),
            Checksum::Adler32 => Some(self.library.adler32(bytes)),
            _ => None,
        }
    }
}

fn how(compression: Compression) -> Result<How, ProviderError> {
    let Compression { level, window, huffman, ending, .. } = compression;
    if !LEVELS.contains(&level) {
        return Err(ProviderError::new(format!("isal has no level {level}; valid: 0 to 3")));
    }
    if huffman == Huffman::Static && level != 0 {
        return Err(ProviderError::new(format!(
            "isal makes codes of its own at level {level}; valid: level 0 for static codes, or \
             dynamic"
        )));
    }
    let (fixed, closes) = (huffman == Huffman::Static, ending == Ending::Final);
    Ok(How { level, window, fixed, closes })
}

impl ProviderSession for IsalSession {
    fn kernel(&self) -> String {
        "isal igzip".to_owned()
    }

    fn instruction_set(&self) -> String {
        "isal".to_owned()
    }

    /// Stored blocks, which the library falls back to if the room is no more.
    fn bound(&self, len: usize) -> usize {
        len.saturating_add(HEADER * len.div_ceil(BLOCK).max(1))
    }
}
