//! Blocks.

use broadloom_engine::JobError;
use lz4_flex::block::{
    CompressTable, DecompressError, compress_into_with_table, decompress_into,
    get_maximum_output_size,
};

/// The most that a block may be made of: the limit of the format's own library, which counts in 32
/// bits with a sign.
const MAX_INPUT: usize = 0x7e00_0000;

/// Tables of where bytes were seen, to find matches with.
pub(crate) struct Tables {
    /// Of data whose places fit in 16 bits.
    small: CompressTable,
    large: Option<CompressTable>,
}

impl Tables {
    pub(crate) fn new() -> Tables {
        Tables { small: CompressTable::small(), large: None }
    }

    /// Makes a block: bytes written, or `None` if there was less room than the [`bound`].
    ///
    /// # Errors
    /// [`JobError::TooLong`].
    pub(crate) fn compress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Option<usize>, JobError> {
        if input.len() > MAX_INPUT {
            return Err(JobError::TooLong { len: input.len(), max: MAX_INPUT as u64 });
        }
        let table = if input.len() < usize::from(u16::MAX) {
            &mut self.small
        } else {
            self.large.get_or_insert_with(CompressTable::large)
        };
        // Too little room is its only error.
        Ok(compress_into_with_table(input, output, table).ok())
    }
}

/// Room that a block of `len` bytes is never longer than.
pub(crate) fn bound(len: usize) -> usize {
    get_maximum_output_size(len)
}

/// Reads a block: bytes written, or `None` if there was too little room.
///
/// # Errors
/// [`JobError::Malformed`] and [`JobError::Truncated`].
pub(crate) fn decompress(block: &[u8], output: &mut [u8]) -> Result<Option<usize>, JobError> {
    match decompress_into(block, output) {
        Ok(produced) => Ok(Some(produced)),
        Err(DecompressError::OutputTooSmall { .. }) => Ok(None),
        Err(DecompressError::ExpectedAnotherByte | DecompressError::LiteralOutOfBounds) => {
            Err(JobError::Truncated)
        }
        Err(_) => Err(JobError::Malformed),
    }
}
