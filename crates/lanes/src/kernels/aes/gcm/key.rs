//! The key of GCM: the AES key, and powers of the hash key.

use alloc::boxed::Box;
use core::{fmt, ptr};

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::field::Element;
use crate::kernels::aes::key::{Block, CipherKey, KeyLengthError};
use crate::kernels::aes::soft::{SlicedCipher, WIDTH};
use crate::once::OnceBox;

/// Powers of the hash key that every key has: so many blocks of a short message are hashed for one
/// reduction. Four registers of four blocks, and as many blocks of associated data as a register.
pub(crate) const FEW: usize = 20;

/// Powers of the hash key for long messages: the blocks of eight registers of four blocks.
pub(crate) const MANY: usize = 32;

/// An AES-128, AES-192 or AES-256 key for GCM and GMAC (SP 800-38D), expanded: AES's round keys for
/// encryption, which both directions of GCM use, and powers of the hash key.
///
/// Expanding takes constant time for a given key length, on every CPU; one key works with whatever
/// kernel the CPU gets. All of it is wiped when the key is dropped.
///
/// A key has 592 bytes. The first long message under it allocates 1,088 bytes for more powers: on
/// AMD Zen 4 one of more than 2,048 bytes, as a rule, and elsewhere one of 512 bytes or more.
///
/// ```
/// use broadloom_lanes::GcmKey;
///
/// assert_eq!(GcmKey::new(&[7; 16])?.bits(), 128);
/// assert!(GcmKey::new(&[7; 33]).is_err());
/// # Ok::<(), broadloom_lanes::KeyLengthError>(())
/// ```
// In this order, what a short message needs is side by side: the lowest powers, and round keys.
#[repr(C, align(16))]
pub struct GcmKey {
    few: FewPowers,
    aes: CipherKey,
    many: OnceBox<HashPowers>,
    expand: Powers,
}

// A program may have a million keys.
const _: () = assert!(size_of::<GcmKey>() <= 592);

// Registers with the lowest powers reach into the round keys.
const _: () = assert!(core::mem::offset_of!(GcmKey, aes) == size_of::<FewPowers>());

/// The hash key to the powers from [`FEW`] down to 1.
///
/// Registers of several blocks take as many neighbours at once, so that the last power has some,
/// too: in a key, the round keys. These are multiplied by zeros.
#[repr(C)]
struct FewPowers([Element; FEW]);

/// The hash key to the powers from [`MANY`] down to 1, the same [folded](Element::folded), and
/// zeros, which are behind the last fold what round keys are behind [`FewPowers`].
#[repr(C, align(64))]
pub(crate) struct HashPowers([Element; 2 * MANY + BEHIND]);

/// Elements behind the last one: one less than the widest registers have blocks, and another one
/// for the sake of alignment.
const BEHIND: usize = 4;

/// Powers of the hash key side by side in memory, from some power down to the first, as seen from
/// behind the first.
#[derive(Clone, Copy)]
pub(crate) struct Ladder(*const Element);

impl Ladder {
    /// Returns the power `exponent` of the hash key and the lower ones after it. Behind the first
    /// there are three more elements that can be read.
    #[inline(always)]
    pub(crate) fn from(self, exponent: usize) -> *const Element {
        debug_assert!((1..=MANY).contains(&exponent));
        self.0.wrapping_sub(exponent)
    }
}

impl GcmKey {
    /// Expands a key of 16, 24 or 32 bytes with a function for SubWord, and one for the powers of
    /// the hash key; `None` computes these on integers.
    ///
    /// # Errors
    /// [`KeyLengthError`] for any other length.
    pub(crate) fn expanded(
        key: &[u8],
        sub_word: fn(u32) -> u32,
        powers: Option<Powers>,
    ) -> Result<Self, KeyLengthError> {
        let aes = CipherKey::expanded(key, sub_word)?;
        let mut few = FewPowers([Element::default(); _]);
        let expand = powers.unwrap_or(expand);
        expand(&aes, &mut few.0);
        Ok(GcmKey { few, aes, many: OnceBox::new(), expand })
    }

    /// Returns the length of the key in bits: 128, 192 or 256.
    pub fn bits(&self) -> usize {
        self.aes.bits()
    }

    /// Returns a place in each cache line that a short message needs.
    #[inline]
    pub(crate) fn lines_of_few(&self) -> [*const u8; 5] {
        let encryption = self.aes.encryption();
        let [low, high, end] = [2, 6, 10].map(|round| ptr::from_ref(&encryption[round]).cast());
        let power = |exponent: usize| ptr::from_ref(&self.few.0[FEW - exponent]).cast();
        [power(5), power(1), low, high, end]
    }

    /// Returns AES's part.
    pub(crate) fn aes(&self) -> &CipherKey {
        &self.aes
    }

    /// Returns the hash key itself.
    pub(crate) fn hash_key(&self) -> Element {
        self.few.0[FEW - 1]
    }

    /// Returns the powers up to [`FEW`].
    #[inline(always)]
    pub(crate) fn few(&self) -> Ladder {
        // The first field; the round keys are behind it.
        Ladder(ptr::from_ref(self).cast::<Element>().wrapping_add(FEW))
    }

    /// Returns the powers up to [`MANY`]. The first call makes them.
    #[inline(always)]
    pub(crate) fn many(&self) -> &HashPowers {
        self.many.get_or_init(|| self.make_many())
    }

    /// Returns the powers up to `most`, which is at most [`MANY`].
    #[inline(always)]
    pub(crate) fn ladder(&self, most: usize) -> Ladder {
        if most <= FEW { self.few() } else { self.many().ladder() }
    }

    /// Makes the powers up to [`MANY`].
    #[cold]
    #[inline(never)]
    fn make_many(&self) -> Box<HashPowers> {
        let mut many = Box::new(HashPowers([Element::default(); _]));
        let (powers, folds) = many.0.split_at_mut(MANY);
        (self.expand)(&self.aes, powers);
        for (power, fold) in powers.iter().zip(folds) {
            *fold = power.folded();
        }
        many
    }
}

/// Fills a slice with the powers of the hash key that belongs to a key, the first one last.
pub(crate) type Powers = fn(key: &CipherKey, powers: &mut [Element]);

/// Does what [`Powers`] do, on integers.
fn expand(key: &CipherKey, powers: &mut [Element]) {
    let mut blocks = [[0; 16]; WIDTH];
    SlicedCipher::new(key).encrypt(&mut blocks);
    fill(powers, &blocks[0], Element::times, Element::squared);
    blocks.zeroize();
}

/// Fills a slice with powers, the first one last, given the hash key as a block, and how products
/// and squares are made.
#[inline(always)]
pub(crate) fn fill(
    powers: &mut [Element],
    key: &Block,
    times: impl Fn(Element, Element) -> Element,
    squared: impl Fn(Element) -> Element,
) {
    let most = powers.len();
    for exponent in 1..=most {
        let power = |exponent: usize| powers[most - exponent];
        let power = match exponent {
            1 => Element::of_block(key).times_x(),
            even if even % 2 == 0 => squared(power(even / 2)),
            // Not times the first one: few products wait for another.
            odd => times(power(odd / 2), power(odd / 2 + 1)),
        };
        powers[most - exponent] = power;
    }
}

impl HashPowers {
    /// Bytes from a power to the same one [folded](Element::folded).
    #[allow(dead_code, reason = "only assembly needs it")]
    pub(crate) const FOLDS: usize = MANY * size_of::<Element>();

    /// Returns the powers without their folds.
    #[inline(always)]
    pub(crate) fn ladder(&self) -> Ladder {
        Ladder(self.0.as_ptr().wrapping_add(MANY))
    }

    /// Returns the power `exponent` of the hash key, 1 to [`MANY`], and the lower ones after it.
    #[inline(always)]
    pub(crate) fn from(&self, exponent: usize) -> *const Element {
        self.ladder().from(exponent)
    }

    /// Returns the same, [folded](Element::folded).
    #[inline(always)]
    pub(crate) fn folds_from(&self, exponent: usize) -> *const Element {
        self.from(exponent).wrapping_add(MANY)
    }
}

impl Drop for FewPowers {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for HashPowers {
    fn drop(&mut self) {
        self.0.zeroize();
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
    use crate::arch::hash_expansion;
    use crate::kernels::aes::soft;

    /// Both ways, so that the one this CPU does not take is tested as well.
    #[test]
    fn every_expansion_agrees() {
        for (len, byte) in
            [16, 24, 32].into_iter().flat_map(|len| [0, 7, 0x80, 255].map(|b| (len, b)))
        {
            let key = CipherKey::expanded(&[byte; 32][..len], soft::sub_word).unwrap();
            let (mut chosen, mut on_integers) =
                ([Element::default(); MANY], [Element::default(); _]);
            hash_expansion().unwrap_or(expand)(&key, &mut chosen);
            expand(&key, &mut on_integers);
            assert_eq!(chosen, on_integers);
            let first = on_integers[MANY - 1];
            let mut power = first;
            for exponent in 2..=MANY {
                power = power.times(first);
                assert_eq!(on_integers[MANY - exponent], power, "{exponent}");
            }
        }
    }

    /// A key has the same powers for short messages and for long ones.
    #[test]
    fn many_powers_begin_as_few_do() {
        let key = GcmKey::new(&[7; 16]).unwrap();
        let many = key.many();
        assert!(core::ptr::eq(many, key.many()));
        for exponent in 1..=FEW {
            assert_eq!(many.0[MANY - exponent], key.few.0[FEW - exponent], "{exponent}");
            assert_eq!(key.few().from(exponent), &raw const key.few.0[FEW - exponent]);
            assert_eq!(key.ladder(exponent).from(1), key.few().from(1));
        }
        for exponent in 1..=MANY {
            let power = many.0[MANY - exponent];
            assert_eq!(many.0[2 * MANY - exponent], power.folded(), "{exponent}");
            assert_eq!(many.from(exponent), &raw const many.0[MANY - exponent]);
            assert_eq!(many.folds_from(exponent), &raw const many.0[2 * MANY - exponent]);
        }
        assert_eq!(key.ladder(FEW + 1).from(1), many.from(1));
    }
}
