//! The keys of DES and of triple DES.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key for DES (FIPS 46-3, 8 bytes) or for triple DES (SP 800-67) with three keys (24 bytes), or
/// with two (16 bytes), where the first is also the third.
///
/// Of each byte the lowest bit is for parity, which is neither used nor checked. DES is within
/// anyone's reach to break, and both have blocks of 64 bits, so that about 2^32 of them under one
/// key (32 GB) betray something of the plaintext (SP 800-67 allows 2^20): for old protocols only.
///
/// All of it is wiped when the key is dropped.
///
/// ```
/// use broadloom_lanes::{Cpu, DesKey, Loan, Planner};
///
/// let key = DesKey::new(b"three keys of 8 bytes   ")?;
/// let mut packets = [[1u8; 32], [2; 32]];
/// let mut planner = Planner::new(&Cpu::detect());
/// let loans = packets.iter_mut().map(|packet| Loan::des_cbc_encrypt(&key, &[0; 8], packet));
/// planner.process_each(loans.map(|loan| loan.expect("whole blocks")));
/// assert_ne!(packets[0], [1; 32]);
/// # Ok::<(), broadloom_lanes::DesKeyError>(())
/// ```
pub struct DesKey {
    /// Its bytes as little-endian integers; a DES key has only the first one.
    words: [u64; 3],
    /// 1 for DES, 3 for triple DES.
    passes: usize,
}

impl DesKey {
    /// Returns a key of 8, 16 or 24 bytes. Triple DES with two keys (16 bytes) is for existing
    /// data: SP 800-131A disallows it for new encryption.
    ///
    /// # Errors
    ///
    /// [`DesKeyError::Length`] for any other length. [`DesKeyError::Weak`] if the first and the
    /// second of three keys or the second and the third are equal but for parity, which leaves no
    /// more than DES (RFC 2451, section 2.3).
    pub fn new(key: &[u8]) -> Result<Self, DesKeyError> {
        let key = Self::allowing_weak(key)?;
        match key.is_weak() {
            true => Err(DesKeyError::Weak),
            false => Ok(key),
        }
    }

    /// Does what `new` does, taking weak keys too: for what must agree with DES, or for tests.
    ///
    /// # Errors
    ///
    /// [`DesKeyError::Length`] as for [`new`](DesKey::new).
    pub fn allowing_weak(key: &[u8]) -> Result<Self, DesKeyError> {
        let (words, []) = key.as_chunks::<8>() else {
            return Err(DesKeyError::Length { given: key.len() });
        };
        let (passes, parts) = match words {
            [only] => (1, [only, &[0; 8], &[0; 8]]),
            [first, second] => (3, [first, second, first]),
            [first, second, third] => (3, [first, second, third]),
            _ => return Err(DesKeyError::Length { given: key.len() }),
        };
        Ok(DesKey { words: parts.map(|part| u64::from_le_bytes(*part)), passes })
    }

    /// Returns the length of the key in bits, those for parity among them: 64 or 192, with two keys
    /// as with three.
    pub fn bits(&self) -> usize {
        64 * self.passes
    }

    /// Returns `true` if triple DES with this key is DES. Takes the same time whatever the key.
    fn is_weak(&self) -> bool {
        const PARITY: u64 = 0x0101_0101_0101_0101;
        let [first, second, third] = self.words.map(|word| word & !PARITY);
        let is_zero = |value: u64| (value | value.wrapping_neg()) >> 63 ^ 1;
        let equal = is_zero(first ^ second) | is_zero(second ^ third);
        self.passes == 3 && equal == 1
    }

    /// Returns 1 for DES, and 3 for triple DES.
    pub(super) fn passes(&self) -> usize {
        self.passes
    }

    /// Returns the keys of the passes.
    #[inline(always)]
    pub(super) fn words(&self, decrypt: bool) -> [u64; 3] {
        let [first, second, third] = self.words;
        if decrypt && self.passes == 3 { [third, second, first] } else { self.words }
    }
}

impl Drop for DesKey {
    fn drop(&mut self) {
        self.words.zeroize();
    }
}

impl ZeroizeOnDrop for DesKey {}

impl fmt::Debug for DesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DesKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

/// A key that DES or triple DES cannot, or should not, be used with.
///
/// ```
/// use broadloom_lanes::DesKey;
///
/// let error = DesKey::new(&[7; 9]).err().expect("9 bytes are no key");
/// assert_eq!(error.to_string(), "a key for DES has 8 bytes, one for triple DES 16 or 24, not 9");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DesKeyError {
    /// It has neither 8 nor 16 nor 24 bytes.
    Length {
        /// The length that was given, in bytes.
        given: usize,
    },
    /// The first and the second of three keys are equal but for parity, or the second and the
    /// third.
    Weak,
}

impl fmt::Display for DesKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DesKeyError::Length { given } => {
                write!(f, "a key for DES has 8 bytes, one for triple DES 16 or 24, not {given}")
            }
            DesKeyError::Weak => f.write_str(
                "triple DES whose first and second key, or second and third, are equal is no more \
                 than DES",
            ),
        }
    }
}

impl core::error::Error for DesKeyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lengths_are_refused_by_name() {
        for length in (0..=64).filter(|length| ![8, 16, 24].contains(length)) {
            for result in
                [DesKey::new(&[1; 64][..length]), DesKey::allowing_weak(&[1; 64][..length])]
            {
                let error = result.unwrap_err();
                assert_eq!(error, DesKeyError::Length { given: length });
                assert!(
                    std::string::ToString::to_string(&error).contains(&std::format!("{length}"))
                );
            }
        }
    }

    #[test]
    fn keys_that_make_triple_des_single_are_refused_unless_asked_for() {
        let key = |parts: [u8; 3]| {
            let mut key = [0; 24];
            key.chunks_mut(8).zip(parts).for_each(|(part, byte)| part.fill(byte));
            key
        };
        // The lowest bit is parity's.
        for weak in
            [[2, 2, 4], [2, 4, 4], [2, 3, 8], [8, 0xfe, 0xff], [6, 6, 6], [0, 1, 0]].map(key)
        {
            assert_eq!(DesKey::new(&weak).unwrap_err(), DesKeyError::Weak);
            assert_eq!(DesKey::allowing_weak(&weak).unwrap().bits(), 192);
        }
        for good in [[2, 4, 6], [2, 4, 2], [0x80, 0, 0x80], [0, 2, 1]].map(key) {
            assert_eq!(DesKey::new(&good).unwrap().bits(), 192);
        }
        assert_eq!(DesKey::new(&[0; 8]).unwrap().bits(), 64);
        // Of two keys, the first is the third.
        let two = |parts: [u8; 2]| parts.map(|part| [part; 8]);
        let key_of_two = DesKey::new(two([2, 4]).as_flattened()).unwrap();
        assert_eq!(key_of_two.words, DesKey::new(&key([2, 4, 2])).unwrap().words);
        assert_eq!(key_of_two.bits(), 192);
        let weak = two([2, 3]);
        assert_eq!(DesKey::new(weak.as_flattened()).unwrap_err(), DesKeyError::Weak);
        assert!(DesKey::allowing_weak(weak.as_flattened()).is_ok());
        let mut one_bit = key([0x10, 0x20, 0x40]);
        one_bit[8..16].fill(0x10);
        one_bit[15] = 0x90;
        assert!(DesKey::new(&one_bit).is_ok());
    }
}
