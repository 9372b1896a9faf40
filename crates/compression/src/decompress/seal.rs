//! Proves that a piece of a deflate stream ends between two blocks.
//!
//! A provider decodes whole streams, and does not say where blocks begin. So each piece gets a
//! final block behind it: 32 random bytes, stored. If and only if the piece ends between two
//! blocks, the decoder reads exactly this block last, and its data end with those bytes:
//!
//! - A stored block that runs on into the seal would also put the seal's header into the data, or
//!   end within the seal, where the random bytes would have to be a block.
//! - A block of Huffman codes that runs on into the seal would have to decode 256 random bits to
//!   themselves. No canonical code with an end-of-block symbol does so except by chance, byte after
//!   byte.
//!
//! The author of the input does not know the bytes: they are drawn for every decompression.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Random bytes.
const RANDOM: usize = 32;
/// The header of a final stored block, with its length and the complement of that.
const HEADER: [u8; 5] = [1, RANDOM as u8, 0, !(RANDOM as u8), 0xff];

/// A seal.
#[derive(Debug, Clone)]
pub(super) struct Seal([u8; Seal::LEN]);

impl Seal {
    /// Bytes that it has.
    pub(super) const LEN: usize = HEADER.len() + RANDOM;

    /// An unpredictable seal.
    pub(super) fn new() -> Self {
        let mut seal = [0; Seal::LEN];
        seal[..HEADER.len()].copy_from_slice(&HEADER);
        for word in seal[HEADER.len()..].chunks_exact_mut(8) {
            // The standard library's keys are the system's random numbers.
            word.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
        }
        Seal(seal)
    }

    /// The block that goes behind a part.
    pub(super) fn block(&self) -> &[u8] {
        &self.0
    }

    /// The data of a part out of what a sealed one was decoded to; `None` if it was not decoded up
    /// to the seal and ended there.
    pub(super) fn open<'d>(&self, decoded: &'d [u8]) -> Option<&'d [u8]> {
        let data = decoded.strip_suffix(&self.0[HEADER.len()..])?;
        (!data.ends_with(&HEADER)).then_some(data)
    }

    /// The CRC-32 of the data, computed from the CRC-32 of the data with their seal.
    pub(super) fn crc(&self, sealed: u32) -> u32 {
        const POLYNOMIAL: u32 = 0xedb8_8320;
        let random = &self.0[HEADER.len()..];
        let state = random.iter().rev().fold(!sealed, |state, &byte| {
            // The highest bit is set by a step that took the polynomial, and by no other.
            let back = |state: u32| match state >> 31 {
                0 => state << 1,
                _ => (state ^ POLYNOMIAL) << 1 | 1,
            };
            (0..8).fold(state, |state, _| back(state)) ^ u32::from(byte)
        });
        !state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::{Finding, diagnose};

    #[test]
    fn a_seal_is_a_final_block_and_no_two_are_the_same() {
        let seal = Seal::new();
        let sound = Finding::Sound { stream: Seal::LEN as u64, data: RANDOM as u64 };
        assert_eq!(diagnose(seal.block()), sound);
        assert_ne!(seal.block(), Seal::new().block());
    }

    #[test]
    fn what_a_seal_adds_is_taken_away_again() {
        let seal = Seal::new();
        let random = &seal.block()[HEADER.len()..];
        for len in [0usize, 1, 5, 32, 1000] {
            let data: Vec<u8> = (0..len).map(|index| (index * 7) as u8).collect();
            let sealed = [&data, random].concat();
            assert_eq!(seal.open(&sealed), Some(&data[..]));
            assert_eq!(seal.crc(crc32fast::hash(&sealed)), crc32fast::hash(&data));
            assert_eq!(seal.open(&[&data, seal.block()].concat()), None, "put out with its header");
            assert_eq!(seal.open(&sealed[..sealed.len() - 1]), None);
            assert_eq!(Seal::new().open(&sealed), None, "another's");
        }
    }
}
