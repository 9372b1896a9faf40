//! The bytes of sets: noise, in which each block of 8 KiB begins with a stamp of its own.

use std::sync::Arc;

use super::topic::BLOCK;

/// Bytes after which the noise repeats: more than the largest chunk of a repository and than the
/// window of its compression, so that neither finds it.
const NOISE: usize = 16 << 20;

/// Bytes of a stamp.
const STAMP: usize = 8;

/// A set's content.
#[derive(Debug, Clone)]
pub(super) struct Data {
    noise: Arc<[u8]>,
    seed: u64,
}

impl Data {
    /// Content that no other seed has.
    pub fn new(seed: u64) -> Data {
        let mut noise = vec![0; NOISE];
        fastrand::Rng::with_seed(1).fill(&mut noise);
        Data { noise: noise.into(), seed }
    }

    /// Other content, which shares the memory of this one.
    pub fn other(&self, seed: u64) -> Data {
        Data { noise: Arc::clone(&self.noise), seed }
    }

    fn stamp(&self, block: u64) -> [u8; STAMP] {
        let mixed = (self.seed << 40 ^ block).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 32).to_le_bytes()
    }

    /// Fills a buffer with what lies from an offset on.
    pub fn fill(&self, offset: u64, out: &mut [u8]) {
        let mut at = 0;
        while at < out.len() {
            let place = offset + at as u64;
            let within = (place % BLOCK as u64) as usize;
            let part = BLOCK - within;
            let part = part.min(out.len() - at);
            let part = &mut out[at..at + part];
            let from = (place % NOISE as u64) as usize;
            part.copy_from_slice(&self.noise[from..from + part.len()]);
            if within < STAMP {
                let len = (STAMP - within).min(part.len());
                let stamp = self.stamp(place / BLOCK as u64);
                part[..len].copy_from_slice(&stamp[within..within + len]);
            }
            at += part.len();
        }
    }

    /// Returns `true` if the stamps in some bytes are those from an offset on.
    pub fn has_stamps(&self, offset: u64, bytes: &[u8]) -> bool {
        let first = offset.div_ceil(BLOCK as u64);
        let mut at = (first * BLOCK as u64 - offset) as usize;
        for block in first.. {
            let Some(found) = bytes.get(at..at + STAMP) else { break };
            if found != self.stamp(block) {
                return false;
            }
            at += BLOCK;
        }
        true
    }

    /// Returns `true` if some bytes are all as they are from an offset on.
    pub fn is(&self, offset: u64, bytes: &[u8]) -> bool {
        let mut expected = vec![0; bytes.len()];
        self.fill(offset, &mut expected);
        expected == bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_join_and_other_bytes_are_told() {
        let data = Data::new(7);
        let mut whole = vec![0; 5 * BLOCK];
        data.fill(0, &mut whole);
        for (start, len) in [(0, 0), (3, 5), (BLOCK - 3, 2 * BLOCK), (BLOCK + 4, 9000)] {
            let mut part = vec![0; len];
            data.fill(start as u64, &mut part);
            assert_eq!(part, whole[start..start + len]);
            assert!(data.is(start as u64, &part) && data.has_stamps(start as u64, &part));
        }
        assert!(!data.has_stamps(BLOCK as u64, &whole));
        assert!(!data.other(8).has_stamps(0, &whole));
        whole[100] ^= 1;
        assert!(data.has_stamps(0, &whole) && !data.is(0, &whole));
    }

    #[test]
    fn noise_goes_round() {
        let data = Data::new(7);
        let mut part = vec![0; 3 * BLOCK];
        data.fill((NOISE - BLOCK) as u64, &mut part);
        assert!(data.is((NOISE - BLOCK) as u64, &part));
        assert_eq!(part[BLOCK + STAMP..2 * BLOCK], data.noise[STAMP..BLOCK]);
    }
}
