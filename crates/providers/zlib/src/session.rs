//! Sessions: the parameters of a stream.

use std::ops::RangeInclusive;

use broadloom_engine::provider::{ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Direction, Ending, Huffman, Transform,
};

use crate::codec::{Library, Shape};

/// zlib's levels: 0 stores, 9 searches longest.
pub(crate) const LEVELS: RangeInclusive<u8> = 0..=9;
/// Its windows, as logarithms, for DEFLATE without a header of its own.
const WINDOWS: RangeInclusive<u8> = 9..=15;
/// The size of an empty stored block and the byte before it, and a byte to see that there is room
/// left.
const FLUSH: usize = 6;

/// A session of the provider.
pub(crate) struct ZlibSession {
    pub work: ZlibWork,
    /// Other than the library's own choice of blocks, which expands less: see
    /// [`ZlibSession::bound`].
    loose: bool,
    kernel: String,
}

/// The operation of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ZlibWork {
    Compress { shape: Shape, closes: bool },
    Decompress,
}

impl ZlibSession {
    pub(crate) fn open(
        library: &Library,
        transform: &Transform,
    ) -> Result<ZlibSession, ProviderError> {
        let algorithm = transform.algorithm();
        let (Algorithm::Compression(CompressionAlgorithm::Deflate), Some(compression)) =
            (algorithm, transform.compression())
        else {
            return Err(ProviderError::new(format!("zlib has no {algorithm}; it has deflate")));
        };
        let work = match transform.direction() {
            Direction::Compress => {
                let shape = shape(compression)?;
                ZlibWork::Compress { shape, closes: compression.ending == Ending::Final }
            }
            _ => ZlibWork::Decompress,
        };
        let plain = compression.window == 15 && compression.huffman == Huffman::Dynamic;
        let loose = !(plain && matches!(library, Library::System(_)));
        Ok(ZlibSession { work, loose, kernel: library.name() })
    }
}

fn shape(compression: Compression) -> Result<Shape, ProviderError> {
    let Compression { level, window, huffman, .. } = compression;
    if !LEVELS.contains(&level) {
        return Err(ProviderError::new(format!("zlib has no level {level}; valid: 0 to 9")));
    }
    if !WINDOWS.contains(&window) {
        return Err(ProviderError::new(format!(
            "zlib has no window of 2^{window} bytes for raw deflate; valid: 2^9 to 2^15"
        )));
    }
    Ok(Shape { level, window, fixed: huffman == Huffman::Static })
}

impl ProviderSession for ZlibSession {
    fn kernel(&self) -> String {
        self.kernel.clone()
    }

    fn instruction_set(&self) -> String {
        self.kernel.clone()
    }

    /// As `deflateBound` has it, and what an ending without a final block takes. With zlib's own
    /// choice of codes and the largest window what does not compress is stored in blocks of 16 KiB;
    /// elsewhere codes of 9 bits may be used for what could not be stored any more.
    fn bound(&self, len: usize) -> usize {
        let blocks = if self.loose {
            (len >> 3) + (len >> 6)
        } else {
            (len >> 12) + (len >> 14) + (len >> 25)
        };
        len.saturating_add(blocks + 13 + FLUSH)
    }
}
