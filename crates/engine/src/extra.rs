//! What a job may be given beside its data and a nonce, by name.

use std::fmt;

/// What a job may be given beside its data and a nonce. Not every session
/// [takes](crate::JobError::NotTaken) each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extra {
    /// [`Job::cipher_range`](crate::Job::cipher_range): for ciphers, AEADs and chains.
    CipherRange,
    /// [`Job::mac_range`](crate::Job::mac_range): for hashes, MACs and chains.
    MacRange,
    /// [`Job::tag_at`](crate::Job::tag_at): for all that have a digest or a tag.
    TagPlace,
    /// [`Job::associated`](crate::Job::associated), if there are any: for AEADs.
    Associated,
    /// [`Job::expect_tag`](crate::Job::expect_tag): for what checks a tag.
    ExpectedTag,
    /// [`Job::bits`](crate::Job::bits): for what [counts bits](crate::Algorithm::counts_bits).
    Bits,
    /// [`Job::signature`](crate::Job::signature): for what verifies signatures.
    Signature,
}

impl Extra {
    pub(crate) const ALL: [Extra; 7] = [
        Extra::CipherRange,
        Extra::MacRange,
        Extra::TagPlace,
        Extra::Associated,
        Extra::ExpectedTag,
        Extra::Bits,
        Extra::Signature,
    ];
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Extra::CipherRange => "range for the cipher",
            Extra::MacRange => "range for the MAC",
            Extra::TagPlace => "place for a tag",
            Extra::Associated => "associated data",
            Extra::ExpectedTag => "tag to check",
            Extra::Bits => "length in bits",
            Extra::Signature => "signature to check",
        })
    }
}

/// Any of them, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extras(u8);

const _: () = assert!(Extra::ALL.len() <= u8::BITS as usize, "each of them has a bit");

impl Extras {
    pub(crate) const NONE: Extras = Extras(0);
    /// Those that say which bytes are for what.
    pub(crate) const PLACES: Extras =
        Extras::of(&[Extra::CipherRange, Extra::MacRange, Extra::TagPlace]);

    pub(crate) const fn of(extras: &[Extra]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < extras.len() {
            bits |= 1 << extras[index] as u8;
            index += 1;
        }
        Extras(bits)
    }

    pub(crate) const fn complement(self) -> Self {
        Extras(!self.0)
    }

    pub(crate) const fn with(self, other: Extras) -> Self {
        Extras(self.0 | other.0)
    }

    #[inline]
    pub(crate) fn set(&mut self, extra: Extra, is_given: bool) {
        let bit = 1 << extra as u8;
        self.0 = if is_given { self.0 | bit } else { self.0 & !bit };
    }

    #[inline]
    pub(crate) fn has(self, extra: Extra) -> bool {
        self.has_any(Extras(1 << extra as u8))
    }

    #[inline]
    pub(crate) fn has_any(self, other: Extras) -> bool {
        self.0 & other.0 != 0
    }

    #[inline]
    pub(crate) fn is_within(self, other: Extras) -> bool {
        self.0 & !other.0 == 0
    }
}
