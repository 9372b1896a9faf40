//! DEFLATE, both ways, by miniz_oxide.

use broadloom_engine::{Compression, Ending, Huffman};
use miniz_oxide::DataFormat;
use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::Unsound;

/// miniz_oxide has one window. A smaller one is kept by pieces of its length, which know nothing of
/// each other.
pub(super) fn pack(how: Compression, text: &[u8]) -> Vec<u8> {
    let strategy = match how.huffman {
        Huffman::Dynamic => CompressionStrategy::Default,
        Huffman::Static => CompressionStrategy::Fixed,
    };
    let mut compressor = CompressorOxide::with_params(DataFormat::Raw, how.level, strategy, 15);
    let piece_len = if how.window == 15 { usize::MAX } else { 1 << how.window };
    let mut output = Vec::new();
    let mut rest = text;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(piece_len));
        let ends = after.is_empty() && how.ending == Ending::Final;
        let flush = if ends { TDEFLFlush::Finish } else { TDEFLFlush::Full };
        let (status, read) = compress_to_output(&mut compressor, piece, flush, |bytes| {
            output.extend_from_slice(bytes);
            true
        });
        let expected = if ends { TDEFLStatus::Done } else { TDEFLStatus::Okay };
        assert_eq!((status, read), (expected, piece.len()), "a vector takes everything");
        rest = after;
        if rest.is_empty() {
            return output;
        }
    }
}

pub(super) fn unpack(packed: &[u8], output: &mut [u8]) -> Result<(usize, usize), Unsound> {
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, consumed, produced) =
        decompress(&mut DecompressorOxide::new(), packed, output, 0, flags);
    match status {
        TINFLStatus::Done => Ok((consumed, produced)),
        TINFLStatus::HasMoreOutput => Err(Unsound::TooLong),
        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
            Err(Unsound::Truncated)
        }
        _ => Err(Unsound::Malformed),
    }
}
