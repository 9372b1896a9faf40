//! Chunk ends that the content determines.
//!
//! A change in the input moves only the ends near the change. The compressed chunks beyond stay the
//! same bytes.

/// Bytes before a chunk's end by which the end is known: those that a [`Cutter`]'s sum still holds.
const WINDOW: usize = u64::BITS as usize;

/// A chunk has at least this share of the bytes that it may have.
const LEAST: usize = 8;

/// From there on one place in so many bytes is an end, as a share of the bytes that a chunk may
/// have.
const MEAN: usize = 4;

/// A number for each byte value. 64 consecutive bytes are summed by these numbers, and each byte
/// shifts the sum by a bit.
const NUMBERS: [u64; 256] = numbers();

/// Sebastiano Vigna's SplitMix64: not for secrets.
const fn numbers() -> [u64; 256] {
    let mut numbers = [0; 256];
    let mut state: u64 = 0;
    let mut index = 0;
    while index < numbers.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[index] = mixed ^ (mixed >> 31);
        index += 1;
    }
    numbers
}

/// Says where chunks end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cutter {
    /// The most bytes of a chunk.
    most: usize,
    /// The bits of the sum that are 0 where a chunk ends; `None`: the content does not matter.
    mask: Option<u64>,
}

impl Cutter {
    /// Chunks of at most `most` bytes, and of just so many unless the content determines their
    /// ends.
    pub(crate) fn new(most: usize, by_content: bool) -> Self {
        let bits = (most / MEAN).max(2).ilog2();
        // The highest bits of the sum depend on all of the window.
        Cutter { most, mask: by_content.then(|| !(u64::MAX >> bits)) }
    }

    /// The most bytes of a chunk.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// The length of an input's first chunk. `bytes` is the whole input, or as much of it as a
    /// chunk may have.
    pub(crate) fn cut(&self, bytes: &[u8]) -> usize {
        let most = self.most.min(bytes.len());
        let Some(mask) = self.mask else { return most };
        let least = (self.most / LEAST).max(1);
        let first = least.saturating_sub(WINDOW);
        let mut sum = 0u64;
        for (place, &byte) in bytes[..most].iter().enumerate().skip(first) {
            sum = (sum << 1).wrapping_add(NUMBERS[usize::from(byte)]);
            if sum & mask == 0 && place + 1 >= least {
                return place + 1;
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(cutter: Cutter, bytes: &[u8]) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut start = 0;
        while start < bytes.len() {
            start += cutter.cut(&bytes[start..]);
            ends.push(start);
        }
        ends
    }

    #[test]
    fn ends_come_back_behind_a_change() {
        let mut random = fastrand::Rng::with_seed(1);
        let before: Vec<u8> = (0..1 << 20).map(|_| random.u8(..)).collect();
        let cutter = Cutter::new(1 << 14, true);
        let old = ends(cutter, &before);
        let lengths = old.windows(2).map(|pair| pair[1] - pair[0]);
        // All chunks but the last, which is the rest.
        let mut all = lengths.take(old.len() - 2);
        assert!(all.all(|len| (1 << 11..=1 << 14).contains(&len)), "{old:?}");
        assert!(old.len() > 100, "{} chunks", old.len());
        let mut after = before.clone();
        after.splice(100_000..100_000, *b"inserted");
        let new = ends(cutter, &after);
        let same = new.iter().filter(|&&end| end > 8 && old.contains(&(end - 8))).count();
        let untouched = old.iter().filter(|&&end| end > 200_000).count();
        assert!(same >= untouched, "{same} ends are the same behind the change, of {untouched}");
    }

    #[test]
    fn chunks_are_as_long_as_asked_for_where_the_content_does_not_matter() {
        let cutter = Cutter::new(1000, false);
        assert_eq!(ends(cutter, &[7; 2500]), [1000, 2000, 2500]);
        // Data without a natural end are cut at the maximum.
        assert_eq!(ends(Cutter::new(1024, true), &[0; 2500]), [1024, 2048, 2500]);
        assert_eq!(Cutter::new(1024, true).cut(&[]), 0);
    }
}
