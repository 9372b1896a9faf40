//! Chunks of an input that comes in pieces.

use broadloom_lanes::RabinSearch;

use crate::Chunker;

/// Bytes of a window that a piece may continue.
const KEPT: usize = RabinSearch::WINDOW - 1;

/// The chunks of an input that comes in pieces of any length: [`Chunker::pieces`]. The caller keeps
/// the bytes.
///
/// ```
/// use broadloom_chunking::{Chunker, Polynomial, Sizes};
///
/// # let polynomial: Polynomial = "3da3358b4dc173".parse()?;
/// # let chunker = Chunker::new(polynomial, Sizes::new(64, 256, 1000)?);
/// let data = [7; 2500];
/// let (mut pieces, mut lengths) = (chunker.pieces(), vec![]);
/// for mut piece in data.chunks(100) {
///     let mut length = pieces.pending();
///     while let Some(end) = pieces.next_end(piece) {
///         lengths.push(length + end);
///         (length, piece) = (0, &piece[end..]);
///     }
/// }
/// lengths.push(pieces.pending());
/// assert_eq!(lengths, [1000, 1000, 500]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    chunker: Chunker,
    /// Bytes of the chunk so far.
    len: usize,
    /// The last of them, as far as a window may begin there.
    kept: [u8; KEPT],
    kept_len: usize,
}

impl Pieces {
    pub(crate) fn new(chunker: Chunker) -> Self {
        Pieces { chunker, len: 0, kept: [0; KEPT], kept_len: 0 }
    }

    /// Returns the number of bytes of `piece` behind which the chunk ends. The caller hands in the
    /// rest of the piece next. `None` if the chunk goes on behind the piece.
    #[must_use]
    pub fn next_end(&mut self, piece: &[u8]) -> Option<usize> {
        let sizes = self.chunker.sizes();
        let piece = &piece[..piece.len().min(sizes.max() - self.len)];
        let skipped = (sizes.min() - RabinSearch::WINDOW).saturating_sub(self.len);
        let skipped = skipped.min(piece.len());
        let searched = &piece[skipped..];
        let end = self.across(searched).or_else(|| self.chunker.first_end(searched));
        let end = end.map(|end| skipped + end);
        let full = (self.len + piece.len() == sizes.max()).then_some(piece.len());
        let end = end.or(full);
        if end.is_some() {
            self.restart();
        } else {
            self.len += piece.len();
            self.keep(searched);
        }
        end
    }

    /// Forgets the chunk that has not ended: the next piece begins an input.
    pub fn restart(&mut self) {
        (self.len, self.kept_len) = (0, 0);
    }

    /// Bytes of the chunk that has not ended: those of the last chunk, when the input ends.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.len
    }

    /// The first end of a window that begins in what is kept.
    fn across(&self, searched: &[u8]) -> Option<usize> {
        let taken = searched.len().min(KEPT);
        let mut joined = [0; 2 * KEPT];
        joined[..self.kept_len].copy_from_slice(&self.kept[..self.kept_len]);
        joined[self.kept_len..][..taken].copy_from_slice(&searched[..taken]);
        let joined = &joined[..if self.kept_len == 0 { 0 } else { self.kept_len + taken }];
        self.chunker.first_end(joined).map(|end| end - self.kept_len)
    }

    fn keep(&mut self, searched: &[u8]) {
        let new = searched.len().min(KEPT);
        let old = self.kept_len.min(KEPT - new);
        self.kept.copy_within(self.kept_len - old..self.kept_len, 0);
        self.kept[old..old + new].copy_from_slice(&searched[searched.len() - new..]);
        self.kept_len = old + new;
    }
}
