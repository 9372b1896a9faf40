//! What a job says beside its data: ranges, a nonce, a tag.

use std::ops::Range;

use zeroize::Zeroize;

use crate::algorithm::{Counter, MAX_TAG};
use crate::extra::Extra;
use crate::job_error::JobError;

/// A range of the data, or all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub(crate) const ALL: Span = Span { start: 0, end: usize::MAX };

    /// The range, of data of `len` bytes, which it is within.
    #[inline]
    pub(crate) fn of(self, len: usize) -> Range<usize> {
        if self == Span::ALL { 0..len } else { self.start..self.end }
    }

    /// The range within data of `len` bytes; `what` it is that is there.
    #[inline]
    pub(crate) fn within(self, len: usize, what: Extra) -> Result<Range<usize>, JobError> {
        if self == Span::ALL {
            return Ok(0..len);
        }
        if self.start <= self.end && self.end <= len {
            return Ok(self.start..self.end);
        }
        Err(JobError::Range { what, start: self.start, end: self.end, len })
    }
}

impl From<Range<usize>> for Span {
    /// A range to the largest number is no [`ALL`](Span::ALL): no data are so long, nor one byte
    /// shorter.
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end.min(usize::MAX - 1) }
    }
}

/// A nonce, an IV, or a first counter block.
#[derive(Debug, Clone)]
pub(crate) enum Nonce {
    Short {
        len: u8,
        /// The counter that was added to 12 bytes, as the session's cipher starts from it.
        added: Counter,
        bytes: [u8; 16],
    },
    Long(Box<[u8]>),
}

impl Nonce {
    pub(crate) const NONE: Nonce = Nonce::short(0, [0; 16]);

    const fn short(len: u8, bytes: [u8; 16]) -> Self {
        Nonce::Short { len, added: Counter::None, bytes }
    }

    pub(crate) fn new(nonce: &[u8]) -> Self {
        let mut bytes = [0; 16];
        match bytes.get_mut(..nonce.len()) {
            Some(start) => {
                start.copy_from_slice(nonce);
                Nonce::short(nonce.len() as u8, bytes)
            }
            None => Nonce::Long(nonce.into()),
        }
    }

    /// Takes another in its place, and its memory, if it is as long.
    ///
    /// A short one is copied where it stays, by a copy of its own for each usual length: a value
    /// that was made elsewhere and moved here would wait for the stores that made it.
    #[inline]
    pub(crate) fn set(&mut self, nonce: &[u8]) {
        match (self, nonce.len()) {
            (Nonce::Short { len, added, bytes }, 16) => {
                (*len, *added) = (16, Counter::None);
                bytes.copy_from_slice(nonce);
            }
            (Nonce::Short { len, added, bytes }, 12) => {
                (*len, *added) = (12, Counter::None);
                bytes[..12].copy_from_slice(nonce);
            }
            (Nonce::Long(bytes), len) if bytes.len() == len => bytes.copy_from_slice(nonce),
            (place, _) => *place = Nonce::new(nonce),
        }
    }

    /// Adds the counter that a cipher starts from, if the nonce is without.
    pub(crate) fn add_counter(&mut self, counter: Counter) {
        if let Some(bytes) = counter.with(self.as_slice()) {
            *self = Nonce::Short { len: 16, added: counter, bytes };
        }
    }

    /// Takes the counter away that was added: another session may have another, or none.
    #[inline]
    pub(crate) fn remove_counter(&mut self) {
        if let Nonce::Short { added, bytes, .. } = *self {
            match added {
                Counter::None => {}
                Counter::First => *self = Nonce::new(&bytes[4..]),
                Counter::Last => *self = Nonce::new(&bytes[..12]),
            }
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Nonce::Short { len, .. } => usize::from(*len),
            Nonce::Long(bytes) => bytes.len(),
        }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            // Without a panic nothing is left of this where nobody needs the nonce.
            Nonce::Short { len, bytes, .. } => bytes.get(..usize::from(*len)).unwrap_or(bytes),
            Nonce::Long(bytes) => bytes,
        }
    }
}

/// A digest or tag: the one to check, or the one that was made.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub bytes: [u8; MAX_TAG],
    /// Bytes of a tag that the caller gave to be checked, of which no more than [`MAX_TAG`] are
    /// kept.
    pub given: usize,
    /// Where in the data it is, or goes.
    pub at: Option<usize>,
}

impl Tag {
    pub(crate) const NONE: Tag = Tag { bytes: [0; MAX_TAG], given: 0, at: None };
}

impl Drop for Tag {
    fn drop(&mut self) {
        self.bytes[..self.given.min(MAX_TAG)].zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_added_once_and_taken_away() {
        let nonce: [u8; 12] = std::array::from_fn(|i| 1 + i as u8);
        for counter in [Counter::First, Counter::Last] {
            for given in [nonce, [0; 12]] {
                let mut kept = Nonce::new(&given);
                for _ in 0..2 {
                    kept.add_counter(counter);
                    assert_eq!(
                        (kept.len(), Some(kept.as_slice())),
                        (16, counter.with(&given).as_ref().map(|block| &block[..]))
                    );
                }
                kept.remove_counter();
                assert_eq!((kept.len(), kept.as_slice()), (12, given.as_slice()));
                kept.add_counter(Counter::None);
                assert_eq!(kept.as_slice(), given, "that mode has none to add");
                kept.set(&[7; 16]);
                kept.add_counter(counter);
                assert_eq!(kept.as_slice(), [7; 16], "it has one");
            }
        }
    }

    #[test]
    fn a_long_nonce_takes_the_memory_of_the_one_before() {
        let mut nonce = Nonce::new(&[1; 24]);
        let place = nonce.as_slice().as_ptr();
        nonce.set(&[2; 24]);
        assert_eq!((nonce.as_slice(), nonce.as_slice().as_ptr()), ([2; 24].as_slice(), place));
        for other in [[3; 60].as_slice(), &[4; 16], &[], &[5; 17]] {
            nonce.set(other);
            assert_eq!((nonce.len(), nonce.as_slice()), (other.len(), other));
        }
    }
}
