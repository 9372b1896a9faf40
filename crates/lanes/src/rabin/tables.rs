//! Fingerprints by tables, a byte at a time: on any machine.

use super::{DEGREE, RabinSearch};

const WINDOW: usize = RabinSearch::WINDOW;

/// Tables for one polynomial.
pub(crate) struct Tables {
    /// What a byte that leaves the window contributes.
    out: [u64; 256],
    /// The multiple of the polynomial with these bits above its degree.
    multiples: [u64; 256],
    /// The bits that are zero at the end of a chunk.
    mask: u64,
}

impl Tables {
    pub fn new(polynomial: u64, bits: u32) -> Self {
        let multiples = table(|byte| {
            (0..8).rev().fold(0, |multiple, bit| {
                let missing = (multiple >> DEGREE ^ byte) >> bit & 1;
                multiple ^ (missing * (polynomial << bit))
            })
        });
        let mut tables = Tables { out: [0; 256], multiples, mask: (1 << bits) - 1 };
        tables.out = table(|byte| {
            // One more byte than the window has: the table is used behind the step.
            (0..WINDOW).fold(tables.step(0, byte as u8), |digest, _| tables.step(digest, 0))
        });
        tables
    }

    /// The end of the first window whose fingerprint ends in zeros.
    pub fn first(&self, data: &[u8]) -> Option<usize> {
        let (window, rest) = data.split_at_checked(WINDOW)?;
        let digest = window.iter().fold(0, |digest, byte| self.step(digest, *byte));
        if digest & self.mask == 0 {
            return Some(WINDOW);
        }
        let mut digest = digest;
        let ends = data.iter().zip(rest).position(|(old, new)| {
            digest = self.step(digest, *new) ^ self.out[*old as usize];
            digest & self.mask == 0
        });
        ends.map(|at| WINDOW + at + 1)
    }

    /// The fingerprint of one more byte.
    #[inline(always)]
    fn step(&self, digest: u64, byte: u8) -> u64 {
        (digest << 8 | byte as u64) ^ self.multiples[(digest >> (DEGREE - 8)) as usize]
    }
}

/// A value for each byte.
fn table(value: impl Fn(u64) -> u64) -> [u64; 256] {
    core::array::from_fn(|byte| value(byte as u64))
}
