//! Compressors of other authors, decoders that follow the standards, and plain checksums.
//!
//! A compressor has more than one right output. A test checks that the output decodes to the data.

mod deflate;
mod dissect;
mod lz4;
mod provider;

use broadloom_engine::{Checksum, Compression, CompressionAlgorithm};

use super::no_reference;

pub use dissect::{Block, BlockKind, Dissected, dissect};
pub(super) use provider::{Packing, work};

/// The output of a decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The uncompressed bytes.
    pub output: Vec<u8>,
    /// Bytes that it read: less than all where a DEFLATE stream ends before its input does.
    pub consumed: usize,
}

/// Why a decoder made nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// No compression makes such bytes.
    #[error("the compressed bytes are wrong")]
    Malformed,
    /// The input ends before the stream does.
    #[error("the compressed bytes end too early")]
    Truncated,
    /// There would be more output than there may be.
    #[error("there is more output than there is room for")]
    TooLong,
}

/// Compresses: DEFLATE at levels 0 to 10, in any window, with either kind of codes and either
/// ending; LZ4 at level 1.
///
/// # Panics
/// At another level.
pub fn pack(algorithm: CompressionAlgorithm, how: Compression, text: &[u8]) -> Vec<u8> {
    assert!(levels(algorithm).contains(&how.level), "{algorithm:?} has no level {}", how.level);
    match algorithm {
        CompressionAlgorithm::Deflate => deflate::pack(how, text),
        CompressionAlgorithm::Lz4 => lz4_flex::block::compress(text),
        _ => no_reference(algorithm),
    }
}

/// Decompresses to at most `limit` bytes.
///
/// # Errors
/// [`Unsound`].
pub fn unpack(
    algorithm: CompressionAlgorithm,
    packed: &[u8],
    limit: usize,
) -> Result<Unpacked, Unsound> {
    let mut room = limit.min(packed.len().saturating_mul(8).max(1 << 12));
    loop {
        let mut output = vec![0; room];
        match unpack_into(algorithm, packed, &mut output) {
            Err(Unsound::TooLong) if room < limit => room = limit.min(2 * room),
            Err(error) => return Err(error),
            Ok((consumed, produced)) => {
                output.truncate(produced);
                return Ok(Unpacked { output, consumed });
            }
        }
    }
}

/// Decompresses into a slice: bytes read and bytes written.
fn unpack_into(
    algorithm: CompressionAlgorithm,
    packed: &[u8],
    output: &mut [u8],
) -> Result<(usize, usize), Unsound> {
    match algorithm {
        CompressionAlgorithm::Deflate => deflate::unpack(packed, output),
        CompressionAlgorithm::Lz4 => lz4::unpack(packed, output),
        _ => no_reference(algorithm),
    }
}

/// Returns the levels that [`pack`] has.
pub(crate) fn levels(algorithm: CompressionAlgorithm) -> std::ops::RangeInclusive<u8> {
    match algorithm {
        CompressionAlgorithm::Deflate => 0..=10,
        CompressionAlgorithm::Lz4 => 1..=1,
        _ => no_reference(algorithm),
    }
}

/// A checksum, byte by byte: CRC-32 as RFC 1952 section 8 has it, Adler-32 as RFC 1950 section 8.2.
pub fn checksum(kind: Checksum, bytes: &[u8]) -> Option<u32> {
    match kind {
        Checksum::None => None,
        Checksum::Crc32 => Some(!bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
        })),
        Checksum::Adler32 => {
            let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| {
                let a = (a + u32::from(*byte)) % 65521;
                (a, (b + a) % 65521)
            });
            Some(b << 16 | a)
        }
        other => panic!("the reference lacks the checksum {other:?}"),
    }
}

#[cfg(test)]
mod tests;
