//! The AES key and its expansion (FIPS 197, 5.2).

use core::borrow::Borrow;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A block of AES: 16 bytes.
pub(crate) type Block = [u8; 16];

/// A block as a task has it: two words, which the compiler keeps in registers while it moves the
/// task, where it copies an array through memory at every move.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct BlockWords([u64; 2]);

impl BlockWords {
    pub(crate) const ZERO: BlockWords = BlockWords([0; 2]);

    #[inline(always)]
    pub(crate) fn of(block: &Block) -> Self {
        let (halves, _) = block.as_chunks();
        BlockWords([u64::from_ne_bytes(halves[0]), u64::from_ne_bytes(halves[1])])
    }

    #[inline(always)]
    pub(crate) fn block(&self) -> &Block {
        // SAFETY: two words are as many bytes as a block, any of which are valid.
        unsafe { &*(&raw const self.0).cast() }
    }

    #[inline(always)]
    pub(crate) fn block_mut(&mut self) -> &mut Block {
        // SAFETY: two words are as many bytes as a block, any of which are valid.
        unsafe { &mut *(&raw mut self.0).cast() }
    }
}

/// The rounds of the longest key; every key has room for one round key more than that.
pub(crate) const MAX_ROUNDS: usize = 14;

/// An AES-128, AES-192 or AES-256 key, expanded for both directions.
///
/// Expanding takes constant time for a given key length, on every CPU. The round keys are kept as
/// the bytes of FIPS 197, so one key works with whatever kernel the CPU gets. They are wiped when
/// the key is dropped.
///
/// ```
/// use broadloom_lanes::AesKey;
///
/// let key = AesKey::new(&[7; 16])?;
/// assert_eq!(key.bits(), 128);
///
/// let error = AesKey::new(&[7; 20]).unwrap_err();
/// assert_eq!(error.to_string(), "an AES key has 16, 24 or 32 bytes, not 20");
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
#[repr(C, align(16))]
pub struct AesKey {
    cipher: CipherKey,
    decryption: [Block; MAX_ROUNDS + 1],
}

/// An AES key expanded for encryption alone, as modes need it that never use the inverse cipher.
///
/// It has no byte that is not initialised: kernels may read some of it together with what is before
/// it in memory.
#[repr(C, align(16))]
pub(crate) struct CipherKey {
    /// As wide as a round key, so that these are aligned. It is before them, because the last ones
    /// are not in use in a short key.
    rounds: u128,
    encryption: [Block; MAX_ROUNDS + 1],
}

impl Borrow<CipherKey> for AesKey {
    #[inline(always)]
    fn borrow(&self) -> &CipherKey {
        &self.cipher
    }
}

impl AesKey {
    /// Where the round keys of the cipher begin, in bytes.
    pub(crate) const ENCRYPTION: usize =
        core::mem::offset_of!(AesKey, cipher) + core::mem::offset_of!(CipherKey, encryption);

    /// Expands a key of 16, 24 or 32 bytes with a function for SubWord.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub(crate) fn expanded(key: &[u8], sub_word: fn(u32) -> u32) -> Result<Self, KeyLengthError> {
        let cipher = CipherKey::expanded(key, sub_word)?;
        let mut expanded = Self { cipher, decryption: [[0; 16]; MAX_ROUNDS + 1] };
        expanded.invert();
        Ok(expanded)
    }

    /// Returns the length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.cipher.bits()
    }

    /// Returns 10, 12 or 14. One round key more is in use.
    pub(crate) fn rounds(&self) -> usize {
        self.cipher.rounds()
    }

    /// Returns the round keys of the equivalent inverse cipher (FIPS 197, 5.3.5), in the order of
    /// use.
    pub(crate) fn decryption(&self) -> &[Block; MAX_ROUNDS + 1] {
        &self.decryption
    }

    /// Fills the decryption round keys from the encryption round keys: reversed, all except the
    /// outer two through InvMixColumns.
    fn invert(&mut self) {
        let (encryption, rounds) = (self.cipher.encryption(), self.cipher.rounds());
        for (round, out) in self.decryption.iter_mut().enumerate().take(rounds + 1) {
            *out = encryption[rounds - round];
            if (1..rounds).contains(&round) {
                for at in (0..16).step_by(4) {
                    let column = inv_mix_column(word_at(out, at));
                    out[at..at + 4].copy_from_slice(&column.to_le_bytes());
                }
            }
        }
    }
}

impl CipherKey {
    /// Expands a key of 16, 24 or 32 bytes with a function for SubWord.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub(crate) fn expanded(key: &[u8], sub_word: fn(u32) -> u32) -> Result<Self, KeyLengthError> {
        if !matches!(key.len(), 16 | 24 | 32) {
            return Err(KeyLengthError { given: key.len() });
        }
        let mut expanded =
            Self { rounds: key.len() as u128 / 4 + 6, encryption: [[0; 16]; MAX_ROUNDS + 1] };
        expanded.expand(key, sub_word);
        Ok(expanded)
    }

    /// Returns the length of the key in bits: 128, 192 or 256.
    pub(crate) fn bits(&self) -> usize {
        (self.rounds() - 6) * 32
    }

    /// Returns 10, 12 or 14. One round key more is in use.
    #[inline(always)]
    pub(crate) fn rounds(&self) -> usize {
        self.rounds as usize
    }

    /// Returns the round keys of the cipher, those in use and zeros after them.
    #[inline(always)]
    pub(crate) fn encryption(&self) -> &[Block; MAX_ROUNDS + 1] {
        &self.encryption
    }

    /// Fills the encryption round keys: FIPS 197, algorithm 2.
    fn expand(&mut self, key: &[u8], sub_word: fn(u32) -> u32) {
        let rounds = self.rounds();
        let words = self.encryption.as_flattened_mut();
        words[..key.len()].copy_from_slice(key);
        let mut round_constant = 1_u8;
        for at in (key.len()..16 * (rounds + 1)).step_by(4) {
            let mut word = word_at(words, at - 4);
            if at % key.len() == 0 {
                word = sub_word(word.rotate_right(8)) ^ u32::from(round_constant);
                round_constant = (round_constant << 1) ^ ((round_constant >> 7) * 0x1b);
            } else if key.len() == 32 && at % key.len() == 16 {
                word = sub_word(word);
            }
            word ^= word_at(words, at - key.len());
            words[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Returns `true` if the keys of lanes are all the same.
#[inline(always)]
pub(crate) fn share_a_key(keys: &[*const AesKey]) -> bool {
    keys.iter().skip(1).all(|&key| key == keys[0])
}

impl Drop for CipherKey {
    fn drop(&mut self) {
        self.encryption.zeroize();
    }
}

impl Drop for AesKey {
    fn drop(&mut self) {
        self.decryption.zeroize();
    }
}

impl ZeroizeOnDrop for CipherKey {}

impl ZeroizeOnDrop for AesKey {}

impl fmt::Debug for AesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

/// A key was neither 16, 24 nor 32 bytes long.
///
/// ```
/// use broadloom_lanes::AesKey;
///
/// let error = AesKey::new(&[7; 17]).err().expect("17 bytes are no key");
/// assert_eq!(error.to_string(), "an AES key has 16, 24 or 32 bytes, not 17");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLengthError {
    given: usize,
}

impl KeyLengthError {
    /// Returns the length that was given, in bytes.
    pub fn given(&self) -> usize {
        self.given
    }
}

impl fmt::Display for KeyLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = self.given;
        write!(f, "an AES key has 16, 24 or 32 bytes, not {given}")
    }
}

impl core::error::Error for KeyLengthError {}

/// Reads the column (a word of the key expansion) that starts at a byte.
fn word_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + 4].first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes)
}

/// Applies InvMixColumns (FIPS 197, 5.3.3) to one column, its first row in the lowest byte.
fn inv_mix_column(column: u32) -> u32 {
    let column = column ^ double(double(column ^ column.rotate_right(16)));
    let below = column.rotate_right(8);
    let sum = column ^ below;
    double(sum) ^ below ^ sum.rotate_right(16)
}

/// Times 2 in the AES field, on each of four bytes.
fn double(bytes: u32) -> u32 {
    ((bytes << 1) & 0xfefe_fefe) ^ (((bytes >> 7) & 0x0101_0101) * 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last words of the expansions in FIPS 197, appendix A.
    #[test]
    fn expansions_of_the_standard() {
        let long: [u8; 32] = [
            0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d,
            0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3,
            0x09, 0x14, 0xdf, 0xf4,
        ];
        let middle: [u8; 24] = [
            0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b, 0x80, 0x90,
            0x79, 0xe5, 0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
        ];
        let short: [u8; 16] = [
            0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf,
            0x4f, 0x3c,
        ];
        let cases: [(&[u8], [u32; 4]); 3] = [
            (&short, [0xd014_f9a8, 0xc9ee_2589, 0xe13f_0cc8, 0xb663_0ca6]),
            (&middle, [0xe98b_a06f, 0x448c_773c, 0x8ecc_7204, 0x0100_2202]),
            (&long, [0xfe48_90d1, 0xe618_8d0b, 0x046d_f344, 0x706c_631e]),
        ];
        for (bytes, last) in cases {
            let key = AesKey::new(bytes).unwrap();
            let cipher: &CipherKey = key.borrow();
            let got = cipher.encryption()[key.rounds()];
            assert_eq!(got.as_slice(), last.map(u32::to_be_bytes).as_flattened());
            assert_eq!(key.bits(), bytes.len() * 8);
        }
    }

    #[test]
    fn other_lengths_are_refused_by_name() {
        for length in (0..=64).filter(|length| ![16, 24, 32].contains(length)) {
            let error = AesKey::new(&[0; 64][..length]).unwrap_err();
            assert_eq!(error.given(), length);
        }
    }
}
