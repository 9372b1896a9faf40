//! The library alone, called directly: a baseline for the cost of the engine.

use crate::Zlib;
use crate::codec::{Deflater, Shape};
use crate::session::LEVELS;

/// A compressor of whole buffers to complete DEFLATE streams, with the window of 2^15 bytes and
/// codes made for the data. What it is made of is made once, and used again for every buffer.
pub struct Bare(Deflater);

impl Zlib {
    /// The library alone, at a level; `None` if there is no such level, or no memory.
    pub fn bare(&self, level: u8) -> Option<Bare> {
        let shape = Shape { level, window: 15, fixed: false };
        let level = LEVELS.contains(&level);
        level.then(|| Deflater::new(&self.library, shape).ok())?.map(Bare)
    }
}

impl Bare {
    /// Compresses a buffer: bytes written, or `None` where that failed, for want of room most
    /// likely.
    pub fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Option<usize> {
        self.0.compress(input, output, true).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_compresses_what_fits_at_the_levels_that_there_are() {
        let provider = Zlib::load(&[]).expect("there is one of the two libraries");
        let mut bare = provider.bare(1).expect("there is a level 1");
        let input = b"warp and weft ".repeat(50);
        let mut output = [0; 256];
        let written = bare.compress(&input, &mut output).expect("it fits");
        assert!((1..256).contains(&written));
        assert_eq!(bare.compress(&input, &mut output[..8]), None);
        assert!(provider.bare(10).is_none());
    }
}
