//! The padded end of a message, built beside it (FIPS 202, sections 5.1 and B.2).

use zeroize::Zeroize;

use crate::kernels::sponge::kernel::{MAX_RATE, Rate};

/// Room for the last one or two blocks of a message.
#[repr(C, align(64))]
pub(super) struct Tail([u8; 2 * MAX_RATE]);

impl Tail {
    pub const EMPTY: Tail = Tail([0; 2 * MAX_RATE]);

    /// Builds the end of a message: the bytes behind the last whole block, `trailer`, the suffix,
    /// zeros, and the padding's last bit. Returns the number of blocks.
    ///
    /// # Safety
    /// - `rest` is readable for `len` bytes, fewer than a block.
    /// - `trailer` is shorter than a block.
    #[inline(always)]
    pub unsafe fn build(
        &mut self,
        rate: Rate,
        (rest, len): (*const u8, usize),
        trailer: &[u8],
        suffix: u8,
    ) -> usize {
        let rate = rate.bytes();
        let at = len + trailer.len();
        let blocks = 1 + at / rate;
        debug_assert!(len < rate && trailer.len() < rate, "the end takes two blocks at most");
        // SAFETY: `rest` is readable for `len` bytes, by this function's contract. `at` is less
        // than two blocks, and the tail has room for two of the longest.
        unsafe {
            let tail = self.0.as_mut_ptr();
            core::ptr::copy_nonoverlapping(rest, tail, len);
            core::ptr::copy_nonoverlapping(trailer.as_ptr(), tail.add(len), trailer.len());
            tail.add(at).write_bytes(0, blocks * rate - at);
            tail.add(at).write(suffix);
            *tail.add(blocks * rate - 1) |= 0x80;
        }
        blocks
    }
}

impl Zeroize for Tail {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Zeros for the blocks that squeezing adds, which change nothing.
pub(super) static ZEROS: [u8; MAX_RATE] = [0; MAX_RATE];

/// The integer encodings of SP 800-185, section 2.3.1: the bytes of a number, the most significant
/// first, with their count on one side.
pub(super) struct Encoded {
    bytes: [u8; 10],
    count: usize,
}

impl Encoded {
    pub fn new(number: u64) -> Self {
        let count = (number.max(1).ilog2() / 8 + 1) as usize;
        let mut bytes = [0; 10];
        bytes[0] = count as u8;
        bytes[1..9].copy_from_slice(&(number << (64 - 8 * count)).to_be_bytes());
        bytes[1 + count] = count as u8;
        Encoded { bytes, count }
    }

    /// Returns `left_encode`: the count first.
    pub fn left(&self) -> &[u8] {
        &self.bytes[..=self.count]
    }

    /// Returns `right_encode`: the count last.
    pub fn right(&self) -> &[u8] {
        &self.bytes[1..2 + self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_encoded_as_sp_800_185_says() {
        for (number, left, right) in [
            (0, &[1, 0][..], &[0, 1][..]),
            (1, &[1, 1], &[1, 1]),
            (168, &[1, 168], &[168, 1]),
            (256, &[2, 1, 0], &[1, 0, 2]),
            (0x0001_0203, &[3, 1, 2, 3], &[1, 2, 3, 3]),
            (
                u64::MAX,
                &[8, 255, 255, 255, 255, 255, 255, 255, 255],
                &[255, 255, 255, 255, 255, 255, 255, 255, 8],
            ),
        ] {
            assert_eq!(Encoded::new(number).left(), left);
            assert_eq!(Encoded::new(number).right(), right);
        }
    }
}
