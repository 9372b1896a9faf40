//! Builds the padded end of a message (FIPS 180-4, section 5.1; RFC 1321, sections 3.1, 3.2).

use zeroize::Zeroize;

use super::Compression;
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

    /// How many blocks the padded end takes when `rest` bytes follow the last whole block: the
    /// rest, a byte 0x80 and the length, which takes two words.
    #[inline(always)]
    pub(crate) fn count<C: Compression>(rest: usize) -> usize {
        1 + usize::from(rest + 1 + C::BLOCK_LEN / 8 > C::BLOCK_LEN)
    }

    /// The last two words of the padded end of a message of `total` bytes: its length in bits.
    #[inline(always)]
    pub(crate) fn length<C: Compression>(total: u64) -> [C::Word; 2] {
        let bits = total << 3;
        let high = if C::Word::BYTES == 4 { bits >> 32 } else { total >> 61 };
        let [low, high] = [bits, high].map(C::Word::truncate);
        if C::BIG_ENDIAN { [high, low] } else { [low, high] }
    }

    /// Where the blocks are.
    #[inline(always)]
    pub(crate) fn blocks(&mut self) -> *mut u8 {
        self.0[BLOCK..].as_mut_ptr()
    }

    /// Builds the padded end of a message of `total` bytes, whose last `len` bytes are at `data`.
    /// All copies have fixed sizes, except for messages of less than a block.
    ///
    /// # Safety
    /// `data` is readable for `len` bytes, and `total` and `len` differ by a whole number of
    /// blocks.
    #[inline(always)]
    pub(crate) unsafe fn build<C: Compression>(&mut self, data: *const u8, len: usize, total: u64) {
        const { assert!(C::BLOCK_LEN <= BLOCK) };
        let block = C::BLOCK_LEN;
        let rest = len % block;
        let end = Self::count::<C>(rest) * block;
        // SAFETY: `blocks` has BLOCK bytes before it and 2 * BLOCK behind it; `rest < block <=
        // BLOCK`, so the writes lie between `blocks - block` and `blocks + 2 * block`. The caller
        // vouches for the reads.
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

/// # Safety
/// `from` readable and `to` writable for `len` bytes, apart from each other.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's.
    unsafe { core::ptr::copy_nonoverlapping(from, to, len) }
}

/// Copies fewer than 128 bytes with two overlapping copies of a fixed size, the largest that fits.
///
/// # Safety
/// As for [`copy`]; `len < 128`.
#[inline(always)]
unsafe fn copy_short(from: *const u8, to: *mut u8, len: usize) {
    /// # Safety
    /// As for `copy`; `SIZE <= len <= 2 * SIZE`.
    #[inline(always)]
    unsafe fn ends<const SIZE: usize>(from: *const u8, to: *mut u8, len: usize) {
        // SAFETY: both copies lie within the first `len` bytes.
        unsafe {
            copy(from, to, SIZE);
            copy(from.add(len - SIZE), to.add(len - SIZE), SIZE);
        }
    }
    // SAFETY: the caller's; each size is the largest power of two that `len` reaches.
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
