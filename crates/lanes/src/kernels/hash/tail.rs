//! Builds the padded end of a message (FIPS 180-4, section 5.1; RFC 1321, sections 3.1, 3.2).

use zeroize::Zeroize;

use super::compression::Compression;
use crate::vector::Word;

/// The longest block there is.
const BLOCK: usize = 128;

/// Room for the last one or two blocks of a message, and before them for the bytes that come along
/// when the message's last block is copied whole.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Tail([u8; 3 * BLOCK]);

impl Tail {
    pub(crate) const EMPTY: Tail = Tail([0; 3 * BLOCK]);

    /// Returns the number of blocks that the padded end takes when `rest` bytes follow the last
    /// whole block: the rest, a byte 0x80 and the length, which takes two words.
    #[inline(always)]
    pub(crate) fn count<C: Compression>(rest: usize) -> usize {
        1 + usize::from(rest + 1 + C::BLOCK_LEN / 8 > C::BLOCK_LEN)
    }

    /// Returns the last two words of the padded end of a message of `total` bytes: its length in
    /// bits.
    #[inline(always)]
    pub(crate) fn length<C: Compression>(total: u64) -> [C::Word; 2] {
        let bits = total << 3;
        let high = if C::Word::BYTES == 4 { bits >> 32 } else { total >> 61 };
        let [low, high] = [bits, high].map(C::Word::truncate);
        if C::BIG_ENDIAN { [high, low] } else { [low, high] }
    }

    /// Returns a pointer to the blocks of the padded end.
    #[inline(always)]
    pub(crate) fn blocks(&mut self) -> *mut u8 {
        self.0[BLOCK..].as_mut_ptr()
    }

    /// Builds the padded end of a message of `total` bytes, whose last `len` bytes are at `data`.
    /// All copies have fixed sizes, except for messages of less than a block.
    ///
    /// # Safety
    /// - `data` is readable for `len` bytes.
    /// - `total - len` is a whole number of blocks, and `total` is not below `len`.
    #[inline(always)]
    pub(crate) unsafe fn build<C: Compression>(&mut self, data: *const u8, len: usize, total: u64) {
        const { assert!(C::BLOCK_LEN <= BLOCK) };
        let block = C::BLOCK_LEN;
        let rest = len % block;
        let end = Self::count::<C>(rest) * block;
        // SAFETY: `blocks` has BLOCK bytes before it and 2 * BLOCK bytes behind it, and `rest <
        // block <= BLOCK`, so that all writes lie between `blocks - block` and `blocks + 2 *
        // block`. The reads lie within the `len` bytes at `data`, which are readable by this
        // function's contract: a whole block is only copied if `len >= block`, and else `len ==
        // rest`.
        unsafe {
            let blocks = self.blocks();
            if rest == 0 {
                // Nothing, where the lengths of packets and chunks are often such.
            } else if len >= block {
                copy(data.add(len - block), blocks.add(rest).sub(block), block);
            } else {
                copy_short(data, blocks, rest);
            }
            blocks.add(rest).write_bytes(0, block);
            blocks.add(rest).write(0x80);
            let length = blocks.add(end - 8).cast::<u64>();
            let bits = total << 3;
            length.write_unaligned(if C::BIG_ENDIAN { bits.to_be() } else { bits.to_le() });
            if block == 128 {
                length.sub(1).write_unaligned((total >> 61).to_be());
            }
        }
    }
}

impl Zeroize for Tail {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Copies `len` bytes.
///
/// # Safety
/// - `from` is readable and `to` is writable for `len` bytes.
/// - The two ranges do not overlap.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: these are the conditions of this function's own contract.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len) }
}

/// Copies fewer than 128 bytes with two overlapping copies of a fixed size, the largest that fits.
///
/// # Safety
/// The conditions of [`copy`]; `len < 128`.
#[inline(always)]
unsafe fn copy_short(from: *const u8, to: *mut u8, len: usize) {
    /// Copies the first and the last `SIZE` bytes.
    ///
    /// # Safety
    /// The conditions of `copy`; `SIZE <= len <= 2 * SIZE`.
    #[inline(always)]
    unsafe fn ends<const SIZE: usize>(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: `SIZE <= len` by this function's contract, so both copies lie within the `len`
        // bytes.
        unsafe {
            copy(from, to, SIZE);
            copy(from.add(len - SIZE), to.add(len - SIZE), SIZE);
        }
    }
    // SAFETY: `from` and `to` are valid for `len` bytes by this function's contract; in each arm
    // `SIZE <= len <= 2 * SIZE`, in the last one because `len < 128`.
    unsafe {
        match len {
            0 => {}
            1 => copy(from, to, 1),
            2..4 => ends::<2>(from, to, len),
            4..8 => ends::<4>(from, to, len),
            8..16 => ends::<8>(from, to, len),
            16..32 => ends::<16>(from, to, len),
            32..64 => ends::<32>(from, to, len),
            _ => ends::<64>(from, to, len),
        }
    }
}
