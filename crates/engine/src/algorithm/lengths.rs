//! Which lengths a key, a nonce or a tag may have.

use std::fmt;

/// The lengths, in bytes, that a key, a nonce or a tag may have: prints as `16`, `12 or 16`, `4 to
/// 20`, `4, 8, 12 to 16`, `any` or `none`.
///
/// ```
/// use broadloom_engine::{AeadAlgorithm, AesSize, Algorithm};
///
/// let gcm = Algorithm::Aead(AeadAlgorithm::AesGcm(AesSize::Aes128));
/// assert_eq!(gcm.key_lens().to_string(), "16");
/// assert_eq!(gcm.tag_lens().to_string(), "4, 8, 12 to 16");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lengths {
    /// A bit for each length below 64 that is valid beside the range.
    few: u64,
    first: usize,
    last: usize,
}

impl Lengths {
    /// No bytes: there is no such thing.
    pub const NONE: Lengths = Lengths::exactly(0);
    /// Any number of bytes.
    pub const ANY: Lengths = Lengths::range(0, usize::MAX);

    /// One length.
    pub const fn exactly(len: usize) -> Self {
        Lengths::range(len, len)
    }

    /// All lengths from the first to the last.
    ///
    /// # Panics
    /// If the last is less than the first.
    pub const fn range(first: usize, last: usize) -> Self {
        assert!(first <= last);
        Lengths { few: 0, first, last }
    }

    /// These lengths, and another below 64.
    ///
    /// # Panics
    /// If the other length is 64 or more.
    pub const fn or(self, len: usize) -> Self {
        assert!(len < 64);
        let Lengths { few, first, last } = self;
        let in_range = first <= len && len <= last;
        Lengths { few: if in_range { few } else { few | 1 << len }, first, last }
    }

    /// Returns `true` if a length is valid.
    pub const fn contains(self, len: usize) -> bool {
        self.first <= len && len <= self.last || len < 64 && self.few >> len & 1 == 1
    }

    /// The shortest.
    pub const fn min(self) -> usize {
        let few = self.few.trailing_zeros() as usize;
        if few < self.first { few } else { self.first }
    }

    /// The longest.
    pub const fn max(self) -> usize {
        let few = 63usize.saturating_sub(self.few.leading_zeros() as usize);
        if few > self.last { few } else { self.last }
    }

    /// All of them, the shortest first.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (self.min()..=self.max()).filter(move |len| self.contains(*len))
    }

    /// Returns `true` if there is none but the length 0.
    pub const fn is_none(self) -> bool {
        self.max() == 0
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        if *self == Lengths::ANY {
            return f.write_str("any");
        }
        let Lengths { first, last, .. } = *self;
        let one = |len: usize| (len, len.to_string());
        let few = (0..64).filter(|len| self.few >> len & 1 == 1).map(one);
        let mut parts: Vec<_> = few.collect();
        match last - first {
            0 => parts.push(one(first)),
            1 => parts.extend([one(first), one(last)]),
            _ => parts.push((first, format!("{first} to {last}"))),
        }
        parts.sort();
        let texts: Vec<_> = parts.into_iter().map(|(_, text)| text).collect();
        match texts.as_slice() {
            [one, other] if !other.contains(' ') => write!(f, "{one} or {other}"),
            all => f.write_str(&all.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_contained_and_printed() {
        let tags = Lengths::range(12, 16).or(4).or(8);
        assert_eq!(tags.iter().collect::<Vec<_>>(), [4, 8, 12, 13, 14, 15, 16]);
        assert_eq!((tags.min(), tags.max()), (4, 16));
        assert_eq!(tags.to_string(), "4, 8, 12 to 16");
        let nonces = Lengths::exactly(16).or(12);
        assert_eq!(nonces.iter().collect::<Vec<_>>(), [12, 16]);
        assert_eq!(nonces.to_string(), "12 or 16");
        assert_eq!(Lengths::exactly(12).or(16).to_string(), "12 or 16");
        assert_eq!(
            (Lengths::exactly(12).or(16).max(), Lengths::exactly(16).or(16)),
            (16, Lengths::exactly(16))
        );
        let even = Lengths::exactly(4).or(6).or(8);
        assert_eq!((even.to_string().as_str(), even.min(), even.max()), ("4, 6, 8", 4, 8));
        assert_eq!(Lengths::range(4, 20).to_string(), "4 to 20");
        assert_eq!(Lengths::range(7, 8).to_string(), "7 or 8");
        assert_eq!(Lengths::exactly(16).to_string(), "16");
        assert_eq!((Lengths::NONE.to_string().as_str(), Lengths::NONE.contains(0)), ("none", true));
        assert_eq!(Lengths::ANY.to_string(), "any");
        assert!(Lengths::ANY.contains(usize::MAX) && !Lengths::range(1, 65536).contains(0));
    }
}
