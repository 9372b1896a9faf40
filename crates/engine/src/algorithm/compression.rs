//! What compressions and decompressions can be asked for.

/// Which Huffman codes DEFLATE uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Huffman {
    /// Those that fit the data, where they make them smaller.
    #[default]
    Dynamic,
    /// The fixed ones of RFC 1951 section 3.2.6.
    Static,
}

/// A checksum of the uncompressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Checksum {
    /// None.
    #[default]
    None,
    /// CRC-32, as in gzip (RFC 1952).
    Crc32,
    /// Adler-32, as in zlib (RFC 1950).
    Adler32,
}

/// How a compressed chunk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ending {
    /// It is a complete DEFLATE stream.
    #[default]
    Final,
    /// It ends on a byte boundary, without a final block, so that more can follow.
    Open,
}

/// How to compress: level, window, Huffman codes, checksum, ending.
///
/// Chunks are compressed on their own: no state goes from one to the next.
///
/// ```
/// use broadloom_engine::{
///     Checksum, Compression, CompressionAlgorithm, Direction, Transform, TransformError,
/// };
///
/// let how = Compression { level: 6, checksum: Checksum::Crc32, ..Compression::default() };
/// let transform = Transform::compress(CompressionAlgorithm::Deflate, how)?;
/// assert_eq!(transform.direction(), Direction::Compress);
///
/// let too_far = Compression { window: 16, ..how };
/// assert!(Transform::compress(CompressionAlgorithm::Deflate, too_far).is_err());
/// # Ok::<(), TransformError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Compression {
    /// The library's own level: [`Provider::levels`](crate::provider::Provider::levels) says which
    /// there are.
    pub level: u8,
    /// How far back matches may lie: the logarithm, to base 2, of a number of bytes; 8 to 15.
    pub window: u8,
    /// Which Huffman codes.
    pub huffman: Huffman,
    /// The checksum that comes with it.
    pub checksum: Checksum,
    /// How it ends.
    pub ending: Ending,
}

impl Compression {
    /// The windows that DEFLATE has.
    pub const WINDOWS: std::ops::RangeInclusive<u8> = 8..=15;
}

impl Default for Compression {
    fn default() -> Self {
        Compression {
            level: 1,
            window: 15,
            huffman: Huffman::Dynamic,
            checksum: Checksum::None,
            ending: Ending::Final,
        }
    }
}
