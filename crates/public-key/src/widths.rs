//! Kernels of one family on one CPU, which differ in how many operations they advance at once.

/// A kernel for one operation, and others for several.
pub(crate) struct Widths<K: 'static> {
    /// One lane.
    pub one: &'static K,
    /// The others, the fewest lanes first, and from how many operations on each of them is faster
    /// than those before.
    pub wide: &'static [(usize, &'static K)],
}

impl<K> Clone for Widths<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Widths<K> {}

impl<K> Widths<K> {
    /// Returns the fastest for so many operations.
    pub(crate) fn pick(&self, operations: usize) -> &'static K {
        let wide = self.wide.iter().rfind(|(from, _)| *from <= operations);
        wide.map_or(self.one, |(_, kernel)| kernel)
    }

    /// Returns the one with the most lanes.
    pub(crate) fn widest(&self) -> &'static K {
        self.wide.last().map_or(self.one, |(_, kernel)| kernel)
    }
}
