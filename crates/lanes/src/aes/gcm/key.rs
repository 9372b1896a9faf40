//! The key of GCM: the AES key, and powers of the hash key.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::field::Element;
use crate::aes::key::{AesKey, Block, Expansion, KeyLengthError};
use crate::aes::soft::{SlicedCipher, WIDTH};
use crate::cpu::Cpu;

/// Powers of the hash key that are kept: so many blocks are hashed for one reduction.
pub(crate) const POWERS: usize = 32;

/// An AES-128, AES-192 or AES-256 key for GCM and GMAC (SP 800-38D), expanded: AES's round keys,
/// and powers of the hash key.
///
/// Expanding takes constant time for a given key length, on every CPU; one key works with whatever
/// kernel the CPU gets. All of it is wiped when the key is dropped.
///
/// ```
/// use broadloom_lanes::GcmKey;
///
/// assert_eq!(GcmKey::new(&[7; 32])?.bits(), 256);
/// assert!(GcmKey::new(&[7; 33]).is_err());
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
#[repr(C, align(64))]
pub struct GcmKey {
    aes: AesKey,
    hash: HashPowers,
}

/// The hash key to the powers from [`POWERS`] down to 1, and zeros.
///
/// Registers of several blocks take as many neighbours at once, so that the last power has some,
/// too: one less than the widest registers have blocks, and another one for the sake of alignment.
#[repr(C, align(64))]
pub(crate) struct HashPowers {
    powers: [Element; POWERS + 4],
    folds: [Element; POWERS + 4],
}

impl GcmKey {
    /// Expands a key of 16, 24 or 32 bytes, with the best instructions that the machine has.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::detect())
    }

    /// Expands a key of 16, 24 or 32 bytes, with the instructions that `cpu` may use and no others.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn with_cpu(key: &[u8], cpu: &Cpu) -> Result<Self, KeyLengthError> {
        Self::expanded(key, Expansion::of(cpu))
    }

    fn expanded(key: &[u8], by: Expansion) -> Result<Self, KeyLengthError> {
        let aes = AesKey::expanded(key, by)?;
        let mut hash = HashPowers::new();
        by.powers().unwrap_or(expand)(&aes, &mut hash);
        Ok(GcmKey { aes, hash })
    }

    /// The length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.aes.bits()
    }

    /// AES's part.
    pub(crate) fn aes(&self) -> &AesKey {
        &self.aes
    }

    /// The hash's part.
    pub(crate) fn hash(&self) -> &HashPowers {
        &self.hash
    }
}

/// Fills the powers of the hash key that belongs to a key.
pub(crate) type Powers = fn(key: &AesKey, hash: &mut HashPowers);

/// [`Powers`] on integers.
fn expand(key: &AesKey, hash: &mut HashPowers) {
    let mut blocks = [[0; 16]; WIDTH];
    SlicedCipher::new(key).encrypt(&mut blocks);
    hash.fill(&blocks[0], Element::times, Element::squared);
    blocks.zeroize();
}

impl HashPowers {
    /// Bytes from a power to the same one [folded](Element::folded).
    #[allow(dead_code, reason = "only assembly needs it")]
    pub(crate) const FOLDS: usize =
        core::mem::offset_of!(HashPowers, folds) - core::mem::offset_of!(HashPowers, powers);

    fn new() -> Self {
        HashPowers { powers: [Element::default(); _], folds: [Element::default(); _] }
    }

    /// Fills in the powers, given the hash key as a block, and how products and squares are made.
    #[inline(always)]
    pub(crate) fn fill(
        &mut self,
        key: &Block,
        times: impl Fn(Element, Element) -> Element,
        squared: impl Fn(Element) -> Element,
    ) {
        for exponent in 1..=POWERS {
            let power = |exponent: usize| self.powers[POWERS - exponent];
            let power = match exponent {
                1 => Element::of_block(key).times_x(),
                even if even % 2 == 0 => squared(power(even / 2)),
                // Not times the first one: few products wait for another.
                odd => times(power(odd / 2), power(odd / 2 + 1)),
            };
            self.powers[POWERS - exponent] = power;
            self.folds[POWERS - exponent] = power.folded();
        }
    }

    /// The hash key itself.
    pub(crate) fn first(&self) -> Element {
        self.powers[POWERS - 1]
    }

    /// The power `exponent` of the hash key, 1 to [`POWERS`], and the lower ones after it.
    #[inline(always)]
    pub(crate) fn from(&self, exponent: usize) -> *const Element {
        debug_assert!((1..=POWERS).contains(&exponent));
        self.powers.as_ptr().wrapping_add(POWERS - exponent)
    }

    /// The same, [folded](Element::folded).
    #[inline(always)]
    pub(crate) fn folds_from(&self, exponent: usize) -> *const Element {
        debug_assert!((1..=POWERS).contains(&exponent));
        self.folds.as_ptr().wrapping_add(POWERS - exponent)
    }
}

impl Drop for HashPowers {
    fn drop(&mut self) {
        self.powers.zeroize();
        self.folds.zeroize();
    }
}

impl ZeroizeOnDrop for GcmKey {}

impl fmt::Debug for GcmKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmKey").field("bits", &self.bits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways, so that the one this CPU does not take is tested as well.
    #[test]
    fn every_expansion_agrees() {
        for (len, byte) in
            [16, 24, 32].into_iter().flat_map(|len| [0, 7, 0x80, 255].map(|b| (len, b)))
        {
            let key = AesKey::new(&[byte; 32][..len]).unwrap();
            let (mut chosen, mut on_integers) = (HashPowers::new(), HashPowers::new());
            Expansion::detect().powers().unwrap_or(expand)(&key, &mut chosen);
            expand(&key, &mut on_integers);
            assert_eq!(chosen.powers, on_integers.powers);
            assert_eq!(chosen.folds, on_integers.folds);
            let mut power = on_integers.first();
            for exponent in 2..=POWERS {
                power = power.times(on_integers.first());
                assert_eq!(on_integers.powers[POWERS - exponent], power, "{exponent}");
            }
        }
    }
}
