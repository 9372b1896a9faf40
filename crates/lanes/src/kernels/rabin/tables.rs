//! Fingerprints by tables, a byte at a time: on any machine.

use super::DEGREE;
use crate::kernels::rabin::WINDOW;

/// Tables for one polynomial.
pub(crate) struct Tables {
    /// What a byte that leaves the window contributes.
    out: [u64; 256],
    /// The multiple of the polynomial with these bits above its degree.
    multiples: [u64; 256],
    /// The bits that are zero at the end of a chunk.
    pub(super) mask: u64,
}

impl Tables {
    pub fn new(polynomial: u64, bits: u32) -> Self {
        let multiples = table(|byte| {
            (0..8).rev().fold(0, |multiple, bit| {
                let missing = ((multiple >> DEGREE) ^ byte) >> bit & 1;
                multiple ^ (missing * (polynomial << bit))
            })
        });
        let mut tables = Tables { out: [0; 256], multiples, mask: (1 << bits) - 1 };
        tables.out = table(|byte| {
            // One more byte than the window has: the byte leaves when the next one is in.
            (0..WINDOW).fold(tables.step(0, byte as u8), |digest, _| tables.step(digest, 0))
        });
        tables
    }

    /// Returns `true` if the fingerprint of a window ends in zeros.
    pub fn ends_chunk(&self, window: &[u8; WINDOW]) -> bool {
        self.digest(window) & self.mask == 0
    }

    /// Returns the end of the first window in `data` whose fingerprint ends in zeros.
    pub fn first(&self, data: &[u8]) -> Option<usize> {
        let (window, rest) = data.split_first_chunk::<WINDOW>()?;
        let mut digest = self.digest(window);
        if digest & self.mask == 0 {
            return Some(WINDOW);
        }
        let end = data.iter().zip(rest).position(|(old, new)| {
            digest = self.slide(digest, *old, *new);
            digest & self.mask == 0
        });
        end.map(|at| WINDOW + at + 1)
    }

    pub(super) fn digest(&self, window: &[u8; WINDOW]) -> u64 {
        window.iter().fold(0, |digest, byte| self.step(digest, *byte))
    }

    /// Returns the fingerprint of the next window.
    #[inline(always)]
    pub(super) fn slide(&self, digest: u64, old: u8, new: u8) -> u64 {
        self.step(digest, new) ^ self.out[old as usize]
    }

    /// Returns the fingerprint of one more byte.
    #[inline(always)]
    fn step(&self, digest: u64, byte: u8) -> u64 {
        (digest << 8 | byte as u64) ^ self.multiples[(digest >> (DEGREE - 8)) as usize]
    }
}

/// Returns a value for each byte.
fn table(value: impl Fn(u64) -> u64) -> [u64; 256] {
    core::array::from_fn(|byte| value(byte as u64))
}
