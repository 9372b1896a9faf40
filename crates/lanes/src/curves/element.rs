//! Numbers modulo a prime of 255 or 256 bits, one of each lane, in limbs.

use core::marker::PhantomData;

use super::kernel::{Columns, MAX_LANES};
use super::words::Words;
use crate::vector::each;

/// A prime, and how numbers modulo it are multiplied.
pub(crate) trait Prime: Copy + 'static {
    /// Bits of each of so many limbs.
    fn bits(limbs: usize) -> u32;
}

/// A number modulo a prime, of every lane, in `N` limbs: five, or ten where products have 32 bits
/// a factor. Limbs may be somewhat longer than they need be.
#[derive(Clone, Copy)]
pub(crate) struct Element<P, W, const N: usize>(pub [W; N], PhantomData<P>);

/// How an instruction set multiplies: what the prime says, compiled once.
///
/// # Safety
/// An implementor uses no other instructions than its words.
pub(crate) unsafe trait Multiply: Copy {
    /// The product.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn product(a: &Self, b: &Self) -> Self;

    /// The square.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn squared(a: &Self) -> Self;
}

impl<P: Prime, W: Words, const N: usize> Element<P, W, N> {
    #[inline(always)]
    pub fn of(limbs: [W; N]) -> Self {
        Element(limbs, PhantomData)
    }

    /// The number of four words in each lane, the lowest first, which has no more bits than all
    /// limbs together.
    #[inline(always)]
    pub fn from_words(words: &[W; 4]) -> Self {
        let bits = P::bits(N) as usize;
        let limb = words[0].splat((1 << bits) - 1);
        let mut limbs = [words[0]; N];
        each!(const I in 10 => {
            if const { I < N } {
                let (at, shift) = (bits * I / 64, (bits * I % 64) as u32);
                let low = words[at].shift_right(shift);
                let both = match at + 1 < 4 && shift as usize + bits > 64 {
                    true => low.or(words[(at + 1) % 4].shift_left(64 - shift)),
                    false => low,
                };
                limbs[I] = both.and(limb);
            }
        });
        Element::of(limbs)
    }

    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(proof: W, words: [u64; 4]) -> Self {
        Element::from_words(&each!(i in 4 => proof.splat(words[i])))
    }

    /// The numbers of all lanes, from columns.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    #[inline(always)]
    pub unsafe fn load(columns: &Columns<4>) -> Self {
        // SAFETY: the caller's; there is a word for each lane in every column.
        let words = unsafe { each!(i in 4 => W::load(columns.0[i].as_ptr())) };
        Element::from_words(&words)
    }

    /// `self` in lanes where the mask is zero, `other` where it is all ones.
    #[inline(always)]
    pub fn replaced(&self, mask: W, other: &Self) -> Self {
        let mut limbs = self.0;
        each!(const I in 10 => {
            if const { I < N } {
                limbs[I] = mask.select(other.0[I], self.0[I]);
            }
        });
        Element::of(limbs)
    }

    /// The number of each lane, as the sum of its limbs: five words, the lowest first.
    pub fn to_wide(self) -> [[u64; 5]; MAX_LANES] {
        let mut limbs = [[0; MAX_LANES]; N];
        for (limb, words) in self.0.iter().zip(&mut limbs) {
            // SAFETY: there is room for a word of every lane.
            unsafe { limb.store(words.as_mut_ptr()) };
        }
        let bits = P::bits(N) as usize;
        core::array::from_fn(|lane| {
            let mut number = [0_u64; 5];
            for (i, limb) in limbs.iter().enumerate() {
                let mut carry = u128::from(limb[lane]) << (bits * i % 64);
                for word in &mut number[bits * i / 64..] {
                    carry += u128::from(*word);
                    *word = carry as u64;
                    carry >>= 64;
                }
            }
            number
        })
    }
}

impl<P: Prime, W: Words, const N: usize> Element<P, W, N>
where
    Self: Multiply,
{
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        // SAFETY: a value is proof of the instruction set.
        unsafe { Self::product(self, other) }
    }

    #[inline(always)]
    pub fn square(&self) -> Self {
        // SAFETY: as above.
        unsafe { Self::squared(self) }
    }

    /// The number, squared so many times.
    #[inline(always)]
    pub fn square_times(&self, times: usize) -> Self {
        (0..times).fold(*self, |number, _| number.square())
    }
}
