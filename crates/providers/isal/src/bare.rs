//! The library alone, called directly: a baseline for the cost of the engine.

use crate::Isal;
use crate::ffi::{Deflater, How};
use crate::session::LEVELS;

/// A compressor of whole buffers to complete DEFLATE streams, with the window of 2^15 bytes and
/// codes made for the data. What it is made of is made once, and used again for every buffer.
pub struct Bare {
    deflater: Deflater,
    how: How,
}

impl Isal {
    /// The library alone, at a level; `None` if there is no such level.
    pub fn bare(&self, level: u8) -> Option<Bare> {
        let how = How { level, window: 15, fixed: false, closes: true };
        LEVELS.contains(&level).then(|| Bare { deflater: Deflater::new(self.library), how })
    }
}

impl Bare {
    /// Compresses a buffer: bytes written, or `None` where that failed, for want of room most
    /// likely.
    pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Option<usize> {
        self.deflater.compress(self.how, input, output).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_compresses_what_fits_at_the_levels_that_there_are() {
        let Some(provider) = broadloom_testing::present("bare igzip", Isal::load(&[])) else {
            return;
        };
        let mut bare = provider.bare(1).expect("there is a level 1");
        let input = b"warp and weft ".repeat(50);
        let mut output = [0; 256];
        let written = bare.compress(&input, &mut output).expect("it fits");
        assert!((1..256).contains(&written));
        assert_eq!(bare.compress(&input, &mut output[..8]), None);
        assert!(provider.bare(4).is_none());
    }
}
