//! The key of GCM: AES's, and the powers of the hash key.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::field::Element;
use crate::aes::key::{AesKey, KeyLengthError};
use crate::aes::soft::{SlicedCipher, WIDTH};

/// Powers of the hash key that are kept: so many blocks are hashed for one reduction.
pub(super) const POWERS: usize = 32;

/// An AES-128, AES-192 or AES-256 key for GCM and GMAC (SP 800-38D), expanded: AES's round keys, and powers
/// of the hash key.
///
/// Expanding takes constant time for a given key length, on every CPU; one key works with whatever kernel
/// the CPU gets. All of it is wiped when the key is dropped.
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
/// Registers of several blocks take as many neighbours at once, so that the last power has some, too: one less
/// than the widest registers have blocks, and another one for the sake of alignment.
#[repr(C, align(64))]
pub(super) struct HashPowers {
    powers: [Element; POWERS + 4],
    folds: [Element; POWERS + 4],
}

impl GcmKey {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        let aes = AesKey::new(key)?;
        let mut blocks = [[0; 16]; WIDTH];
        SlicedCipher::new(&aes).encrypt(&mut blocks);
        let mut first = Element::of_block(&blocks[0]).times_x();
        let hash = HashPowers::new(first);
        first.zeroize();
        blocks.zeroize();
        Ok(GcmKey { aes, hash })
    }

    /// The length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.aes.bits()
    }

    /// AES's part.
    pub(super) fn aes(&self) -> &AesKey {
        &self.aes
    }

    /// The hash's part.
    pub(super) fn hash(&self) -> &HashPowers {
        &self.hash
    }
}

impl HashPowers {
    fn new(first: Element) -> Self {
        let mut hash = HashPowers { powers: [Element::default(); _], folds: [Element::default(); _] };
        for exponent in 1..=POWERS {
            // A square is made sooner than a product.
            let power = match exponent {
                1 => first,
                even if even % 2 == 0 => hash.powers[POWERS - even / 2].squared(),
                odd => hash.powers[POWERS - odd + 1].times(first),
            };
            hash.powers[POWERS - exponent] = power;
            hash.folds[POWERS - exponent] = power.folded();
        }
        hash
    }

    /// The hash key itself.
    pub(super) fn first(&self) -> Element {
        self.powers[POWERS - 1]
    }

    /// The power `exponent` of the hash key, 1 to [`POWERS`], and the lower ones after it.
    #[inline(always)]
    pub(super) fn from(&self, exponent: usize) -> *const Element {
        debug_assert!((1..=POWERS).contains(&exponent));
        self.powers.as_ptr().wrapping_add(POWERS - exponent)
    }

    /// The same, [folded](Element::folded).
    #[inline(always)]
    pub(super) fn folds_from(&self, exponent: usize) -> *const Element {
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
