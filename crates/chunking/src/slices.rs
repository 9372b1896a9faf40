//! Chunks of bytes in memory.

use broadloom_lanes::RabinSearch;

use crate::Chunker;

/// The chunks of bytes in memory: [`Chunker::slices`].
#[derive(Clone, Debug)]
pub struct Slices<'a> {
    chunker: &'a Chunker,
    rest: &'a [u8],
}

impl<'a> Slices<'a> {
    pub(crate) fn new(chunker: &'a Chunker, rest: &'a [u8]) -> Self {
        Slices { chunker, rest }
    }
}

impl<'a> Iterator for Slices<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let sizes = self.chunker.sizes();
        let most = self.rest.len().min(sizes.max());
        // The first window ends where the shortest chunk does.
        let skipped = sizes.min() - RabinSearch::WINDOW;
        let searched = self.rest[..most].get(skipped..);
        let end = searched.and_then(|searched| self.chunker.first_end(searched));
        let (chunk, rest) = self.rest.split_at(end.map_or(most, |end| skipped + end));
        self.rest = rest;
        (!chunk.is_empty()).then_some(chunk)
    }
}

impl std::iter::FusedIterator for Slices<'_> {}
