//! The reference's sessions and queues for compression.

use broadloom_engine::provider::{CompressionParts, Progress, ProviderError, ProviderSession};
use broadloom_engine::{
    Algorithm, Compression, CompressionAlgorithm, Direction, Ending, Huffman, JobError, Transform,
};

use super::{Unsound, checksum, levels, no_reference, pack, unpack_into};

/// A compression or a decompression.
pub(in crate::reference) struct Packing {
    algorithm: CompressionAlgorithm,
    compresses: bool,
    how: Compression,
}

impl Packing {
    /// The session for a transform, if it is of this kind.
    pub fn open(transform: &Transform) -> Option<Result<Self, ProviderError>> {
        let (Algorithm::Compression(algorithm), Some(how)) =
            (transform.algorithm(), transform.compression())
        else {
            return None;
        };
        let compresses = transform.direction() == Direction::Compress;
        let session = Packing { algorithm, compresses, how };
        Some(session.check().map(|()| session))
    }

    fn check(&self) -> Result<(), ProviderError> {
        let Compression { level, window, huffman, ending, .. } = self.how;
        let levels = levels(self.algorithm);
        let reason = match self.algorithm {
            _ if !self.compresses => return Ok(()),
            _ if !levels.contains(&level) => {
                let (first, last) = (levels.start(), levels.end());
                format!("no level {level}; valid: {first} to {last}")
            }
            CompressionAlgorithm::Lz4 if window != 15 => {
                format!("LZ4 has one window, not one of 2^{window} bytes; valid: 15")
            }
            CompressionAlgorithm::Lz4 if huffman != Huffman::Dynamic => {
                "LZ4 has no Huffman codes to be static; valid: dynamic".to_owned()
            }
            CompressionAlgorithm::Lz4 if ending != Ending::Final => {
                "an LZ4 block cannot be open; valid: final".to_owned()
            }
            _ => return Ok(()),
        };
        Err(ProviderError::new(reason))
    }

    /// Compresses all that there is room for, halving it until it fits.
    fn pack(&self, input: &[u8], output: &mut [u8]) -> Progress {
        let mut how = self.how;
        let mut part = input;
        let mut packed = pack(self.algorithm, how, part);
        while packed.len() > output.len() {
            part = &part[..part.len() / 2];
            if self.algorithm == CompressionAlgorithm::Lz4 || part.is_empty() {
                return Progress::FULL;
            }
            how.ending = Ending::Open;
            packed = pack(self.algorithm, how, part);
        }
        output[..packed.len()].copy_from_slice(&packed);
        Progress {
            consumed: part.len(),
            produced: packed.len(),
            full: part.len() < input.len(),
            checksum: checksum(how.checksum, part),
        }
    }

    fn unpack(&self, input: &[u8], output: &mut [u8]) -> Result<Progress, JobError> {
        match unpack_into(self.algorithm, input, output) {
            Ok((consumed, produced)) => {
                let checksum = checksum(self.how.checksum, &output[..produced]);
                Ok(Progress { consumed, produced, full: false, checksum })
            }
            Err(Unsound::TooLong) => Ok(Progress::FULL),
            Err(Unsound::Malformed) => Err(JobError::Malformed),
            Err(Unsound::Truncated) => Err(JobError::Truncated),
        }
    }
}

/// The result of an attempt.
pub(in crate::reference) fn work(
    parts: CompressionParts<'_, Packing>,
) -> Result<Progress, JobError> {
    let CompressionParts { session, input, output } = parts;
    if session.compresses { Ok(session.pack(input, output)) } else { session.unpack(input, output) }
}

impl ProviderSession for Packing {
    fn kernel(&self) -> String {
        match self.algorithm {
            CompressionAlgorithm::Deflate => "miniz_oxide",
            CompressionAlgorithm::Lz4 => "lz4_flex",
            other => no_reference(other),
        }
        .to_owned()
    }

    /// Static codes take up to nine bits for a byte, and every piece of a window's length ends with
    /// an empty block.
    fn bound(&self, len: usize) -> usize {
        let pieces = (len >> self.how.window) + 1;
        len.saturating_add(len / 8 + len / 64 + 16 * pieces + 64)
    }
}
