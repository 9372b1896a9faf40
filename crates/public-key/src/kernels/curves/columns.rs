//! Words of all lanes, side by side.

/// The most lanes a kernel has.
pub(crate) const MAX_LANES: usize = 8;

/// `N` words of each lane: word 0 of every lane, then word 1, and so on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Columns<const N: usize>(pub [[u64; MAX_LANES]; N]);

impl<const N: usize> Columns<N> {
    pub const ZERO: Self = Columns([[0; MAX_LANES]; N]);

    /// Puts words into a lane.
    pub fn put(&mut self, lane: usize, words: &[u64; N]) {
        self.0.iter_mut().zip(words).for_each(|(column, word)| column[lane] = *word);
    }

    /// Returns the words of a lane.
    pub fn lane(&self, lane: usize) -> [u64; N] {
        self.0.map(|column| column[lane])
    }
}

impl<const N: usize> zeroize::Zeroize for Columns<N> {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(|column| column.zeroize());
    }
}
